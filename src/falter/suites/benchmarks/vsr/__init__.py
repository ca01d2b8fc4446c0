"""VSR: is this spatial statement about the image true? (Liu et al., 2023)."""

from falter.core.bundle import SuiteBundle

__all__ = ["BUNDLE"]

BUNDLE = SuiteBundle(
    name="vsr",
    title="VSR: spatial statements that are true or false of an image",
    citation="Liu, Emerson and Collier (2023). Visual Spatial Reasoning",
    package=__name__,
    importers={"vsr": ".release:VSR_RELEASE"},
    layouts=".answers:LAYOUTS",
    published="published.yaml",
)
