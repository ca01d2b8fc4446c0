"""Questions become yes/no questions in good English, and are read back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falter.core.errors import InputError
from falter.data.word_forms import singularize
from falter.generation.english.rewrites import load_rewrites
from falter.suites.rad.answers import head_noun, may_be_same
from falter.suites.rad.augmentations import DEFAULT_TESTS, rewrites

pytestmark = pytest.mark.bundle("rad")

KNOWN = rewrites()


def written(question: str, answer: str) -> str | None:
    for test in DEFAULT_TESTS:
        read = KNOWN[test].read(question)
        if read is not None:
            text = read.write(answer)
            if text is not None:
                assert answer in read.read_back(text)
            return text
    return None


@pytest.mark.parametrize(
    ("question", "answer", "text"),
    [
        # Table 6 of the paper.
        ("What color is the cat?", "white", "Is the color of the cat white?"),
        ("What color is the vase?", "red", "Is the color of the vase red?"),
        ("What color is the man's hat?", "red", "Is the color of the man's hat red?"),
        ("How many athletes are on the field?", "5", "Are there five athletes on the field?"),
        ("How many dogs are in the picture?", "2", "Are there two dogs in the picture?"),
        ("How many giraffes are walking around?", "4", "Are there four giraffes walking around?"),
        ("How many cakes are on the table?", "1", "Is there one cake on the table?"),
        ("How many dogs?", "0", "Are there zero dogs?"),
        ("What kind of event is this?", "skiing", "Is this a skiing event?"),
        ("What kind of animal is this?", "elephant", "Is this animal an elephant?"),
        ("What kind of building is this?", "church", "Is this building a church?"),
        ("What kind of floor is this?", "wood", "Is this a wood floor?"),
        # Other ways to ask for a number.
        ("How many ears does the dog have?", "2", "Does the dog have two ears?"),
        ("How many zebras are there in this picture?", "1", "Is there one zebra in this picture?"),
        ("How many people in the photo?", "3", "Are there three people in the photo?"),
        ("How many people are wearing glasses?", "1", "Is there one person wearing glasses?"),
        ("How many people are wearing hats?", "1", "Is there one person wearing a hat?"),
        ("How many skiers have fallen down?", "1", "Has one skier fallen down?"),
        ("How many people are wearing hats?", "2", "Are there two people wearing hats?"),
        ("How many trees can be seen?", "7", "Can seven trees be seen?"),
        ("How many birds do you see?", "2", "Do you see two birds?"),
        ("How many tires can you see in this photo?", "0", "Can you see zero tires in this photo?"),
        ("How many horses are white?", "1", "Is one horse white?"),
        ("How many planes have propellers?", "5", "Do five planes have propellers?"),
        ("How many stories is the red brick building?", "2", "Is the red brick building two stories?"),
        ("How many slices of pie appear in this scene?", "1", "Does one slice of pie appear in this scene?"),
        ("How many sheep are there?", "1", "Is there one sheep?"),
        ("How many pieces of cake are there?", "1", "Is there one piece of cake?"),
        ("How many people are here?", "25", "Are there twenty-five people here?"),
        # Of one thing, what is said of several is said in the singular.
        ("How many people are wearing red shirts?", "1", "Is there one person wearing a red shirt?"),
        ("How many people are wearing shoes?", "1", "Is there one person wearing shoes?"),
        ("How many people riding bikes are there?", "1", "Is there one person riding a bike?"),
        ("How many men in suits are there?", "1", "Is there one man in a suit?"),
        ("How many people are standing on surfboards?", "1", "Is there one person standing on a surfboard?"),
        ("How many dogs are on leashes?", "1", "Is there one dog on a leash?"),
        ("How many people are standing on hills?", "1", "Is there one person standing on hills?"),
        ("How many people are sitting with umbrellas?", "1", "Is there one person sitting with an umbrella?"),
        ("How many dogs are there that are brown?", "1", "Is there one dog that is brown?"),
        ("How many signs are there that say stop?", "1", "Is there one sign that says stop?"),
        ("How many stories does that house have?", "1", "Does that house have one story?"),
        ("How many candles are on that cake?", "1", "Is there one candle on that cake?"),
        ("How many sheep are babies?", "1", "Is one sheep a baby?"),
        ("How many men have beards?", "1", "Does one man have a beard?"),
        ("How many men have hats on?", "1", "Does one man have a hat on?"),
        ("How many people aren't wearing hats?", "1", "Is one person not wearing a hat?"),
        ("How many people don't have a hat?", "2", "Do two people not have a hat?"),
        ("How many total straws are there?", "1", "Is there one straw?"),
        ("How many glasses of wine are there?", "1", "Is there one glass of wine?"),
        ("How many donuts were in the box?", "12", "Were there twelve donuts in the box?"),
        ("How many bites were taken from the apple?", "1", "Was one bite taken from the apple?"),
        # As people type.
        ("WHAT COLOR IS THE BUS?", "red", "Is the color of the bus red?"),
        ("how many people are there", "1", "Is there one person?"),
        ('"How many dogs are there?"', "2", "Are there two dogs?"),
        ("What color is the the dog \N{DOG FACE}?", "brown", "Is the color of the dog brown?"),
        ("What color is the dominant color in the room?", "green", "Is the dominant color in the room green?"),
        ("What color is the light lit up?", "red", "Is the light lit up red?"),
        ("What color is the shirt he has on?", "red", "Is the color of the shirt he has on red?"),
        ("What color is the light that's on?", "red", "Is the color of the light that's on red?"),
        ("What color is the chest in the corner?", "red", "Is the color of the chest in the corner red?"),
        # Nouns that name a kind, words before a noun, and nouns without an article.
        ("What kind of event is this?", "wedding", "Is this event a wedding?"),
        ("What kind of game is this?", "frisbee", "Is this a frisbee game?"),
        ("What kind of sport is this?", "winter", "Is this a winter sport?"),
        ("What kind of dessert is this?", "pie", "Is this dessert a pie?"),
        ("What kind of appliance is this?", "kitchen", "Is this a kitchen appliance?"),
        ("What kind of appliance is this?", "oven", "Is this an oven?"),
        ("What kind of laptop is this?", "hp", "Is this an hp laptop?"),
        ("What kind of stove is this?", "gas", "Is this a gas stove?"),
        ("What kind of window is this?", "stained glass", "Is this a stained glass window?"),
        ("What kind of room is this?", "living room", "Is this a living room?"),
        ("What kind of room is this?", "kitchen", "Is this room a kitchen?"),
        ("What breed of dog is this?", "pug", "Is this dog a pug?"),
        ("What kind of food is this?", "chinese", "Is this chinese food?"),
        ("What kind of bike is this?", "bicycle", "Is this bike a bicycle?"),
        ("What kind of bus is this?", "double decker", "Is this a double decker bus?"),
    ],
)
def test_questions_are_rewritten(question: str, answer: str, text: str) -> None:
    assert written(question, answer) == text


@pytest.mark.parametrize(
    ("test", "question", "answer", "text"),
    [
        ("how-many", "How many types of animals are shown?", "1", "Is there one type of animal shown?"),
        ("how-many", "How many different colors are there?", "1", "Is there one color?"),
        ("how-many", "How many bears is she touching?", "2", "Is she touching two bears?"),
        ("how-many", "How many bags is she holding in her hands?", "2", "Is she holding two bags in her hands?"),
        (
            "how-many",
            "How many hands is the man holding up in the air?",
            "1",
            "Is the man holding up one hand in the air?",
        ),
        (
            "how-many",
            "How many cell phones is the woman holding up to her ear?",
            "1",
            "Is the woman holding up one cell phone to her ear?",
        ),
        (
            "how-many",
            "How many hands is the bride using to cut the cake?",
            "2",
            "Is the bride using two hands to cut the cake?",
        ),
        (
            "how-many",
            "How many hands is the man holding the kite with?",
            "2",
            "Is the man holding the kite with two hands?",
        ),
        ("how-many", "How many people is he talking to?", "2", "Is he talking to two people?"),
        ("how-many", "How many trees is the giraffe standing by?", "1", "Is the giraffe standing by one tree?"),
        (
            "how-many",
            "How many stories is the tall building on the left?",
            "2",
            "Is the tall building on the left two stories?",
        ),
        ("brand", "Which brand is the player wearing?", "nike", "Is the brand the player is wearing nike?"),
        ("how-many", "How many toilets do not have seats?", "3", "Do three toilets not have seats?"),
        (
            "color",
            "What color is the hat the man is wearing?",
            "red",
            "Is the color of the hat the man is wearing red?",
        ),
        ("color", "What color are the walls painted?", "red", "Are the walls painted red?"),
        ("what-kind", "What kind of vehicle is this?", "camper", "Is this vehicle a camper?"),
        ("what-kind", "What kind of vehicle is this?", "military", "Is this a military vehicle?"),
        ("what-kind", "What kind of vehicle is this?", "skateboard", "Is this vehicle a skateboard?"),
        ("what-kind", "What kind of sandwich is this?", "turkey", "Is this a turkey sandwich?"),
        ("what-kind", "What kind of skiing is this?", "cross country", "Is this cross country skiing?"),
        ("what-kind", "What kind of ball is this?", "softball", "Is this a softball?"),
        ("what-kind", "What kind of floor is this?", "tile", "Is this a tile floor?"),
        ("what-kind", "What kind of transportation is this?", "train", "Is this a train?"),
        ("what-kind", "What kind of wild animal is this?", "zebra", "Is this wild animal a zebra?"),
        ("how-many", "How many people in the photo wear hats?", "1", "Does one person in the photo wear a hat?"),
        ("what-kind", "What kind of cuisine is this?", "thai", "Is this thai cuisine?"),
        ("material", "What is the table made of?", "wood", "Is the table made of wood?"),
        ("material", "What material are the boy's shoes?", "leather", "Are the boy's shoes made of leather?"),
        ("shape", "What shape is the plate?", "round", "Is the plate round?"),
        ("shape", "What shape are the signs?", "octagon", "Is the shape of the signs an octagon?"),
        ("brand", "What brand of laptop is this?", "Dell", "Is the brand of this laptop Dell?"),
        ("sport", "What sport are they playing?", "tennis", "Is the sport they are playing tennis?"),
        ("sport", "What sport are they going to do?", "golf", "Is the sport they are going to do golf?"),
        ("sport", "What sport is being played?", "soccer", "Is the sport being played soccer?"),
        ("animal", "What animal is on the bed?", "elephant", "Is the animal on the bed an elephant?"),
        ("animal", "What animals are these?", "cow", "Are these cows?"),
        ("animal", "What animal is the man riding?", "horse", "Is the animal the man is riding a horse?"),
        ("room", "What room of the house is this?", "kitchen", "Is this a kitchen?"),
        ("room", "Which room are they in?", "living room", "Are they in a living room?"),
        ("where", "Where is the cat sitting?", "on left", "Is the cat sitting on the left?"),
        ("who", "Who is riding the horse?", "woman", "Is it a woman who is riding the horse?"),
    ],
)
def test_our_own_rewrites(test: str, question: str, answer: str, text: str) -> None:
    read = KNOWN[test].read(question)
    assert read is not None
    assert read.write(answer) == text
    assert answer.lower() in [one.lower() for one in read.read_back(text)]


@pytest.mark.parametrize(
    ("test", "question", "answer"),
    [
        ("how-many", "How many people can this bus hold?", "9"),
        ("how-many", "How many minutes is it past the hour?", "10"),
        ("how-many", "How many chairs which are used for sleeping are in the room?", "2"),
        ("how-many", "How many giraffe's are there?", "1"),
        ("how-many", "How many floors have the bus?", "1"),
        ("how-many", "How many times can you see the word?", "2"),
        ("how-many", "How many giraffes have their heads up?", "1"),
        ("how-many", "How many elephants are touching each other?", "1"),
        ("how-many", "How many cats and dogs are there?", "1"),
        ("how-many", "How many different colored umbrellas are there?", "1"),
        ("how-many", "How many animals are there and what are they?", "2"),
        ("how-many", "How many dogs are there? 3 or 4?", "2"),
        ("how-many", "How many glasses of wine has he had?", "1"),
        ("how-many", "How many years has this been here?", "4"),
        ("how-many", "How many womens are there?", "2"),
        ("how-many", "How many girls are there and boys?", "2"),
        ("how-many", "How many zebras' heads are visible?", "1"),
        ("color", "What color is the dog, brown or black?", "brown"),
        ("color", "What color is the cat. Is it asleep?", "black"),
        ("color", "What color is the frisbee if it is not white?", "red"),
        ("color", "What color is the most common in the room?", "red"),
        ("color", "What color is the traffic light showing?", "red"),
        ("color", "What color is the man wearing on his head?", "red"),
        ("color", "What color is the flag?", "red white"),
        ("color", "What color is the flag?", "red, white, blue"),
        ("material", "What is the wall made of?", "looks to be cement"),
        ("shape", "What shape are the pizza slices cut into?", "square"),
        ("what-kind", "What kind of weather is this?", "snow"),
        ("color", "What color is the man wearing?", "red"),
        ("color", "What color is the traffic light on?", "red"),
        ("what-kind", "What kind of dog is this?", "cat"),
        ("what-kind", "What kind of food is this?", "water"),
        ("where", "Where is the bus going?", "left"),
        ("where", "Where is this item usually found?", "kitchen"),
        ("where", "Where is the man?", "table"),
        ("animal", "What animal is this?", "cows"),
        ("animal", "What animal is this?", "none"),
        ("who", "Who is the man looking at?", "dog"),
    ],
)
def test_what_our_own_rewrites_do_not_ask(test: str, question: str, answer: str) -> None:
    read = KNOWN[test].read(question)
    assert read is None or read.write(answer) is None


def test_choices_between_answers() -> None:
    read = KNOWN["color"].read("What color is the car?")
    assert read is not None
    assert read.write_choice(("red", "blue")) == "What color is the car, red or blue?"
    read = KNOWN["how-many"].read("How many dogs are there ?")
    assert read is not None
    assert read.write_choice(("2", "3", "10")) == "How many dogs are there, two, three, or ten?"
    read = KNOWN["animal"].read("What animals are these?")
    assert read is not None
    assert read.write_choice(("cow", "sheep")) == "What animals are these, cows or sheep?"
    assert read.write_choice(("cow", "none")) is None
    read = KNOWN["shape"].read("What shape is the plate?")
    assert read is not None
    assert read.write_choice(("round", "oval", "heart")) == "What shape is the plate, round, oval, or a heart?"
    read = KNOWN["where"].read("Where is the ball?")
    assert read is not None
    assert read.write_choice(("air", "on ground")) == "Where is the ball, in the air or on the ground?"
    assert read.write_choice(("air", "in air")) is None


def test_places_of_which_one_does_not_exclude_the_other_are_not_offered_as_wrong() -> None:
    where = KNOWN["where"]
    assert where.excludes("left", "on right")
    assert not where.excludes("outside", "left")
    assert not where.excludes("left", "on left")
    assert KNOWN["color"].excludes("red", "blue")


def test_questions_that_look_like_augmented_ones_are_known() -> None:
    shapes = KNOWN["color"].written_shapes("Is the color of the man's hat red?")
    assert [(one.subject, one.answer) for one in shapes] == [("man's hat", "red")]
    assert not KNOWN["color"].written_shapes("Is the color of the man's hat nice?")
    (counted,) = {one.answer for one in KNOWN["how-many"].written_shapes("Are there two dogs in the picture?")}
    assert counted == "2"
    kinds = KNOWN["what-kind"].written_shapes("Is this a wood floor?")
    assert any(one.fits({"floor"}, {"wood"}) for one in kinds)
    assert not any(one.fits({"room"}, {"wood"}) for one in kinds)
    assert not any(one.fits({"floor"}, {"tile"}) for one in kinds)


def test_a_slot_can_be_changed() -> None:
    read = KNOWN["color"].read("What color is the dog?")
    assert read is not None
    assert read.change("s", "cat on the sofa").write("red") == "Is the color of the cat on the sofa red?"


def test_a_malformed_rewrite_is_an_error_that_names_it(tmp_path: Path) -> None:
    record = {"name": "mine", "about": "", "answer": "color", "asked": [], "forms": []}
    for wrong, told in (
        ({"answer": "smell"}, "no sort of answers 'smell'"),
        ({"unless": ["nice"]}, "no condition 'nice'"),
        ({"forms": [{"reads": "What is {nothing s}", "writes": "Is {s} {answer}?"}]}, "no slot type 'nothing'"),
        ({"forms": [{"reads": "What is {words s}", "writes": "Is {t} {answer}?"}]}, "has the slot 't'"),
    ):
        (tmp_path / "mine.yaml").write_text(json.dumps(record | wrong), encoding="utf-8")
        with pytest.raises(InputError, match=told):
            load_rewrites(tmp_path)


@pytest.mark.parametrize(
    "question",
    [
        "How many of the sheep are babies?",
        "How many more dogs than cats?",
        "How many are there?",
        "How many tusk are visible?",
        "How many pounds does the elephant weigh?",
        "What color is it?",
        "What kind of flowers is this?",
        "What is this?",
        "How many",
        "",
    ],
)
def test_what_cannot_be_rewritten_is_not(question: str) -> None:
    assert written(question, "2") is None
    assert written(question, "red") is None


def test_answers_of_another_sort_are_not_asked_for() -> None:
    assert not KNOWN["color"].is_answer("plaid")
    assert not KNOWN["how-many"].is_answer("many")
    assert not KNOWN["what-kind"].is_answer("not sure")
    assert KNOWN["color"].is_answer("black and white")
    assert KNOWN["color"].is_answer("light blue")
    assert written("What kind of food is this?", "vegetables") is None
    assert written("What kind of dog is this?", "animal") is None


def test_exactly() -> None:
    read = KNOWN["how-many"].read("How many dogs are there?")
    assert read is not None
    assert read.write("2", "exactly ") == "Are there exactly two dogs?"
    assert read.read_back("Are there exactly two dogs?", "exactly ") == ("2",)
    # Nobody says "exactly zero".
    assert read.write("0", "exactly ") == "Are there zero dogs?"
    assert read.read_back("Are there zero dogs?", "exactly ") == ("0",)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("white", "black and white", True),
        ("gray", "grey", True),
        ("wooden", "wood", True),
        ("couch", "sofa", True),
        ("dog", "animal", True),
        ("light blue", "blue", True),
        ("red", "blue", False),
        ("2", "two", True),
        ("2", "12", False),
        ("dog", "cat", False),
    ],
)
def test_answers_that_may_be_as_right(one: str, other: str, same: bool) -> None:
    assert may_be_same(one, [other]) is same
    assert may_be_same(other, [one]) is same


def test_the_subject_of_a_question_is_its_noun() -> None:
    assert head_noun("man's shirt on the left") == "shirt"
    assert head_noun("traffic light") == "light"
    assert head_noun("") == ""


@given(st.text(max_size=60))
def test_any_text_is_read_or_not(text: str) -> None:
    for start in ("How many ", "What color is the ", "What kind of ", "Where is the ", ""):
        for augmentation in KNOWN.values():
            read = augmentation.read(start + text)
            if read is not None:
                for answer in ("2", "red", "pug", text):
                    assert read.write(answer) is None or isinstance(read.write(answer), str)


def test_singulars_of_the_ontology() -> None:
    from falter.generation.english import default_grammar

    ontology = default_grammar().ontology
    countable = [kind for kind, record in ontology.kinds.items() if record.number == "count"]
    wrong = [kind for kind in countable if singularize(ontology.plural(kind)) != kind]
    assert set(wrong) <= {"glass", "pikachu", "wii"}
