"""Actions: sentences from frames, other verbs, inverted fillers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import falter
from falter.data.suite import Suite
from falter.generation.nlp import load_wordnet
from falter.generation.nlp.span_ranking import AskedSpans, Gap
from falter.suites.valse.foiling import context as foiling_context
from falter.suites.valse.foiling.actions import are_exclusive
from falter.suites.valse.foiling.situations import SituationPattern, read_abstract
from falter.world.compose import compose
from falter.world.write_swig import situation_space, swig_record
from tests.nlp.wordnet_there import needs_wordnet

pytestmark = needs_wordnet


class _Ranker:
    """In the place of a language model: what it is told to find improbable, and longer sentences, have lower scores."""

    name, fingerprint = "ranker", "1" * 12
    improbable: tuple[str, ...] = ()

    def score(self, gap: Gap, spans: Sequence[str]) -> list[float]:
        texts = [gap.fill(span) for span in spans]
        return [-float(len(text.split())) - 200 * any(one in text for one in self.improbable) for text in texts]

    def score_many(self, asked: Sequence[AskedSpans]) -> list[list[float]]:
        return [self.score(one.gap, one.spans) for one in asked]

    def proposes(self, gap: Gap, spans: Sequence[str]) -> list[bool]:
        return [True] * len(spans)


@pytest.fixture(autouse=True, scope="module")
def ranker() -> Iterator[_Ranker]:
    found = _Ranker()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(foiling_context, "load_span_ranker", lambda spec: found)
        yield found


MAN, WOMAN, PERSON, CHILD = "n10287213", "n10787470", "n00007846", "n09917593"
CART, BOX, DOG = "n03484083", "n02883344", "n02084071"
CAT, RABBIT, HARE, SHEEP = "n02121620", "n02324045", "n02326432", "n02411705"
VERBS = {
    "shouting": "the AGENT shouts at an ADDRESSEE at a PLACE",
    "talking": "the AGENT talks to a LISTENER at a PLACE",
    "pushing": "AGENT pushing ITEM at PLACE",
    "pulling": "AGENT pulled ITEM with TOOL at PLACE",
    "lifting": "AGENT lifts ITEM at PLACE",
    "tilting": "AGENT tilts their AGENTPART at PLACE",
    "snowing": "snows at PLACE",
    "chasing": "the AGENT chases a CHASEE at a PLACE",
    "jumping": "the AGENT jumps over an OBSTACLE at a PLACE",
}


def situation(verb: str, *fillers: tuple[str, str]) -> dict[str, Any]:
    role = {"shouting": "addressee", "talking": "listener", "chasing": "chasee", "jumping": "obstacle"}.get(
        verb, "item"
    )
    return {"verb": verb, "frames": [{"agent": agent, role: other, "place": ""} for agent, other in fillers]}


def generate(folder: Path, test: str, *records: dict[str, Any]) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    folder.mkdir(exist_ok=True)
    (folder / "dev.json").write_text(json.dumps({f"{number}.jpg": one for number, one in enumerate(records)}))
    (folder / "imsitu_space.json").write_text(
        json.dumps({"verbs": {verb: {"abstract": VERBS[verb]} for verb in VERBS}})
    )
    suite = falter.generate("valse", f"swig:{folder}", out=folder / test, instrument=(test,), images="none")
    return sorted((one.items[0].text, one.items[1].text) for one in suite.probes()), suite.manifest.counts["funnel"][
        test
    ]


@pytest.mark.parametrize(
    ("verb", "abstract", "nouns", "sentence"),
    [
        (
            "drinking",
            "the AGENT drinks a LIQUID from a CONTAINER at a PLACE",
            ("woman", "water"),
            "A woman drinks water.",
        ),
        ("tattooing", "AGENT tattooed TARGET with TOOL at PLACE", ("artist", "arm"), "An artist tattoos an arm."),
        ("begging", "AGENT begging GIVER for ITEM at PLACE", ("people", "man"), "Some people beg a man."),
        ("glaring", "AGENT glares at PERCEIVER at PLACE", ("owl", "people"), "An owl glares at some people."),
        ("clinging", "AGENT cilngs to CLUNGTO at PLACE", ("boy", "rope"), "A boy clings to a rope."),
    ],
)
def test_a_frame_is_said_through_the_abstract(verb: str, abstract: str, nouns: tuple[str, str], sentence: str) -> None:
    pattern = read_abstract(verb, abstract, load_wordnet())
    assert isinstance(pattern, SituationPattern)
    written = pattern.write(*nouns)
    assert written.text == sentence
    assert written.text[slice(*written.agent)].lower().endswith(nouns[0])
    assert written.text[slice(*written.other)].endswith(nouns[1])
    assert written.text[slice(*written.verb)] == sentence.removesuffix(".")[written.agent[1] + 1 : written.other[0] - 1]


def test_abstracts_that_say_no_two_roles() -> None:
    wordnet = load_wordnet()
    reasons = {verb: read_abstract(verb, VERBS[verb], wordnet) for verb in ("tilting", "snowing")}
    assert reasons == {
        "tilting": "the other role is a part of the agent",
        "snowing": "the abstract of the verb does not begin with a role",
    }
    assert read_abstract("x", "", wordnet) == "the abstract of the verb does not begin with a role"
    assert read_abstract("zzorbing", "AGENT zzorbs ITEM", wordnet) == "WordNet does not have the verb"


def test_fillers_change_their_roles_where_that_is_false_and_possible(tmp_path: Path) -> None:
    pairs, funnel = generate(
        tmp_path / "x",
        "actant-swap",
        situation("shouting", (MAN, WOMAN), (MAN, WOMAN), (PERSON, WOMAN)),
        situation("shouting", (MAN, PERSON), (MAN, PERSON), (MAN, PERSON)),
        situation("shouting", (MAN, MAN), (MAN, MAN), (MAN, MAN)),
        situation("talking", (MAN, WOMAN), (MAN, WOMAN), (MAN, WOMAN)),
        situation("shouting", (MAN, WOMAN), (WOMAN, MAN), (CHILD, DOG)),
        situation("shouting", (WOMAN, ""), (WOMAN, ""), (WOMAN, "")),
        situation("pushing", (MAN, CART), (MAN, CART), (MAN, CART)),
        situation("snowing", (MAN, CART)),
        situation("lifting", ("n99999999", CART)),
        situation("lifting", (MAN, "n00002684")),
    )
    assert pairs == [("A man shouts at a woman.", "A woman shouts at a man.")]
    assert funnel["captions"] == 10
    assert funnel["skipped"] == {
        "the fillers are the same, or one is a kind of the other": 2,
        "what two do to each other": 1,
        "annotators do not agree on what fills a role": 1,
        "a role is not filled": 1,
        "the abstract of the verb does not begin with a role": 1,
        "a synset has no noun": 1,
        "a filler says too little": 1,
    }
    assert funnel["rejected"] == {"the source has no such filler in the other role": 1}


def test_what_hardly_anybody_does_is_neither_caption_nor_foil(tmp_path: Path) -> None:
    pairs, funnel = generate(
        tmp_path / "swap",
        "actant-swap",
        situation("chasing", (DOG, CAT)),
        situation("chasing", (CAT, DOG)),
        situation("chasing", (CAT, RABBIT)),
        situation("chasing", (CAT, MAN)),
        situation("chasing", (MAN, CAT)),
        situation("chasing", (MAN, DOG)),
        situation("chasing", (DOG, MAN)),
        situation("chasing", (HARE, DOG)),
        situation("chasing", (RABBIT, SHEEP)),
        situation("jumping", (MAN, DOG)),
        situation("jumping", (MAN, BOX)),
        situation("jumping", (RABBIT, CAT)),
        situation("jumping", (DOG, CAT)),
    )
    assert pairs == [
        ("A cat chases a dog.", "A dog chases a cat."),
        ("A dog chases a cat.", "A cat chases a dog."),
        ("A dog chases a man.", "A man chases a dog."),
        ("A man chases a dog.", "A dog chases a man."),
    ]
    unlikely = "hardly anybody does that to such a thing"
    assert funnel["skipped"][unlikely] == 4
    assert funnel["rejected"][f"{unlikely} the other way round"] == 2
    pairs, _ = generate(
        tmp_path / "verbs",
        "action-replacement",
        situation("chasing", (MAN, DOG)),
        situation("jumping", (DOG, DOG)),
        situation("chasing", (DOG, CAT)),
        situation("jumping", (DOG, CAT)),
        situation("jumping", (MAN, BOX)),
    )
    # A man may chase and jump, and dogs are chased and jumped over, but not by him.
    assert pairs == [
        ("A dog chases a cat.", "A dog jumps over a cat."),
        ("A dog jumps over a cat.", "A dog chases a cat."),
    ]


def test_situations_that_are_each_others_foils_come_first(tmp_path: Path) -> None:
    records = [
        situation("shouting", fillers) for fillers in [(MAN, CHILD)] * 4 + [(MAN, WOMAN)] * 2 + [(WOMAN, MAN)] * 2
    ]
    generate(tmp_path / "x", "actant-swap", *records)
    source, test = f"swig:{tmp_path / 'x'}", ("actant-swap",)
    suite = falter.generate("valse", source, out=tmp_path / "y", instrument=test, images="none", size=4)
    assert Counter(probe.original.text for probe in suite.probes()) == {
        "A man shouts at a woman.": 2,
        "A woman shouts at a man.": 2,
    }


def test_verbs_are_replaced_by_others_that_the_nouns_have(tmp_path: Path) -> None:
    pairs, _ = generate(
        tmp_path / "x",
        "action-replacement",
        *(situation("pushing", (MAN, one)) for one in (CART, BOX)),
        situation("pulling", (WOMAN, CART)),
        situation("shouting", (MAN, DOG)),
        situation("lifting", (MAN, BOX)),
    )
    # Who pushes a box may lift it; pushing is the opposite of pulling.
    assert pairs == [
        ("A man pushes a handcart.", "A man pulls a handcart."),
        ("A woman pulls a handcart.", "A woman pushes a handcart."),
    ]


def test_who_pushes_somebody_may_follow_him() -> None:
    wordnet = load_wordnet()
    assert not are_exclusive(wordnet, "push", "follow")
    assert are_exclusive(wordnet, "push", "pull")
    assert are_exclusive(wordnet, "hug", "follow")


def test_a_language_model_chooses_the_form_and_the_verbs(tmp_path: Path, ranker: _Ranker) -> None:
    records = [
        situation(verb, (MAN, CART)) for verb in ("pushing", "pulling", "pushing", "pulling", "shouting", "shouting")
    ]
    ranker.improbable = ("pushes", "pulls")
    try:
        pairs, _ = generate(tmp_path / "form", "action-replacement", *records)
        assert {caption for caption, _ in pairs} == {"A man is pushing a handcart.", "A man is pulling a handcart."}
        ranker.improbable = ("pull",)
        # A sentence that is itself improbable is not said, and an improbable verb is no foil.
        pairs, funnel = generate(tmp_path / "verbs", "action-replacement", *records)
        assert {word for pair in pairs for text in pair for word in text.split()}.isdisjoint(("pulls", "pulling"))
        assert funnel["rejected"]["the sentence is not natural enough"] == 2
    finally:
        ranker.improbable = ()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    folder = tmp_path_factory.mktemp("world")
    records = {f"{index}.jpg": swig_record(compose(0, index), 0) for index in range(250)}
    (folder / "swig_train.json").write_text(json.dumps({name: one for name, one in records.items() if one is not None}))
    (folder / "imsitu_space.json").write_text(json.dumps(situation_space()))
    return falter.generate("valse", f"swig:{folder}", out=folder / "suite", images="none")


def test_the_world_has_both_instruments_and_verbs_are_balanced(world: Suite) -> None:
    assert set(world.manifest.counts["tests"]) == {"action-replacement", "actant-swap"}
    replaced = [
        json.loads(one.original.extra or "") for one in world.probes() if one.original.test == "action-replacement"
    ]
    assert len(replaced) > 30
    assert Counter(one["classes"] for one in replaced) == Counter(one["classes_foil"] for one in replaced)
    swapped = [one for one in world.probes() if one.original.test == "actant-swap"]
    assert len(swapped) > 8
    for one in swapped:
        caption, foil = (item.text.lower().rstrip(".").split() for item in one.items)
        assert sorted(caption) == sorted(foil)
        assert caption != foil


def test_the_world_writes_thirty_verbs_with_two_roles() -> None:
    space = situation_space()
    patterns = [read_abstract(verb, one["abstract"], load_wordnet()) for verb, one in space["verbs"].items()]
    assert len(patterns) >= 30
    assert all(isinstance(one, SituationPattern) for one in patterns)
    for synset, noun in space["nouns"].items():
        sense: Any = load_wordnet().sense_by_id(synset)
        assert sense is not None, noun
        names = {str(name).replace("_", " ").lower() for name in sense.lemma_names()}
        assert noun["gloss"][0] in names
