"""Names for people who answered elsewhere: their accounts are not kept."""

from __future__ import annotations

import hashlib
from typing import Any

__all__ = ["pseudonym"]


def pseudonym(source: str, account: Any) -> str:
    """The same name for the same account; short numbers stay, others become part of a hash.

    >>> pseudonym("ls", 3), pseudonym("mturk", "A1B2C3")
    ('ls-3', 'mturk-3c706394dd')
    """
    text = str(account)
    if text.isdigit() and len(text) <= 6:
        return f"{source}-{text}"
    return f"{source}-{hashlib.sha256(f'{source} {text}'.encode('utf-8', 'surrogatepass')).hexdigest()[:10]}"
