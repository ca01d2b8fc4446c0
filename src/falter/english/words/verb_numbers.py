"""Verbs that agree with the number of their subject."""

from __future__ import annotations

__all__ = ["PLURAL_AUXILIARIES", "PLURAL_VERBS", "SINGULAR_AUXILIARIES", "SINGULAR_VERBS"]

PLURAL_AUXILIARIES = {"is": "are", "was": "were", "does": "do", "has": "have"}
"""By form of the singular that of the plural."""
SINGULAR_AUXILIARIES = {plural: singular for singular, plural in PLURAL_AUXILIARIES.items()}
PLURAL_VERBS = {**PLURAL_AUXILIARIES, "looks": "look", "seems": "seem", "appears": "appear"}
"""With verbs that link a subject to what is said of it."""
SINGULAR_VERBS = {plural: singular for singular, plural in PLURAL_VERBS.items()}
