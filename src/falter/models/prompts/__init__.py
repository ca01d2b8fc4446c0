"""Prompts: named and versioned templates around a question, part of a model's fingerprint."""

from falter.models.prompts.examples import FewShotExample, read_examples
from falter.models.prompts.preview import PromptPreview, preview_prompt
from falter.models.prompts.prompt import Prompt, load_prompt, prompt_names
from falter.models.prompts.prompt_template import is_binary

__all__ = [
    "FewShotExample",
    "Prompt",
    "PromptPreview",
    "is_binary",
    "load_prompt",
    "preview_prompt",
    "prompt_names",
    "read_examples",
]
