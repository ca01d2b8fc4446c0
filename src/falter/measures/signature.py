"""The signature of a score: what was counted, by which rule, with which version."""

from __future__ import annotations

from falter.answers import ANSWERS_VERSION
from falter.measures.score import Group
from falter.version import __version__

__all__ = ["signature"]

DRAWS = 1000


def signature(
    group: Group, *, n: int, seed: int | None, rule: str = "vqa-v2", draws: int = DRAWS, extra: tuple[str, ...] = ()
) -> str:
    """The signature; ``seed`` is None for what is not drawn.

    >>> from falter.measures.score import Group
    >>> signature(Group("carets", "rephrase"), n=19412, seed=0).replace(ANSWERS_VERSION, "V")
    'falter:0.1|carets:rephrase|rule:vqa-v2|answers:V|unparsed:wrong|n:19412|seed:0'
    """
    parts = [
        f"falter:{'.'.join(__version__.split('.')[:2])}",
        f"{_plain(group.suite)}:{_plain(group.test)}",
        *([f"{_plain(group.facet)}={_plain(group.value or '')}"] if group.facet is not None else []),
        f"rule:{rule}",
        f"answers:{ANSWERS_VERSION}",
        "unparsed:wrong",
        *extra,
        f"n:{n}",
        *([f"seed:{seed}"] if seed is not None else []),
        *([f"draws:{draws}"] if seed is not None and draws != DRAWS else []),
    ]
    return "|".join(parts)


def _plain(text: str) -> str:
    """A name that cannot be taken for two parts."""
    return text.replace("%", "%25").replace("|", "%7C").replace(":", "%3A")
