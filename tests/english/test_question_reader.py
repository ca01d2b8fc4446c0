"""Questions as people write them are read to queries, and what is read is written so that it is read again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falter.generation.english.query_agreement import QueryAgreement
from falter.generation.english.question_reader import question_reader
from falter.generation.english.slots import TemplateError, expand_alternatives
from falter.generation.scene import (
    And,
    AttributeOf,
    Exists,
    HasAttribute,
    NameOf,
    ObjectDescription,
    Query,
    Related,
    RelationHolds,
    SceneValue,
    SideOf,
)

READER = question_reader()
EXAMPLES = [template.example for template in READER.grammar.templates if template.example]


def said(question: str) -> str | None:
    parse = READER.read(question)
    return None if parse is None else parse.meaning.describe()


@pytest.mark.parametrize(
    ("question", "meaning"),
    [
        ("What color is the car?", "which color: the car"),
        ("The shirt the man is wearing has what color?", "which color: the shirt that the man wearing"),
        ("How tall is the lamp that is behind the tree?", "which height: the lamp behind the tree"),
        ("What's the fence made of?", "which material: the fence"),
        ("What is he doing?", "which action or pose or sport: the man"),
        ("Who is wearing the hat?", "what: the person wearing the hat"),
        ("Who wears a cap?", "what: the person wearing cap"),
        ("What is the girl riding?", "what: the thing that the girl riding"),
        ("In front of what is the giraffe?", "what: the thing that the giraffe in front of"),
        ("What is the name of the wooden piece of furniture?", "what: the wood furniture"),
        ("What kind of food isn't yellow?", "what: the not yellow food"),
        ("Which kind of furniture is the wall behind of?", "what: the furniture that the wall behind"),
        ("What is the device that he holds?", "what: the device that the man holding"),
        ("On which side of the photo are the small books?", "which horizontal side: the small book"),
        ("Which place is it?", "which place"),
        ("How's the weather?", "which weather"),
        ("What color is the girl's hair?", "which color: the hair of the girl"),
        ("What color is the chair on the left of the image?", "which color: the chair on the left"),
        ("Is the gizmo near the red car large?", "the gizmo near the red car is large"),
        (
            "Is the device to the right of the bag white and open?",
            "(the device to the right of the bag is white) and (the device to the right of the bag is open)",
        ),
        ("Is the man wearing a hat?", "there is hat that the man wearing"),
        ("Is the cup to the left of the boy?", "the cup is to the left of the boy"),
        (
            "Is the person in front of the shrubs holding a bag?",
            "there is bag that the person in front of the bush holding",
        ),
        (
            "Is the cake to the left or to the right of the plate the fork is on?",
            "left: the cake is to the left of the plate that the fork on"
            " / right: the cake is to the right of the plate that the fork on",
        ),
        ("Are there any cars or bags?", "(there are car (2+)) or (there are bag (2+))"),
        ("Is there a cat or a dog on the right?", "(there is cat on the right) or (there is dog on the right)"),
        (
            "Are there both cats and dogs on the left?",
            "(there are cat on the left (2+)) and (there are dog on the left (2+))",
        ),
        ("Is there a cat on the right or a dog?", "(there is cat on the right) or (there is dog)"),
        ("Is there either a white mouse or laptop?", "(there is white mouse) or (there is white laptop)"),
        (
            "Are there tables or chairs that are made of metal?",
            "(there are metal table (2+)) or (there are metal chair (2+))",
        ),
        ("Do the shorts and the shoes have the same color?", "same color: the shorts, the shoe"),
        ("How many dogs are there?", "how many: dog"),
        ("How many red cars can you see in this photo?", "how many: red car"),
        ("How many people are wearing hats?", "how many: person wearing hat"),
        ("How many ears does the dog have?", "how many: ear of the dog"),
        ("Are there 3 dogs?", "exactly 3: dog"),
        ("Is there one man in the picture?", "exactly 1: man"),
        ("Are there at least two dogs on the sofa?", "at least 2: dog on the sofa"),
        ("Does the dog have two ears?", "exactly 2: ear of the dog"),
        ("Is this animal a dog?", "the animal is a dog"),
        ("Is the boy walking a dog?", "there is dog that the boy walking"),
        ("Is the vehicle a red bus?", "(the vehicle is a bus) and (the vehicle is red)"),
        ("What do the end table and the frame have in common?", "in common: the end table, the frame"),
        ("Is the color of the bush different than the carriage?", "not (same color: the bush, the carriage)"),
        ("Does the towel have a different color than the sink?", "not (same color: the towel, the sink)"),
        ("Are both the puddle and the sky the same color?", "same color: the puddle, the sky"),
        ("Are these animals of different types?", "not (same name: the animal)"),
        ("Are the pear and the banana both small?", "(the pear is small) and (the banana is small)"),
        (
            "Which is less healthy, the cookie or the tomato?",
            "cookie: the tomato is more healthy than the cookie / tomato: the cookie is more healthy than the tomato",
        ),
        ("What vehicle has the same color as the window?", "what: the vehicle same color the window"),
        ("Where is the lamp?", "what: the thing that the lamp at"),
        ("Where is the man sitting?", "what: the thing that the man sitting on"),
        ("On what kind of furniture is the cat?", "what: the furniture that the cat on"),
        ("What kind of sign do you think is above the snow?", "what: the sign above the snow"),
        ("The boy is looking at what animal?", "what: the animal that the boy looking at"),
        ("What is the appliance that the table is in front of?", "what: the appliance that the table in front of"),
        (
            "What does the man that to the left of the clock hold?",
            "what: the thing that the man to the left of the clock holding",
        ),
        ("Is the fork held by the boy silver?", "the fork that the boy holding is silver"),
        ("Is it an indoors scene?", "the location is indoors"),
        ("Is this a sunny day?", "the weather is sunny"),
        ("What color is the water today?", "which color: the water"),
        (
            "Which part of the photo is the cup in, the bottom or the top?",
            "bottom: the cup is on the bottom side / top: the cup is on the top side",
        ),
        (
            "Is the man on the left holding the umbrella on the right?",
            "the man on the left is holding the umbrella on the right",
        ),
        ("Is the man in the blue shirt to the left of the car?", "the man in the blue shirt is to the left of the car"),
        ("Is the cat in the box to the left of the dog?", "the cat is in the box to the left of the dog"),
        ("Is the man in a shirt?", "there is shirt that the man in"),
        ("Is the woman holding a bag that is behind the car?", "the woman is holding the bag behind the car"),
        ("Is the man to the left of the cup on the right?", "the man to the left of the cup is on the right side"),
        (
            "Is the color of the pants blue or brown?",
            "blue: the pants is blue / brown: the pants is brown",
        ),
        ("What kind of fruit can be seen in the picture?", "what: the fruit"),
        ("Is the surf board large?", "the surfboard is large"),
        ("Is the trashcan large?", "the trash can is large"),
        ("Is the laptop computer large?", "the laptop is large"),
        ("Is the man shirt large?", "the shirt of the man is large"),
        ("Is that a couch or a bed?", "sofa: the thing is a sofa / bed: the thing is a bed"),
        (
            "Where in this photo is the van, on the right or on the left?",
            "right: the van is on the right side / left: the van is on the left side",
        ),
        (
            "Is the boy on the left side or on the right of the picture?",
            "left: the boy is on the left side / right: the boy is on the right side",
        ),
        ("Is it sunny or cloudy?", "sunny: the weather is sunny / cloudy: the weather is cloudy"),
        ("Is it indoors?", "the location is indoors"),
        ("Are any hats visible?", "there are hat (2+)"),
        ("Is it indoors or outdoors?", "indoors: the location is indoors / outdoors: the location is outdoors"),
        ("Is that shirt maroon or is it gray?", "maroon: the shirt is maroon / gray: the shirt is gray"),
        ("whats the man thats behind the tree holding", "what: the thing that the man behind the tree holding"),
        (
            "Is the person riding a bike or a horse?",
            "bike: the thing that the person riding is a bike / horse: the thing that the person riding is a horse",
        ),
        ("Is the man reading a street sign?", "there is street sign that the man reading"),
        ("Is it eating hay?", "there is hay that the thing eating"),
        ("Is it sunny outside?", "the weather is sunny"),
        (
            "Is the man with the beard to the left of the woman with the camera?",
            "the man with the beard is to the left of the woman with the camera",
        ),
        (
            "Is the elephant with the tusks walking on the grass?",
            "the elephant with the tusk is walking on the grass",
        ),
        ("Are the animals to the left of the tree cows?", "the animal to the left of the tree is a cow"),
        ("What sport is the man playing?", "which sport: the man"),
        ("Do you think that the pizza is cooked?", "the pizza is cooked"),
        ("Is either the truck or the van blue?", "(the truck is blue) or (the van is blue)"),
        (
            "Do both the chair and the table appear to be wooden?",
            "(the chair is wood) and (the table is wood)",
        ),
        ("What is common to the bat and the fence?", "in common: the baseball bat, the fence"),
        (
            "Are the cabinets and the floor made of different materials?",
            "not (same material: the cabinet, the floor)",
        ),
    ],
)
def test_questions_are_read(question: str, meaning: str) -> None:
    assert said(question) == meaning


@pytest.mark.parametrize(
    "question",
    ["", "?", "Why?", "How many of the dogs?", "Is one red?", "Colorless green ideas sleep furiously?", "the " * 200],
)
def test_what_is_no_question_that_templates_know_is_not_read(question: str) -> None:
    assert READER.read(question) is None


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_are_read_and_what_is_written_is_read_again(example: str) -> None:
    parse = READER.read(example)
    assert parse is not None
    again = READER.read(parse.template.render(parse.slots))
    assert again is not None
    assert QueryAgreement(READER.grammar.ontology).agree(again.meaning, parse.meaning)


SOME_WORDS = (
    "what which who is are the a of that man's dog red made to left on in not and or wearing"
    " picture it, zzz \u00fcn\u00ef 3"
)
words = st.sampled_from(SOME_WORDS.split())


@settings(max_examples=200, deadline=None)
@given(st.lists(words, max_size=14).map(" ".join))
def test_any_words_are_read_or_not_and_in_bounded_time(text: str) -> None:
    parse = READER.read(text)
    assert parse is None or isinstance(parse.meaning, Query)


CAR = ObjectDescription("car", definite=True)
MAN = ObjectDescription("man", definite=True)
TREE = ObjectDescription("tree", definite=True)


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        (NameOf(CAR), NameOf(ObjectDescription("car", number="plural")), True),
        (NameOf(CAR), NameOf(ObjectDescription("vehicle")), True),
        (NameOf(CAR), NameOf(MAN), False),
        (NameOf(CAR), SideOf(CAR), False),
        (NameOf(CAR), NameOf(ObjectDescription("gizmo")), False),
        (HasAttribute(CAR, "red"), HasAttribute(CAR, "large"), False),
        (HasAttribute(CAR, "small"), HasAttribute(CAR, "little"), True),
        (
            And((HasAttribute(CAR, "red"), HasAttribute(CAR, "large"))),
            And((HasAttribute(CAR, "large"), HasAttribute(CAR, "red"))),
            True,
        ),
        (
            RelationHolds(MAN, "wearing", ObjectDescription("hat", ("red",))),
            Exists(ObjectDescription("hat", (), Related("wearing", MAN, inverse=True))),
            True,
        ),
        (
            RelationHolds(MAN, "near", CAR),
            Exists(ObjectDescription("man", (), Related("behind", CAR))),
            False,
        ),
        (AttributeOf(CAR, ("color",)), AttributeOf(CAR, ("size",)), False),
        (SceneValue("place"), SceneValue("weather"), False),
    ],
)
def test_readings_agree_up_to_order_and_synonyms(one: Query, other: Query, agree: bool) -> None:
    agreement = QueryAgreement(READER.grammar.ontology)
    assert agreement.agree(one, other) is agree
    assert agreement.agree(other, one) is agree


def test_what_may_belong_to_either_of_two_things_has_another_reading() -> None:
    question = "Is the man near the car behind the tree?"
    first, (other,) = READER.read(question), READER.other_readings(question)
    assert first is not None
    assert {first.meaning, other.meaning} == {
        RelationHolds(MAN, "near", ObjectDescription("car", (), Related("behind", TREE), definite=True)),
        RelationHolds(ObjectDescription("man", (), Related("near", CAR), definite=True), "behind", TREE),
    }
    assert READER.other_readings("Is the man wearing glasses?") == ()


def test_where_only_the_last_of_two_alternatives_is_told_it_may_be_both() -> None:
    question = "Are there either any forks or napkins on the tray?"
    first, (other,) = READER.read(question), READER.other_readings(question)
    assert first is not None
    assert first.meaning.describe() == "(there are fork (2+)) or (there are napkin on the tray (2+))"
    assert other.meaning.describe() == "(there are fork on the tray (2+)) or (there are napkin on the tray (2+))"
    (both,) = READER.other_readings("Are there both an orange and an apple on the counter?")
    assert both.meaning.describe() == "(there is orange on the counter) and (there is apple on the counter)"
    assert READER.other_readings("Are there any ketchup bottles or mustard containers?") == ()


def test_alternatives_make_every_text_and_the_first_is_written() -> None:
    assert expand_alternatives("[a|b] c[| d]") == ["a c", "a c d", "b c", "b c d"]
    assert expand_alternatives("plain") == ["plain"]
    with pytest.raises(TemplateError, match="without its"):
        expand_alternatives("[a|b c")
    with pytest.raises(TemplateError, match="split it"):
        expand_alternatives("[1|2|3|4|5|6|7|8|9|0]" * 4)
