"""Open answers: made-up replies that a careful person calls correct, and replies that nobody should."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falter.answers.open_answers import find_oddity, given_answer, is_careful_match, is_exact_match

CORRECT = [
    ("On which side of the picture is the cup?", "right", "Right side"),
    ("On which side of the picture is the cup?", "right", "the right-hand side"),
    ("On which side of the picture is the cup?", "left", "It is on the left side of the image."),
    ("On which side of the picture is the cup?", "left", "The cup is on the left."),
    ("On which side of the picture is the cup?", "left", "On the left-hand side of the picture"),
    ("On which side of the picture is the cup?", "left", "**Left**"),
    ("On which side of the picture is the cup?", "left", '```json\n{"answer": "left"}\n```'),
    ("On which side of the picture is the cup?", "left", "{'answer': 'left'}"),
    ("On which side of the picture is the cup?", "left", "Answer: left"),
    ("On which side of the picture is the cup?", "left", "The answer is left."),
    ("What is the man holding?", "rope", "The man is holding a rope."),
    ("What is the man holding?", "rope", "A rope"),
    ("What is the man holding?", "rope", "He is holding a rope"),
    ("What is the man holding?", "rope", "ropes"),
    ("What is the man holding?", "rope", "holding a rope"),
    ("What is the man holding?", "cell phone", "cellphone"),
    ("What is the man holding?", "umbrella", "An umbrella."),
    ("What is the man holding?", "tennis racket", "tennis racquet"),
    ("What color is the car?", "gray", "Grey"),
    ("What color is the car?", "gray", "The car is grey."),
    ("What color is the car?", "black and white", "white and black"),
    ("What color is the car?", "black and white", "black/white"),
    ("What color is the car?", "cream colored", "cream"),
    ("What color is the car?", "orange", "orange color"),
    ("What color is the car?", "silver", "silver-colored"),
    ("How many dogs are there?", "2", "two"),
    ("How many dogs are there?", "2", "Two dogs"),
    ("How many dogs are there?", "2", "There are two dogs."),
    ("How many dogs are there?", "2", "2."),
    ("How many dogs are there?", "0", "none"),
    ("How many people are in the picture?", "12", "twelve people"),
    ("How many people?", "21", "twenty-one"),
    ("Are there mugs?", "no", "No mugs"),
    ("Do you see any mugs on the table?", "no", "No mugs."),
    ("Are there any mugs or cups?", "no", "Neither."),
    ("Are there any cats in the image?", "no", "There are no cats in the image."),
    ("Are there any cats in the image?", "yes", "There is a cat in the image."),
    ("Is the man wearing a hat?", "no", "The man is not wearing a hat."),
    ("Is the man wearing a hat?", "yes", "The man is wearing a hat."),
    ("Is the door open?", "no", "The door is closed."),
    ("Is the door open?", "no", "closed"),
    ("Is the shirt red?", "no", "The shirt is blue."),
    ("Is the shirt red?", "no", "It is blue."),
    ("Is the shirt red?", "yes", "The shirt is red."),
    ("Is the cup to the left of the plate?", "no", "to the right"),
    ("Is the cup to the left of the plate?", "no", "No, it is to the right."),
    ("Is it indoors?", "no", "Outdoors"),
    ("Do the shirt and the hat have the same color?", "no", "different colors"),
    ("Do the shirt and the hat have the same color?", "yes", "same color"),
    ("Is there a cat or a dog?", "yes", "a dog"),
    ("Is there a cat or a dog?", "yes", "Yes, there is a dog."),
    ("Is there a cat or a dog?", "no", "no cat or dog"),
    ("Is there a cat or a dog?", "no", "There is no cat or dog."),
    ("Are there both cats and dogs?", "no", "only cats"),
    ("Are there both cats and dogs?", "no", "There are only cats."),
    ("Are there both cats and dogs?", "no", "cats, but no dogs"),
    ("Are there both cats and dogs?", "yes", "both"),
    ("What is it made of?", "wood", "wooden"),
    ("What is it made of?", "wood", "It is made of wood."),
    ("What is the table made of?", "wood", "Made of wood"),
    ("What is it?", "sofa", "couch"),
    ("What is it?", "television", "TV"),
    ("What is it?", "airplane", "aeroplane"),
    ("What is it?", "donut", "doughnuts"),
    ("Where is the man?", "beach", "at the beach"),
    ("Where is the man?", "beach", "The man is on the beach."),
    ("What shape is it?", "round", "circular"),
    ("Is it a cat or a dog?", "dog", "It is a dog."),
    ("Is the shirt red or blue?", "red", "The shirt is red."),
    ("Which is bigger, the cat or the dog?", "dog", "the dog"),
    ("What is on the plate?", "french fries", "fries"),
    ("Who is wearing a hat?", "woman", "the lady"),
    ("Is the man tall?", "yes", "Yes."),
    ("Is the man tall?", "yes", "yes he is"),
    ("Is the man tall?", "yes", '{"answer": "Yes, he is tall"}'),
    ("Is the man tall?", "no", "No, he is short"),
    ("What is the man doing?", "skateboarding", "He is skateboarding."),
    ("What is the man doing?", "surfing", "The man is surfing"),
    ("What is in the picture?", "t-shirt", "T shirt"),
    ("What animal is this?", "sheep", "Sheep"),
    ("What fruit is it?", "strawberry", "strawberries"),
    ("What are they?", "knife", "knives"),
    ("What time of day is it?", "night", "nighttime"),
    ("What sport is this?", "tennis", "They are playing tennis."),
]
INCORRECT = [
    ("On which side of the picture is the cup?", "right", "left and right"),
    ("On which side of the picture is the cup?", "right", "both sides"),
    ("On which side of the picture is the cup?", "right", "left or right"),
    ("On which side of the picture is the cup?", "right", "right or left"),
    ("On which side of the picture is the cup?", "right", "center right"),
    ("On which side of the picture is the cup?", "right", "not right"),
    ("On which side of the picture is the cup?", "right", "Not the right side"),
    ("On which side of the picture is the cup?", "left", "It is not on the left."),
    ("What is the man holding?", "dog", "hot dog"),
    ("What is the man holding?", "hot dog", "dog"),
    ("What is the man holding?", "ball", "tennis balloon"),
    ("What is the man holding?", "rope", "rope and ball"),
    ("What is the man holding?", "rope", "rope, ball"),
    ("What is the man holding?", "rope", "maybe a rope"),
    ("What is the man holding?", "rope", "probably a rope"),
    ("What is the man holding?", "rope", "a rope or a string"),
    ("What is the man holding?", "rope", "not a rope"),
    ("What is the man holding?", "rope", "no rope"),
    ("What is the man holding?", "glasses", "glass"),
    ("What is it made of?", "glass", "glasses"),
    ("What is the man wearing?", "glass", "glasses"),
    ("What color is the car?", "orange", "oranges"),
    ("What color is the car?", "blue", "not blue"),
    ("What color is the car?", "white", "black and white"),
    ("What color is the car?", "black and white", "black"),
    ("What color is the car?", "blue", "light blue or gray"),
    ("Is that a seagull or a bird?", "seagull", "bird"),
    ("Is that a seagull or a bird?", "bird", "gull"),
    ("Is it a sofa or a couch?", "sofa", "couch"),
    ("Is it a cat or a dog?", "dog", "The cat is a dog or a cat"),
    ("Is the man tall?", "no", "Not sure"),
    ("Is the man tall?", "no", "not visible"),
    ("Is the man tall?", "no", "unknown"),
    ("Is the man tall?", "no", "No idea"),
    ("Is the man tall?", "no", "Cannot determine"),
    ("Is the man tall?", "yes", "Maybe yes"),
    ("Is the man tall?", "yes", "yes and no"),
    ("Is the man tall?", "yes", "probably"),
    ("Is the man tall?", "no", "None"),
    ("Is the man tall?", "no", "N/A"),
    ("Is the man tall?", "no", "No man"),
    ("Is there a cat or a dog?", "no", "no cat"),
    ("Is there a cat or a dog?", "no", "dog"),
    ("Are there any mugs?", "no", "no cups"),
    ("Are there both cats and dogs?", "yes", "cats"),
    ("How many dogs are there?", "2", "about 2"),
    ("How many dogs are there?", "2", "2 cats"),
    ("How many dogs are there?", "2", "2 or 3"),
    ("How many dogs are there?", "2", "two or more"),
    ("How many dogs are there?", "2", "at least two"),
    ("What animal is this?", "horse", "sea horse"),
    ("What is it?", "cup", "cupcake"),
    ("What is it?", "bear", "teddy bear"),
    ("What is it?", "table", "tablecloth"),
    ("What is it?", "pan", "pants"),
    ("What is it?", "car", "cart"),
    ("What is it?", "light", "traffic light"),
    ("What is it?", "bus", "bush"),
    ("What is it?", "alligator", "crocodile"),
    ("Who is it?", "man", "woman"),
    ("Who is it?", "man", "woman and man"),
    ("What is it?", "paper", "newspaper"),
    ("What is it?", "water", "water bottle"),
    ("What is it?", "side table", "table"),
    ("What is it?", "table", "side table"),
    ("Is the shirt red?", "no", "red"),
    ("Is the shirt red?", "yes", "not red"),
    ("Is the shirt red?", "no", "reddish"),
    ("Is the shirt red or blue?", "red", "The shirt is blue."),
    ("Is the shirt red or blue?", "red", "Yes"),
    ("Is the shirt red or blue?", "red", "neither"),
    ("What is the man holding?", "rope", "<think>The man is holding a rope"),
    ("What is the man holding?", "rope", ""),
    ("What is the man holding?", "rope", "..."),
    ("What is the man holding?", "rope", "No | g[DEBUG] idx=3 | pred=rope"),
    ("What is the man holding?", "rope", "I cannot tell"),
    ("What is the man holding?", "rope", "Rope?"),
    ("What is the man holding?", "nothing", "something"),
    ("What is the man holding?", "no one", "one"),
    ("Are the animals the same?", "no", "same"),
    ("Is the cup left of the plate?", "no", "left"),
]
WORDS = st.sampled_from(("rope", "dog", "red", "right", "traffic light", "strawberry", "2", "wooden spoon", "sofa"))
QUESTION = "What is it?"


@pytest.mark.parametrize(("question", "gold", "reply"), CORRECT)
def test_a_careful_reader_takes_it_for_the_gold_answer(question: str, gold: str, reply: str) -> None:
    assert is_careful_match(question, gold, reply)


@pytest.mark.parametrize(("question", "gold", "reply"), INCORRECT)
def test_a_careful_reader_does_not_take_it_for_the_gold_answer(question: str, gold: str, reply: str) -> None:
    assert not is_careful_match(question, gold, reply)


@pytest.mark.parametrize(
    ("gold", "reply", "equal"),
    [
        ("right", "Right", True),
        ("right", '{"answer": "RIGHT"}', True),
        ("right", '```json\n{"answer": "right"}\n```', True),
        ("right", 'I see it.\n\n{"answer": "right"}', True),
        ("right", "Right side", False),
        ("right", "right.", False),
        ("right", "", False),
        ("dog", "a dog", False),
    ],
)
def test_the_exact_rule_compares_letters_in_lower_case(gold: str, reply: str, *, equal: bool) -> None:
    assert is_exact_match(gold, reply) == equal


@pytest.mark.parametrize(
    ("reply", "oddity"),
    [
        ("No | g[DEBUG] idx=3 | pred=Left", "log text"),
        ('{"answer": "None"}', "no answer"),
        ("N/A", "no answer"),
        ("  ", "empty"),
        ('{"answer": ""}', "empty"),
        ("nonetheless", None),
        ("red", None),
    ],
)
def test_odd_replies_are_named(reply: str, oddity: str | None) -> None:
    assert find_oddity(reply) == oddity


@given(WORDS, st.sampled_from(("{}", "The {}.", "a {}", " {}\n", "**{}**", "Answer: {}", "It is {}.")))
def test_what_surrounds_an_answer_leaves_it_correct(gold: str, around: str) -> None:
    reply = around.format(gold)
    assert is_careful_match(QUESTION, gold, reply)
    assert is_careful_match(QUESTION, gold, json.dumps({"answer": reply}))
    assert is_careful_match(QUESTION, gold, reply.upper())


@given(WORDS, WORDS, st.sampled_from(("{} or {}", "{}, {}", "{} and {}", "{}/{}")))
def test_two_answers_are_never_one(gold: str, other: str, joined: str) -> None:
    if gold != other:
        assert not is_careful_match(QUESTION, gold, joined.format(gold, other))
        assert not is_careful_match(QUESTION, gold, joined.format(other, gold))


@given(WORDS, st.sampled_from(("maybe {}", "probably {}", "{}?", "possibly {}", "not {}", "no {}", "{}, not sure")))
def test_a_hedge_or_a_denial_is_never_correct(gold: str, hedge: str) -> None:
    assert not is_careful_match(QUESTION, gold, hedge.format(gold))


@given(st.text(max_size=60), st.text(max_size=20), st.text(max_size=80))
@settings(max_examples=200, deadline=None)
def test_any_text_is_judged_without_a_fault(question: str, gold: str, reply: str) -> None:
    is_careful_match(question, gold, reply)
    assert is_exact_match(gold, reply) == (given_answer(reply).lower() == gold.strip().lower())
