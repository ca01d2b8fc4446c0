"""POPE: is this object in the image? (Li et al., 2023)."""

from falter.core.bundle import SuiteBundle

__all__ = ["BUNDLE"]

BUNDLE = SuiteBundle(
    name="pope",
    title="POPE: yes/no questions on objects that are, or are not, in the image",
    citation=(
        "Li, Du, Zhou, Wang, Zhao and Wen (2023). Evaluating Object Hallucination in Large Vision-Language Models"
    ),
    package=__name__,
    importers={"pope": ".release:POPE_RELEASE"},
    layouts=".answers:LAYOUTS",
    published="published.yaml",
)
