"""The words around a question: versioned, named, and part of a model's identity."""

from falter.models.prompts.examples import Example, read_examples
from falter.models.prompts.preview import Said, said_on_examples
from falter.models.prompts.prompt import Prompt, prompt_for, prompt_names
from falter.models.prompts.prompt_template import is_binary

__all__ = [
    "Example",
    "Prompt",
    "Said",
    "is_binary",
    "prompt_for",
    "prompt_names",
    "read_examples",
    "said_on_examples",
]
