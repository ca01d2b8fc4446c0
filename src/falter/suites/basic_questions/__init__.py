"""Basic questions: noise of known strength from a pool of questions ranked by similarity (Huang et al., 2022)."""

from falter.core.bundle import Command, Demo, SuiteBundle

__all__ = ["BUNDLE"]

BUNDLE = SuiteBundle(
    name="basic-questions",
    title="Basic questions: robustness to similar questions as noise",
    citation="Huang, Alfadly, Ghanem and Worring (2022). Assessing the Robustness of Visual Question Answering Models",
    package=__name__,
    generator=".generator:BASIC_QUESTIONS",
    panels=".panels:PANELS",
    published="published.yaml",
    options=".options:BasicQuestionsOptions",
    audit=".generator:audit",
    measures=".measures:MEASURES",
    commands={
        "rank": Command(
            "Rank a pool of questions by similarity.\n\n"
            "Example: falter basic-questions rank --query 'Is there a dog?' --pool vqa:data/vqa --top 5",
            ".commands:rank_command",
        ),
        "robustness": Command(
            "Show how far accuracy falls as noise grows stronger, with R_score.\n\n"
            "Example: falter basic-questions robustness runs/mine",
            ".commands:robustness_command",
        ),
    },
    functions={"rank": ".pool:rank"},
    extension_names={"RANKERS": ".rankers.registry:RANKERS", "Ranker": ".rankers.registry:Ranker"},
    demo=Demo(
        source="vqa",
        options={"encoder": "hashing:256"},
        models=("builtin:bow-image", "builtin:blind", "builtin:prior", "builtin:always-yes"),
        fallback=True,
    ),
)
