"""VALSE: captions against minimally different foils (Parcalabescu et al., 2022)."""

from falter.core.bundle import Demo, SuiteBundle

__all__ = ["BUNDLE"]

BUNDLE = SuiteBundle(
    name="valse",
    title="VALSE: captions against foils for eleven linguistic phenomena",
    citation=(
        "Parcalabescu, Cafagna, Muradjan, Frank, Calixto and Gatt (2022). VALSE: A Task-Independent Benchmark for "
        "Vision and Language Models Centered on Linguistic Phenomena"
    ),
    package=__name__,
    suites=("valse", "valse-choice"),
    generator=".generator:VALSE",
    audit=".audit:audit",
    options=".options:ValseGenerateOptions",
    importers={"valse": ".release:VALSE_RELEASE"},
    contents=".contents:contents",
    summaries=".instruments:SUMMARIES",
    layouts=".instruments:LAYOUTS",
    panels=".panels:PANELS",
    exporters={"valse": ".export:VALSE_FILES"},
    published="published.yaml",
    demo=Demo(
        source="gqa",
        size=20,
        tests=(
            *("scene-existence", "scene-counting-small", "scene-attributes"),
            *("scene-binding", "scene-negation", "scene-comparison"),
        ),
        models=("builtin:oracle", "builtin:noisy-oracle,p=0.8", "builtin:always-yes"),
        measures=("pairs", "acc_r", "p_c", "p_f"),
    ),
)
