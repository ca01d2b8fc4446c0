"""CARETS: consistency tests made from scene graphs by templates (Jimenez et al., 2022)."""

from falter.suites.carets.generator import CARETS
from falter.suites.carets.perturbations import TESTS, Test

__all__ = ["CARETS", "TESTS", "Test"]
