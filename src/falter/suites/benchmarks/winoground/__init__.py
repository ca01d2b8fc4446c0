"""Winoground: two images and two captions of the same words (Thrush et al., 2022)."""

from falter.core.bundle import SuiteBundle

__all__ = ["BUNDLE"]

BUNDLE = SuiteBundle(
    name="winoground",
    title="Winoground: two images by two captions of the same words",
    citation=(
        "Thrush, Jiang, Bartolo, Singh, Williams, Kiela and Ross (2022). Winoground: Probing Vision and Language "
        "Models for Visio-Linguistic Compositionality"
    ),
    package=__name__,
    importers={"winoground": ".release:WINOGROUND_RELEASE"},
    layouts=".release:LAYOUTS",
    published="published.yaml",
)
