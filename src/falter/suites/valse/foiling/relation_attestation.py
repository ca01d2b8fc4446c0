"""Which prepositions the captions of a source have, before which nouns, and of which images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from falter.nlp.parsing import ParsedText
from falter.suites.valse.foiling.preposition_spans import PrepositionSpan, find_preposition_spans
from falter.suites.valse.foiling.relation_places import place_of

__all__ = ["RelationAttestation"]


class RelationAttestation:
    """Counts over the captions of a source: the attested list, and what other captions of an image say."""

    def __init__(self, captions: Iterable[tuple[str, ParsedText]]) -> None:
        self.spans: Counter[str] = Counter()
        """Every run of prepositions, by how many captions have it."""
        self._before: Counter[tuple[str, str]] = Counter()
        self._of_image: dict[str, set[tuple[str, str]]] = {}
        for image_id, parsed in captions:
            for span in find_preposition_spans(parsed):
                self.spans[span.words] += 1
                self._before[span.words, span.object] += 1
                self._of_image.setdefault(image_id, set()).add((_place(span.words), span.object))

    def is_told(self, image_id: str, preposition: str, noun: str) -> bool:
        """Whether a caption of the image says this place, in the same words or in others that mean it."""
        return (_place(preposition), noun) in self._of_image.get(image_id, ())

    def usual_first(self, span: PrepositionSpan, prepositions: Iterable[str]) -> list[str]:
        """Those that captions have, the ones that stand most often before the span's noun first."""
        known = [one for one in prepositions if self.spans[one]]
        return sorted(known, key=lambda one: (-self._before[one, span.object], -self.spans[one], one))


def _place(preposition: str) -> str:
    return place_of(preposition) or preposition
