"""The signature of a score: what was counted, by which rule, with which version."""

from __future__ import annotations

from falter.answers import ANSWERS_VERSION, READER_VERSION
from falter.measures.results import Group
from falter.version import __version__

__all__ = ["escape_part", "signature"]

_RESAMPLES = 1000


def signature(
    group: Group,
    *,
    n: int,
    seed: int | None,
    vqa_rule: str = "vqa-v2",
    n_resamples: int = _RESAMPLES,
    parts: tuple[str, ...] = (),
) -> str:
    """The signature; ``seed`` is None for what is not drawn.

    >>> from falter.measures.results import Group
    >>> signature(Group("carets", "rephrase"), n=19412, seed=0).replace(f"reader:{READER_VERSION}", "reader:R")
    'falter:0.1|carets:rephrase|rule:vqa-v2|answers:vqa-v2.2|reader:R|unparsed:wrong|n:19412|seed:0'
    """
    all_parts = [
        f"falter:{'.'.join(__version__.split('.')[:2])}",
        f"{_escape_name(group.suite)}:{_escape_name(group.test)}",
        *([f"{_escape_name(group.facet)}={_escape_name(group.value or '')}"] if group.facet is not None else []),
        f"rule:{vqa_rule}",
        f"answers:{ANSWERS_VERSION}",
        f"reader:{READER_VERSION}",
        "unparsed:wrong",
        *parts,
        f"n:{n}",
        *([f"seed:{seed}"] if seed is not None else []),
        *([f"draws:{n_resamples}"] if seed is not None and n_resamples != _RESAMPLES else []),
    ]
    return "|".join(all_parts)


def escape_part(text: str) -> str:
    """A text that cannot be taken for two parts."""
    return text.replace("%", "%25").replace("|", "%7C")


def _escape_name(text: str) -> str:
    return escape_part(text).replace(":", "%3A")
