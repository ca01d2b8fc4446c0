"""The question types of CARETS, Q1 to Q7, and two for tests that need special arguments."""

from falter.core.registry import Registry
from falter.suites.carets.questions.protocol import QuestionType, SceneInputs

__all__ = ["QUESTION_TYPES", "QuestionType", "SceneInputs"]

_HERE = "falter.suites.carets.questions"

QUESTION_TYPES: Registry[type[QuestionType]] = Registry(
    "question type",
    "falter.carets_question_types",
    {
        "object_verification": f"{_HERE}.object_verification:ObjectVerification",
        "ontology_verification": f"{_HERE}.object_verification:OntologyVerification",
        "paper_ontology_verification": f"{_HERE}.object_verification:PaperOntologyVerification",
        "conjunctive_verification": f"{_HERE}.object_verification:ConjunctiveVerification",
        "disjunctive_verification": f"{_HERE}.object_verification:DisjunctiveVerification",
        "attribute_verification": f"{_HERE}.attribute_verification:AttributeVerification",
        "antonym_verification": f"{_HERE}.attribute_verification:AntonymVerification",
        "object_choice": f"{_HERE}.choices:ObjectChoice",
        "attribute_choice": f"{_HERE}.choices:AttributeChoice",
        "action_choice": f"{_HERE}.choices:ActionChoice",
    },
)
