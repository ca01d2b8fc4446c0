"""NaturalBench: two images by two questions, each with another answer for either image (Li et al., 2024)."""

from falter.core.bundle import SuiteBundle

__all__ = ["BUNDLE"]

BUNDLE = SuiteBundle(
    name="naturalbench",
    title="NaturalBench: two images by two questions",
    citation=(
        "Li, Lin, Peng, Nyandwi, Jiang, Ma, Khanuja, Krishna, Neubig and Ramanan (2024). NaturalBench: Evaluating "
        "Vision-Language Models on Natural Adversarial Samples"
    ),
    package=__name__,
    importers={"naturalbench": ".release:NATURALBENCH_RELEASE"},
    layouts=".release:LAYOUTS",
)
