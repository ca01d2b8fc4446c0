"""SugarCrepe: captions against negatives that are fluent and plausible (Hsieh et al., 2023)."""

from falter.core.bundle import SuiteBundle

__all__ = ["BUNDLE"]

BUNDLE = SuiteBundle(
    name="sugarcrepe",
    title="SugarCrepe: captions against fluent, plausible negatives",
    citation=(
        "Hsieh, Zhang, Ma, Kembhavi and Krishna (2023). SugarCrepe: Fixing Hackable Benchmarks for Vision-Language "
        "Compositionality"
    ),
    package=__name__,
    suites=("sugarcrepe", "sugarcrepe-choice"),
    importers={"sugarcrepe": ".release:SUGARCREPE_RELEASE"},
    layouts=".answers:LAYOUTS",
    published="published.yaml",
)
