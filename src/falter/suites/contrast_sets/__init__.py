"""Contrast sets: a question about an image, and small changes of it that turn its answer (Bitton et al., 2021)."""

from falter.core.bundle import Demo, SuiteBundle

__all__ = ["BUNDLE"]

BUNDLE = SuiteBundle(
    name="contrast-sets",
    title="Contrast sets: one thing of a question changed, and the answer with it",
    citation=(
        "Bitton, Stanovsky, Schwartz and Elhadad (2021). Automatic Generation of Contrast Sets from Scene Graphs: "
        "Probing the Compositional Consistency of GQA"
    ),
    package=__name__,
    generator=".generator:CONTRAST_SETS",
    options=".options:ContrastSetOptions",
    audit=".inspection:audit",
    importers={"contrast-sets": ".release:CONTRAST_SETS_RELEASE"},
    contents=".inspection:contents",
    measures=".measures:MEASURES",
    summaries=".measures:SUMMARIES",
    training={
        "gqa": ".training:ContrastSetTraining",
        "lxmert": "falter.generation.authoring.training_formats:LxmertRecords",
        "mac": "falter.generation.authoring.training_formats:MacRecords",
    },
    published="published.yaml",
    demo=Demo(
        source="gqa",
        size=40,
        options={"per_question": 3},
        models=("builtin:oracle", "builtin:noisy-oracle,p=0.8", "builtin:blind", "builtin:always-yes"),
        measures=("pairs", "acc_original", "acc_perturbed", "set_acc"),
    ),
)
