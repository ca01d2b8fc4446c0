"""The question types of CARETS, Q1 to Q7, and two for tests that need special arguments."""

from falter.registry import Registry
from falter.suites.carets.types.protocol import Material, QuestionType

__all__ = ["TYPES", "Material", "QuestionType"]

_HERE = "falter.suites.carets.types"

TYPES: Registry[type[QuestionType]] = Registry(
    "question type",
    "falter.question_types",
    {
        "object_verification": f"{_HERE}.existence:ObjectVerification",
        "ontology_verification": f"{_HERE}.existence:OntologyVerification",
        "conjunctive_verification": f"{_HERE}.pairs:ConjunctiveVerification",
        "disjunctive_verification": f"{_HERE}.pairs:DisjunctiveVerification",
        "attribute_verification": f"{_HERE}.attributes:AttributeVerification",
        "antonym_verification": f"{_HERE}.attributes:AntonymVerification",
        "object_choice": f"{_HERE}.choices:ObjectChoice",
        "attribute_choice": f"{_HERE}.choices:AttributeChoice",
        "action_choice": f"{_HERE}.choices:ActionChoice",
    },
)
