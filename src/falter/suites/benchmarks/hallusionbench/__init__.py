"""HallusionBench: yes/no questions on figures and their edited versions (Guan et al., 2024)."""

from falter.core.bundle import SuiteBundle

__all__ = ["BUNDLE"]

BUNDLE = SuiteBundle(
    name="hallusionbench",
    title="HallusionBench: yes/no questions on figures and on edited figures",
    citation=(
        "Guan, Liu, Wu, Xian, Li, Liu, Wang, Chen, Huang, Yacoob, Manocha and Zhou (2024). HallusionBench: An Advanced "
        "Diagnostic Suite for Entangled Language Hallucination and Visual Illusion in Large Vision-Language Models"
    ),
    package=__name__,
    importers={"hallusionbench": ".release:HALLUSIONBENCH_RELEASE"},
    measures=".measures:MEASURES",
    summaries=".measures:SUMMARIES",
    layouts=".release:LAYOUTS",
    published="published.yaml",
)
