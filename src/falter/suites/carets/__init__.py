"""CARETS: consistency tests made from scene graphs by templates (Jimenez et al., 2022).

``questions`` chooses what each question type asks; its wording is a template of ``generation/english/data/templates``,
and ``perturbations`` pairs a question with its variant.
"""

from falter.core.bundle import Demo, SuiteBundle

__all__ = ["BUNDLE"]

BUNDLE = SuiteBundle(
    name="carets",
    title="CARETS: consistency and robustness tests from scene graphs",
    citation="Jimenez, Russakovsky and Narasimhan (2022). CARETS: A Consistency And Robustness Evaluative Test Suite",
    package=__name__,
    generator=".generator:CARETS",
    options=".options:CaretsOptions",
    training={"gqa": ".training:GqaTraining"},
    contents=".contents:contents",
    importers={"carets": ".release:CARETS_RELEASE"},
    summaries=".summaries:SUMMARIES",
    published="published.yaml",
    extension_names={
        "CARETS_TESTS": ".perturbations:CARETS_TESTS",
        "Candidate": ".questions.protocol:Candidate",
        "QUESTION_TYPES": ".questions:QUESTION_TYPES",
    },
    demo=Demo(source="gqa"),
)
