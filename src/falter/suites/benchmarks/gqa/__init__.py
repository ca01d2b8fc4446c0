"""GQA itself: its questions with their types, scored as its authors do (Hudson and Manning, 2019)."""

from falter.core.bundle import Command, SuiteBundle

__all__ = ["BUNDLE"]

BUNDLE = SuiteBundle(
    name="gqa",
    title="GQA: compositional questions, with their types and entailments",
    citation=(
        "Hudson and Manning (2019). GQA: A New Dataset for Real-World Visual Reasoning and Compositional Question "
        "Answering"
    ),
    package=__name__,
    importers={"gqa": ".release:GQA_RELEASE"},
    layouts=".release:LAYOUTS",
    commands={
        "scores": Command(
            "Score runs as GQA's own evaluation does: by type, consistency, validity, plausibility, distribution.\n\n"
            "Example: falter gqa scores runs/mine --choices val_choices.json",
            ".official:scores_command",
        ),
    },
    functions={"gqa_scores": ".official:official_scores"},
)
