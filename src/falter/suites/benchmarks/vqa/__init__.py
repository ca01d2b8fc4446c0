"""VQA v2 itself: open questions with ten human answers each (Goyal et al., 2017)."""

from falter.core.bundle import SuiteBundle

__all__ = ["BUNDLE"]

BUNDLE = SuiteBundle(
    name="vqa",
    title="VQA: open questions with ten human answers",
    citation=(
        "Goyal, Khot, Summers-Stay, Batra and Parikh (2017). Making the V in VQA Matter: Elevating the Role of Image "
        "Understanding in Visual Question Answering"
    ),
    package=__name__,
    importers={"vqa": ".release:VQA_RELEASE"},
    layouts=".release:LAYOUTS",
)
