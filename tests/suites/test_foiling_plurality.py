"""What becomes of a noun phrase in the other number: quantifiers, verbs, pronouns; and what is left alone."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from falter.suites.valse.foiling.candidates import FoilCandidate, Funnel, Skipped, SourceCaption
from falter.suites.valse.foiling.caption_words import WordPairs
from falter.suites.valse.foiling.noun_phrases import Frame, NumberCompany, NumberFrames
from falter.suites.valse.foiling.plurality import UNUSUAL, Doubtful, Drawn, PluralityKnowledge, foil_plurality

pytest.importorskip("spacy", reason="parsing needs spaCy")

_PLURALS = {
    "dog": "dogs",
    "flower": "flowers",
    "helmet": "helmets",
    "man": "men",
    "woman": "women",
    "zebra": "zebras",
    "person": "people",
}


class _AllUsual(NumberFrames):
    """Frames in which every noun of the tests is usual in both numbers."""

    def __init__(self) -> None:
        super().__init__(())
        self.plurals = {noun: Counter({plural: 9}) for noun, plural in _PLURALS.items()}
        self.with_article = Counter(dict.fromkeys(_PLURALS, 9))

    def are_usual(self, frames: object, others: object, fewest: int = 2) -> bool:
        return True


_KNOWN = PluralityKnowledge(_AllUsual(), NumberCompany(()), WordPairs(()))


def foils(text: str) -> list[str]:
    """Foils of a caption, each with the quantifiers ``Q``."""
    from falter.generation.nlp.parsing import load_parser

    (parsed,) = load_parser().parse([text])
    found = []
    for one in foil_plurality(parsed, _KNOWN, "7", Random(0)):
        if isinstance(one, FoilCandidate):
            foil = one.foil
            for quantifier in ("Exactly one", "exactly one", "A single", "a single", "A number of", "a number of"):
                foil = foil.replace(quantifier, "Q")
            found.append(foil.replace("Some", "Q").replace("some", "Q"))
    return found


def reasons(text: str) -> list[str]:
    from falter.generation.nlp.parsing import load_parser

    (parsed,) = load_parser().parse([text])
    return [one.reason for one in foil_plurality(parsed, _KNOWN, "7", Random(0)) if isinstance(one, Skipped)]


@pytest.mark.parametrize(
    ("caption", "foil"),
    [
        ("A small copper vase with flowers in it.", "A small copper vase with Q flower in it."),
        ("A dog is sitting in the grass.", "Q dogs are sitting in the grass."),
        ("Two zebras were eating hay.", "Q zebra was eating hay."),
        ("There is a woman in the water.", "There are Q women in the water."),
        ("A zebra that is standing in the shade.", "Q zebras that are standing in the shade."),
        ("The dogs have been running.", "Q dog has been running."),
        ("Several people sitting on the grass.", "Q person sitting on the grass."),
        ("A dog is licking its paws.", "Q dogs are licking their paws."),
        ("A man is walking. A dog is in the grass.", "A man is walking. Q dogs are in the grass."),
        ("A man waits as a dog is swimming.", "A man waits as Q dogs are swimming."),
        ("A few zebras are in the water near a dog.", "A few zebras are in the water near Q dogs."),
    ],
)
def test_the_phrase_its_verb_and_its_pronouns_change(caption: str, foil: str) -> None:
    assert foil in foils(caption)


@pytest.mark.parametrize(
    ("caption", "reason"),
    [
        ("A dog runs in the grass.", "a verb that is neither copula nor auxiliary would change"),
        ("A man is with his dog.", "what it has would change in number as well"),
        ("A flock of zebras is in the water.", "a noun that another one counts"),
        ("Her dogs are in the grass.", "a determiner that no quantifier can replace"),
        ("The same dog is in the grass.", "a modifier that says how many, or whose"),
        ("A dog near another dog in the grass.", "a noun that the caption has twice"),
        ("A man and a woman are in the grass.", "a noun in a coordination"),
        ("Two dogs are running together.", "a word that needs several"),
        ("Two women on cellphones.", "several would share what each has"),
        (
            "A person is sitting on a surfboard.",
            "each of several would have a thing of its own, or one would have several",
        ),
        (
            "A woman is standing up with a toothbrush.",
            "each of several would have a thing of its own, or one would have several",
        ),
        ("A dog is standing alone in the grass.", "a word that needs one"),
        ("Two women after a volleyball game.", "a word that needs several"),
        (
            "A flower is being held by a woman.",
            "each of several would have a thing of its own, or one would have several",
        ),
        ("A dog is not in the grass.", "the caption denies something"),
        ("A microwave oven sitting on a granite countertop.", "a noun that another one follows"),
        ("Two women are sitting around a dog.", "a word that needs several"),
        ("Hardly a dog is in the grass.", "the caption denies something"),
        ("Few dogs are in the grass.", "the caption denies something"),
        ("A dog lies on the grass instead of the sand.", "the caption denies something"),
        ("A zebra without flowers.", "a noun of what is not there, or of a comparison"),
        ("A man dressed as a dog.", "a noun of what is not there, or of a comparison"),
        ("Some flowers that were presents.", "a noun that is said to be another"),
        ("Is a dog in the grass?", "the caption is a question"),
        ("A dog is in the grass because a man is in the water.", "the caption gives a reason"),
        ("A DOG IS IN THE GRASS.", "the caption is in capitals"),
    ],
)
def test_what_is_left_alone(caption: str, reason: str) -> None:
    assert reason in reasons(caption)


def test_a_phrase_that_begins_a_sentence_keeps_its_capital() -> None:
    from falter.generation.nlp.parsing import load_parser

    (parsed,) = load_parser().parse(["A man waits. A dog is in the grass. Zebras are in the water."])
    found = [one for one in foil_plurality(parsed, _KNOWN, "7", Random(0)) if isinstance(one, FoilCandidate)]
    begins = {one.foil[slice(*one.foil_spans[0])][0] for one in found}
    begins |= {one.caption[slice(*one.caption_spans[0])][0] for one in found}
    assert len(found) == 2 and begins <= set("ESA")


def test_one_wears_one_thing_and_several_may_wear_several() -> None:
    assert "A man in Q helmets." not in foils("A man in a helmet.")
    assert "Flowers in Q helmets." in foils("Flowers in a helmet.")


def test_frames_of_the_other_number_must_be_usual() -> None:
    frames = NumberFrames(())
    frame: Frame = ("subject", "pl", "ride", "skateboard", "sg")
    other: Frame = ("subject", "sg", "ride", "skateboard", "sg")
    frames.frames.update({frame: 2, other: 100})
    assert not frames.are_usual([frame], [other])
    frames.frames[frame] = 30
    assert frames.are_usual([frame], [other])


def test_what_captions_say_of_several_alone_is_not_said_of_one() -> None:
    from falter.generation.nlp.parsing import load_parser

    texts = [f"{who} sitting {where} a table." for who in ("Two men", "Two women") for where in ("around", "at")]
    texts += ["A man sitting at a table."] * 2
    parses = list(load_parser().parse(texts))
    known = _KNOWN._replace(company=NumberCompany((str(n), parses[n % len(parses)]) for n in range(60)))
    found = [[type(one) for one in foil_plurality(parsed, known, "7", Random(0))] for parsed in parses]
    assert [FoilCandidate in kinds for kinds in found] == [False, True, False, True, True, True]


def test_words_that_never_stand_next_to_each_other_are_doubtful() -> None:
    from falter.generation.nlp.parsing import load_parser

    texts = ["A dog near a red car.", "Two dogs near a blue car.", "A blue dog in a car."] * 10
    known = _KNOWN._replace(pairs=WordPairs((str(n), text) for n, text in enumerate(texts)))
    for parsed, reason in zip(
        load_parser().parse(["A dog near a red car.", "A red dog near a car."]), (None, UNUSUAL), strict=True
    ):
        got = [one.reason for one in foil_plurality(parsed, known, "7", Random(0)) if isinstance(one, Doubtful)]
        assert (UNUSUAL in got) == (reason == UNUSUAL)


def test_the_direction_that_lacks_pairs_has_the_choice_of_a_caption() -> None:
    drawn = Drawn(Funnel("plurality", 0), wanted=10)

    def candidate(direction: str, doubt: str = "") -> Doubtful:
        facets = {"direction": direction}
        made = FoilCandidate(
            caption="A.", foil="B.", caption_spans=(), foil_spans=(), word="", foil_word="", facets=facets
        )
        return Doubtful(made, doubt)

    one, other, doubtful = candidate("sg2pl"), candidate("pl2sg"), candidate("pl2sg", UNUSUAL)
    drawn.draw(SourceCaption("1", "1", "A."), [(one, "")])
    found = [doubtful, one, other]
    drawn.sort(found)
    assert found == [other, one, doubtful]
