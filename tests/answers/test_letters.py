"""Letters as choices, letters in choices, and the conclusions of texts that weigh several choices."""

from __future__ import annotations

import pytest

from falter.data.items import YES_NO
from falter.evaluation.answers import parse_answer

LETTERS = ("A", "B", "C", "D")
BRACKETS = ("(A)", "(B)", "(C)", "(D)")
TWO = ("A", "B")
POINTS = ("Point A", "Point B", "Point C", "Point D")
DEPTH = ("A is closer", "B is closer")
DARKER = ("A is darker", "B is darker", "About the same")
IMAGES = ("the second image", "the third image")
SIDES = ("left", "right")
MIA = ("Mia will give up the chance to study abroad.", "Mia will go abroad next year.")
COATS = ("a man in a brown coat and a hat", "a woman in a red dress")
ANIMALS = ("dog", "cat", "horse")

WEIGHED = (
    "Point A is on the floor. Point B is on a pew. Point D is too high.\n\n"
    "Point C, however, is on the same banner. Therefore, the correct answer is:\n\n(C) Point C"
)
LISTED = (
    "The options are:\n(A) the second image\n(B) the third image\n\n"
    "Therefore, the most similar image is:\n(A) the second image"
)

READ = [
    ("Point A is closer to the camera than point B.", TWO, "A"),
    ("Point B is closer to the camera than point A.", TWO, "B"),
    ("Based on the image, point A is closer to the camera.", TWO, "A"),
    ("Box A fits the plate more tightly compared to box B.", TWO, "A"),
    ("The closer point is point B.", TWO, "B"),
    ("A", LETTERS, "A"),
    ("Point A", LETTERS, "A"),
    ("(A) Point A", LETTERS, "A"),
    ("Letter C", LETTERS, "C"),
    ("The image presents (A).", LETTERS, "A"),
    ("A. Mia will give up the chance", LETTERS, "A"),
    ("(A) a man in a brown coat", LETTERS, "A"),
    ("The answer is not A, so D.", LETTERS, "D"),
    ('The point labeled with "REF" corresponds to point "C" in the second image.', LETTERS, "C"),
    ("(C) About the same.\n\nBoth points A and B lie on the wall. The correct answer is about the same.", LETTERS, "C"),
    (WEIGHED, LETTERS, "C"),
    (WEIGHED, POINTS, "Point C"),
    (WEIGHED, BRACKETS, "(C)"),
    (LISTED, TWO, "A"),
    (LISTED, IMAGES, "the second image"),
    ("(B) B is closer", DEPTH, "B is closer"),
    ("Point B is closer than point A.", DEPTH, "B is closer"),
    ("B", DARKER, "B is darker"),
    ("(C) About the same", DARKER, "About the same"),
    ("The second one is most similar to the first one.", IMAGES, "the second image"),
    (
        "The third image is most similar to the first one. Both show a watch, whereas the second image shows a ring.",
        IMAGES,
        "the third image",
    ),
    ("Right, it's on the left.", SIDES, "left"),
    ("Right.", SIDES, "right"),
    ("The object is on the left side. So the correct answer is:\n(B) right", SIDES, "right"),
    ("The camera is moving to the right. This can be seen from the mug, which is on the left.", SIDES, "right"),
    ("(A) yes", YES_NO, "yes"),
    ("(B)", YES_NO, "no"),
    ("The answer is (B).", YES_NO, "no"),
    ("A. Mia will give up the chance", MIA, MIA[0]),
    ("(A) a man in a brown coat", COATS, COATS[0]),
    ("The image presents (B).", COATS, COATS[1]),
    ("Letter C", ANIMALS, "horse"),
    ("It's not A or C, so it must be B.", ANIMALS, "cat"),
    ("C, because it has a mane.", ANIMALS, "horse"),
    ("It is difficult to determine from afar. So the answer is (B) cat.", ANIMALS, "cat"),
]


@pytest.mark.parametrize(("text", "choices", "answer"), READ)
def test_reads_the_choice(text: str, choices: tuple[str, ...], answer: str) -> None:
    assert parse_answer(text, choices) == ("choice", answer)


UNREAD = [
    ("A or B", TWO),
    ("A/B", TWO),
    ("Both A and B", TWO),
    ("A man is riding a horse.", LETTERS),
    ("A good question.", LETTERS),
    ("Not A.", TWO),
    ("Point A is less close to the camera than point B, or is it?", TWO),
    ("I would say:\n(A) the second image\n(B) the third image", IMAGES),
    ("Please choose from:\n(A) picture A\n(B) picture B", TWO),
    ("So the answer is (A). Thus the answer is (B).", TWO),
    ("The answer is (A). However, without further information it is impossible to say.", TWO),
    ("The second and third images are equally similar.", IMAGES),
    ("(A) B is closer", DEPTH),
]


@pytest.mark.parametrize(("text", "choices"), UNREAD)
def test_leaves_what_is_not_decided(text: str, choices: tuple[str, ...]) -> None:
    assert parse_answer(text, choices) == ("unparsed", None)


@pytest.mark.parametrize(
    "text",
    [
        "(a) " * 50_000,
        "therefore, (b) the first one. " * 8_000,
        ":\n" * 50_000,
        "point a, so " * 20_000,
        " " * 90_000 + ";",
    ],
)
@pytest.mark.parametrize("choices", [LETTERS, YES_NO, IMAGES])
def test_huge_texts_are_read_in_bounded_time(text: str, choices: tuple[str, ...]) -> None:
    assert parse_answer(text, choices).kind in ("choice", "off_list", "unparsed")
