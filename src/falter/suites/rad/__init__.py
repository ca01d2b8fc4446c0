"""RAD: yes/no questions from open ones, and robustness to them (Rosenberg et al., 2021)."""

from falter.core.bundle import Command, Demo, SuiteBundle

__all__ = ["BUNDLE"]

BUNDLE = SuiteBundle(
    name="rad",
    title="RAD: robustness to yes/no questions made from open ones",
    citation=(
        "Rosenberg, Gat, Feder and Reichart (2021). Are VQA Systems RAD? Measuring Robustness to Augmented Data with "
        "Focused Interventions"
    ),
    package=__name__,
    generator=".generator:RAD",
    options=".options:RadOptions",
    importers={
        "convqa": ".importers.convqa:CONVQA",
        "vqa-rephrasings": ".importers.vqa_rephrasings:VQA_REPHRASINGS",
        "yes-no-vqa": ".importers.yes_no_vqa:YES_NO_VQA",
    },
    audit=".inspection:audit",
    contents=".inspection:contents",
    measures=".measures:MEASURES",
    summaries=".measures:SUMMARIES",
    published="published.yaml",
    demo=Demo(
        source="vqa",
        size=100,
        options={"per_question": 3},
        models=("builtin:oracle", "builtin:bow-image", "builtin:blind", "builtin:prior", "builtin:always-yes"),
        measures=("pairs", "acc_original", "acc_perturbed", "rad_forward", "rad_backward"),
    ),
    commands={
        "predict-accuracy": Command(
            "Predict accuracy on unseen augmentations from accuracy and RAD on others.\n\n"
            "Example: falter rad predict-accuracy runs",
            ".commands:predict_accuracy_command",
        ),
    },
)
