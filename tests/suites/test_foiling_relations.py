"""Prepositions replaced by those that exclude them: what is tried, how it is balanced, and what the pairs are."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import falter
from falter.generation.nlp.span_ranking import AskedSpans, Gap
from falter.suites.valse.foiling import context as foiling_context
from falter.suites.valse.foiling.balance import SwapPairs
from falter.suites.valse.foiling.caption_words import WordPairs, words_of
from falter.suites.valse.foiling.preposition_spans import find_preposition_spans
from falter.suites.valse.foiling.relation_places import Placing, possible_places
from tests.nlp.wordnet_there import needs_wordnet
from tests.suites.captions import HOSTILE, write_captions

_PLACES = ("on a bench", "under a bench", "behind a bench", "in a car", "behind a car", "beside a car")
CAPTIONS = tuple(
    f"A {color} {animal} is {verb} {place}."
    for animal in ("dog", "cat")
    for verb in ("sitting", "lying")
    for place in _PLACES
    for color in ("brown", "black", "white")
)


def parse(text: str) -> list[tuple[str, str, str, str, bool]]:
    pytest.importorskip("spacy", reason="parsing needs spaCy")
    from falter.generation.nlp.parsing import load_parser

    (parsed,) = load_parser().parse([text])
    return [
        (one.words, one.governor, one.object, one.figure, one.is_particle) for one in find_preposition_spans(parsed)
    ]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("A woman is sitting on a bench.", [("on", "sit", "bench", "person", False)]),
        ("A group of zebras standing in a field.", [("in", "stand", "field", "zebra", False)]),
        ("A cat looks out of a window.", [("out of", "look", "window", "cat", False)]),
        ("A dog lies in front of a door.", [("in front of", "lie", "door", "dog", False)]),
        ("A man is looking up.", [("up", "look", "", "person", True)]),
        ("A cat that is sitting behind a door.", [("behind", "sit", "door", "cat", False)]),
        ("A dog stands behind a group of people.", [("behind", "stand", "person", "dog", False)]),
    ],
)
def test_runs_of_prepositions(text: str, spans: list[tuple[str, str, str, str, bool]]) -> None:
    assert [one for one in parse(text) if one[0] != "of"] == spans


@pytest.mark.parametrize(
    ("placing", "preposition", "other", "excludes"),
    [
        (("cat", "sit", "bench"), "under", "on", True),
        (("cat", "sit", "bench"), "under", "next to", True),
        (("cow", "stand", "tree"), "under", "next to", False),  # Who is under a tree is next to it.
        (("person", "sit", "tree"), "under", "in", True),
        (("person", "stand", "tree"), "under", "in", False),  # Nobody stands in a tree.
        (("cat", "lie", "sink"), "in", "on", False),
        (("cat", "lie", "suitcase"), "in", "on", True),
        (("person", "walk", "car"), "towards", "past", False),
        (("person", "walk", "car"), "towards", "away from", True),
        (("cat", "sit", "laptop"), "near", "on", True),
        (("cat", "sit", "laptop"), "near", "next to", False),
        (("cat", "sit", "laptop"), "in", "inside", False),
        (("person", "drive", "bus"), "behind", "next to", True),
        (("person", "drive", "bus"), "behind", "in", False),
        (("glass", "", "plate"), "next to", "on", False),
        (("fork", "", "plate"), "next to", "on", True),
        (("sign", "", "building"), "in front of", "on", True),
        (("toilet", "sit", "window"), "next to", "under", True),
        (("person", "walk", "field"), "next to", "in", True),
        (("person", "walk", "field"), "next to", "inside of", False),  # Nobody is inside of a field.
        (("person", "stand", "shore"), "on", "near", False),  # Who is on a shore is near it.
        (("person", "get", "bus"), "on", "off", True),
        (("dog", "look", "window"), "out", "into", True),
        (("salad", "sit", "plate"), "on", "next to", False),  # A salad needs a plate.
        (("banana", "lie", "plate"), "on", "next to", True),
        (("sink", "", "mirror"), "next to", "under", False),
        (("person", "stand", "mountain"), "in front of", "on", True),
        (("cow", "graze", "grass"), "next to", "on", False),  # What grazes on it is said to be in it.
        (("person", "look", "floor"), "towards", "away from", False),
    ],
)
def test_which_prepositions_exclude_each_other_by_what_is_placed(
    placing: tuple[str, str, str], preposition: str, other: str, excludes: bool
) -> None:
    assert (other in possible_places(Placing(*placing), preposition)) == excludes
    if preposition in ("in", "near", "behind", "towards", "under"):
        assert (preposition in possible_places(Placing(*placing), other)) == excludes, "the table is symmetric"


class _ByLength:
    """A ranker in the place of a language model: shorter sentences are more probable."""

    name, fingerprint = "by length", "0" * 12

    def score(self, gap: Gap, spans: Sequence[str]) -> list[float]:
        return [-0.5 * len(gap.fill(span)) for span in spans]

    def score_many(self, asked: Sequence[AskedSpans]) -> list[list[float]]:
        return [self.score(one.gap, one.spans) for one in asked]

    def proposes(self, gap: Gap, spans: Sequence[str]) -> list[bool]:
        return [True] * len(spans)


@needs_wordnet
def test_pairs_from_captions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("spacy", reason="parsing needs spaCy")
    monkeypatch.setattr(foiling_context, "load_span_ranker", lambda spec: _ByLength())
    source = write_captions(tmp_path, *CAPTIONS, *HOSTILE)
    suite = falter.generate("valse", source, out=tmp_path / "suite", instrument=("relations",), images="none")
    swaps: Counter[tuple[str, str]] = Counter()
    for probe in suite.probes():
        caption, foil = probe.items
        extra = json.loads(caption.extra or "")
        (start, end), (foil_start, foil_end) = extra["caption_spans"][0], extra["foil_spans"][0]
        assert caption.text[:start] == foil.text[:foil_start]
        assert caption.text[end:] == foil.text[foil_end:]
        assert (caption.text[start:end], foil.text[foil_start:foil_end]) == (extra["classes"], extra["classes_foil"])
        assert caption.facets["particle"] == "no"
        swaps[extra["classes"], extra["classes_foil"]] += 1
    assert swaps
    assert all(swaps[other, one] == count for (one, other), count in swaps.items())
    funnel = suite.manifest.counts["funnel"]["relations"]
    assert funnel["candidates"] == funnel["kept"] + sum(funnel["rejected"].values())
    assert suite.manifest.parameters["language_model"] == "by length 000000000000"


words = st.sampled_from(["on", "under", "in", "behind", "up", "down", "near", "beside"])


@given(st.lists(st.tuples(words, words).filter(lambda swap: swap[0] != swap[1]), max_size=300), st.integers(2, 120))
def test_swaps_are_balanced_and_none_prevails(swaps: list[tuple[str, str]], size: int) -> None:
    found: SwapPairs[tuple[int, str, str]] = SwapPairs(size)
    for number, (one, other) in enumerate(swaps):
        found.add(one, other, (number, one, other))
    kept = list(found.balanced())
    assert len(kept) == len(set(kept)) == found.total() <= size
    counts = Counter((one, other) for _, one, other in kept)
    for (one, other), count in counts.items():
        assert counts[other, one] == count
        # One pair in either direction is the least there can be.
        assert count <= max(1, 0.15 * len(kept) / 2)
    assert sorted(kept + list(found.surplus())) == sorted((n, *swap) for n, swap in enumerate(swaps))


def test_pairs_without_an_opposite_fill_up_what_is_lacking_as_long_as_words_are_distributed_alike() -> None:
    found: SwapPairs[str] = SwapPairs(120, most_share=0.6)
    for number in range(50):
        found.add("on", "under", f"on {number}")
        if number < 20:
            found.add("under", "on", f"under {number}")
        if number < 30:
            found.add("in", "outside", f"in {number}")
            found.add("outside", "in", f"outside {number}")
    assert found.total() == 100
    found.fill(most_divergence=0.05)
    kept = list(found.balanced())
    more = sum(one.startswith("on") for one in kept) - 20
    assert 0 < more < 20
    assert len(kept) == 100 + more
    assert not set(kept) & set(found.surplus())


def test_rings_of_swaps_leave_words_as_often_in_captions_as_in_foils() -> None:
    found: SwapPairs[tuple[str, str]] = SwapPairs(60, most_share=1.0)
    for word, other in (("on", "under"), ("under", "on")):
        for number in range(15):
            found.add(word, other, (word, other), f"{word} {number}")
    for word, other in (("on", "behind"), ("behind", "next to"), ("next to", "on")):
        for number in range(4):
            found.add(word, other, (word, other), f"{word} {other} {number}")
    assert found.total() == 30
    found.fill(most_divergence=0.0)
    kept = list(found.balanced())
    assert len(kept) == 30 + 12
    assert Counter(word for word, _ in kept) == Counter(other for _, other in kept)


def test_of_a_text_one_pair_is_kept_where_it_is_needed_most() -> None:
    found: SwapPairs[str] = SwapPairs(10, most_share=1.0)
    for word, other, owner in (
        ("on", "under", "a"),
        ("on", "in", "a"),
        ("on", "under", "b"),
        ("under", "on", "c"),
        ("in", "on", "d"),
    ):
        found.add(word, other, f"{owner}: {word} to {other}", owner)
    assert sorted(found.balanced()) == ["a: on to in", "b: on to under", "c: under to on", "d: in to on"]
    assert list(found.surplus()) == ["a: on to under"]


def _others(text: str) -> dict[str, set[str]]:
    """By run of prepositions what is tried in its place, where every preposition is attested."""
    pytest.importorskip("spacy", reason="parsing needs spaCy")
    from falter.generation.nlp.parsing import load_parser
    from falter.suites.valse.foiling.candidates import FoilCandidate
    from falter.suites.valse.foiling.relations import RelationAttestation, foil_relations

    attested = (
        "A dog lies in, on, under, behind, near, by or next to a box.",
        *CAPTIONS,
        "A dog is in front of a cat.",
    )
    attested += ("A dog lies near a cat.", "A dog lies next to a cat.", "A dog lies by a cat.")
    parsed, *rest = load_parser().parse([text, *attested])
    known = RelationAttestation((str(number), one) for number, one in enumerate(rest))
    found: dict[str, set[str]] = {}
    for one in foil_relations(parsed, known, "image"):
        if isinstance(one, FoilCandidate):
            found.setdefault(one.word, set()).add(one.foil_word)
    return found


def test_a_place_is_kept_where_another_phrase_says_more_of_it() -> None:
    assert "behind" in _others("A man is sitting in a bus.")["in"]
    assert "in" not in _others("A man is sitting in a bus by the window.")


def test_what_is_overhead_does_not_depend_on_what_one_is_on() -> None:
    assert "next to" in _others("A woman is sitting on a beach under an umbrella.")["under"]
    assert "under" not in _others("A cat is sitting on a towel under a chair.")


@pytest.mark.parametrize("caption", ["{} on a bench.", "There is {} that is lying on a bench."])
def test_denials_and_questions_have_no_foils(caption: str) -> None:
    assert "under" in _others(caption.format("a dog"))["on"]
    assert not _others(caption.format("no dog"))
    assert not _others(f"{caption.format('a dog').rstrip('.')}?")


@pytest.mark.parametrize(
    "caption", ["Hardly a dog is on a bench.", "Only a dog is on a bench.", "A dog is on a bench instead of a box."]
)
def test_words_that_deny_without_a_no_have_no_foils_either(caption: str) -> None:
    assert not _others(caption)


def test_a_caption_that_nobody_would_say_is_not_foiled() -> None:
    assert "near" in _others("A dog is lying on a beach.")["on"]
    assert not _others("A dog is lying on top of a beach.")


def test_birds_do_not_perch_under_a_tree() -> None:
    assert "under" in _others("A bird that is sitting in a tree.")["in"]
    assert "under" not in _others("A bird that is perched in a tree.").get("in", ())


def test_who_walks_under_an_umbrella_holds_it() -> None:
    assert "next to" in _others("A woman is standing under an umbrella.")["under"]
    assert "next to" not in _others("A woman is walking under an umbrella.").get("under", set())


def test_who_eats_on_a_blanket_is_not_under_it() -> None:
    assert "under" in _others("A person is sitting on a blanket.")["on"]
    assert "under" not in _others("A person is sitting on a blanket eating.").get("on", set())


def test_stuffed_animals_and_hot_dogs_are_no_animals() -> None:
    assert parse("A stuffed bear is sitting on a bench.")[0][3] == "toy"
    assert parse("A hot dog is lying on a plate.")[0][3] == "hotdog"
    assert parse("A brown bear is sitting on a bench.")[0][3] == "bear"


def test_two_words_of_grammar_that_hardly_any_caption_has_are_a_slip() -> None:
    captions = [f"A dog is in a car on the way to a park, and he runs to the man {number}." for number in range(60)]
    pairs = WordPairs((str(number), text) for number, text in enumerate(captions))
    assert pairs.find_slip(words_of("A dog is in in a car.")) == "in in"
    assert pairs.find_slip(words_of("A dog is in a car on the way to he runs.")) == "to he"
    assert pairs.find_slip(words_of(captions[0])) is None


@needs_wordnet
def test_captions_with_a_slip_are_found() -> None:
    pytest.importorskip("spacy", reason="parsing needs spaCy")
    from falter.generation.nlp import load_wordnet
    from falter.generation.nlp.parsing import load_parser
    from falter.suites.valse.foiling.caption_words import CaptionSlips

    texts = [
        "A cat is sitting on a mat.",
        "A cat is siting on a mat.",
        "A bethroom with a sink.",
        "Some selfies.",
        "A man on skiis.",
    ]
    texts += [f"A dog is sitting on bed {number}, with selfies and skis." for number in range(120)]
    parses = list(load_parser().parse(texts))
    slips = CaptionSlips(((str(number), parsed) for number, parsed in enumerate(parses)), load_wordnet())
    assert [slips.find(parsed) for parsed in parses[:6]] == [None, "siting", "bethroom", None, "skiis", None]
