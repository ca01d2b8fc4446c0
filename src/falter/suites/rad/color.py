"""``color``: "What color is the blender?" becomes "Is the color of the blender white?"."""

from __future__ import annotations

import re
from functools import lru_cache

from falter.english import default_grammar
from falter.suites.rad.augmentation import ReadQuestion

__all__ = ["ColorAugmentation"]

_QUESTION = re.compile(r"what colou?r (?:is|are) the (?P<subject>[^?]*[^?\s.])[\s?.]*", re.IGNORECASE)
_LINKS = frozenset({"and", "with", "light", "dark", "bright", "pale", "deep", "neon", "hot", "navy", "off", "sky", "&"})
_ENDING_VERB = re.compile(r" (?:is|are|was|were|has|have)$", re.IGNORECASE)


class ColorAugmentation:
    """Questions for the color of something that is named with "the"."""

    name = "color"

    def has_form(self, question: str) -> bool:
        return question.lower().startswith("what color is the ")

    def read(self, question: str) -> ReadQuestion | None:
        found = _QUESTION.fullmatch(" ".join(question.split()))
        if found is None:
            return None
        subject = found["subject"]
        # "What color is the car that the man is?" leaves a verb without its end.
        if _ENDING_VERB.search(subject):
            return None
        return ReadQuestion(subject.lower(), lambda answer: f"Is the color of the {subject} {answer}?")

    def is_answer(self, answer: str) -> bool:
        words = re.split(r"[\s,/-]+", answer.lower())
        colors = _colors()
        return any(word in colors for word in words) and all(word in colors or word in _LINKS for word in words)

    def read_back(self, variant: str, original: str) -> tuple[str, ...]:
        found = _QUESTION.fullmatch(" ".join(original.split()))
        start = "" if found is None else f"Is the color of the {found['subject']} "
        fits = start and variant.startswith(start) and variant.endswith("?")
        return (variant[len(start) : -1],) if fits else ()


@lru_cache(maxsize=1)
def _colors() -> frozenset[str]:
    values = default_grammar().ontology.families["color"].values
    return frozenset(word for value in values for word in value.split() if word not in ("and", "colored")) | {
        "grey", "multicolored", "clear", "brunette", "blonde",
    }  # fmt: skip
