"""Questions in the manner of GQA: verify, query, choose, logical and compare, each with its program and its answer.

Each form is a function that is told which answer would keep the set balanced and gives a question, or None where the
scene does not allow one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from falter.scene import (
    And,
    Choose,
    Exists,
    HasAttribute,
    OnSide,
    Option,
    Or,
    Query,
    Related,
    RelationHolds,
    SceneObject,
    Selection,
)
from falter.sources.world.asking import Asker, Described

__all__ = ["FORMS", "Asked", "Step"]


class Step(NamedTuple):
    """One operation of a question's program."""

    operation: str
    argument: str
    dependencies: tuple[int, ...] = ()


class Asked(NamedTuple):
    """A question, its answer, its program, and how GQA would file it."""

    text: str
    answer: str
    full_answer: str
    program: tuple[Step, ...]
    detailed: str
    semantic: str
    structural: str
    local: str
    group: str | None = None
    mentions: tuple[tuple[str, str], ...] = ()


Form = Callable[[Asker, str], Asked | None]


def _be(selection: Selection) -> str:
    return "are" if selection.number == "plural" else "is"


def _said(asker: Asker, query: Query, wanted: str) -> bool:
    return asker.answer(query) == wanted


def _id(thing: SceneObject | None) -> str:
    return "-" if thing is None else thing.id


def _first(asker: Asker, kind: str, *words: str) -> SceneObject | None:
    for thing in asker.things:
        if asker.ontology.is_a(thing.name, kind) and all(word in thing.attributes for word in words):
            return thing
    return None


def exists(asker: Asker, wanted: str) -> Asked | None:
    """Is there such a thing?"""
    rng = asker.rng
    if wanted == "yes":
        kind = asker.present_kind()
        above = sorted(asker.ontology.ancestors(kind) - {kind, "thing", "place", "body part"})
        if above and rng.random() < 0.2:
            kind = rng.choice(above)
    else:
        kind = asker.absent_kind()
    plural = rng.random() < 0.4
    selection = asker.select(kind, plural=plural)
    if not _said(asker, Exists(selection), wanted):
        return None
    words = asker.write(selection, "any" if selection.number != "singular" else "a")
    be = _be(selection).capitalize()
    text = rng.choice(
        (
            f"{be} there {words}?",
            f"{be} there {words} in this picture?",
            f"{be} there {words} in the image?",
            f"{be} there {words} in the photo?",
            f"Do you see {words}?",
            f"Do you see {words} there?",
        )
    )
    bare = asker.write(selection, "a")
    full = (
        f"Yes, there {_be(selection)} {bare}."
        if wanted == "yes"
        else f"No, there {_be(selection)} no {asker.write(selection)}."
    )
    program = (Step("select", f"{kind} ({_id(_first(asker, kind))})"), Step("exist", "?", (0,)))
    return Asked(text, wanted, full, program, "exist" if wanted == "yes" else "existC", "obj", "verify", f"03-{kind}")


def exists_with_attribute(asker: Asker, wanted: str) -> Asked | None:
    """Is there a red ball?"""
    rng = asker.rng
    thing = asker.notable([each for each in asker.things if asker.families_of(each)])
    if thing is None:
        return None
    family = rng.choice(asker.families_of(thing))
    word = asker.word_of(thing, family)
    assert word is not None
    kind = thing.name
    if wanted == "no":
        word = asker.other_word(family, word)
    selection = asker.select(kind, word)
    if not _said(asker, Exists(selection), wanted):
        return None
    singular = selection.number == "singular"
    words = asker.write(selection, "a" if singular else "any")
    be = _be(selection)
    chance = rng.random()
    if chance < 0.6:
        text = f"{be.capitalize()} there {words}{rng.choice(('', ' in the picture', ' in this photo'))}?"
    elif chance < 0.8:
        text = f"Do you see {words}?"
    else:
        plain = asker.write(asker.select(kind), "a" if singular else "any")
        text = f"{be.capitalize()} there {plain} that {be} {word}?"
    full = (
        f"Yes, there {be} {asker.write(selection, 'a')}."
        if wanted == "yes"
        else f"No, there {be} no {asker.write(selection)}."
    )
    program = (
        Step("select", f"{kind} ({_id(thing)})"),
        Step(f"filter {family}", word, (0,)),
        Step("exist", "?", (1,)),
    )
    detailed = "existAttr" if wanted == "yes" else "existAttrC"
    return Asked(text, wanted, full, program, detailed, "obj", "verify", f"04-{kind}_{word}")


def exists_related(asker: Asker, wanted: str) -> Asked | None:
    """Is there a man to the left of the tree?"""
    rng = asker.rng
    target = asker.notable_one(asker.described)
    if target is None:
        return None
    side = rng.choice(("to the left of", "to the right of"))
    if rng.random() < 0.3:
        bonds = [
            (thing.name, relation.name)
            for thing in asker.things
            for relation in thing.relations
            if relation.target == target.thing.id and relation.name not in ("near", "next to", "on")
        ]
        name, side = asker.pick(bonds) or ("", side)
        kind = name if name and wanted == "yes" else asker.absent_kind(asker.ontology.relations[side].subjects)
    else:
        kind = (
            rng.choice([thing.name for thing in asker.things])
            if wanted == "yes" or rng.random() < 0.5
            else asker.absent_kind()
        )
    if kind == target.thing.name:
        return None
    selection = asker.select(kind, relation=Related(side, target.definite()))
    if selection.number == "plural" or not _said(asker, Exists(selection), wanted):
        return None
    words = asker.write(selection, "a" if selection.number == "singular" else "any")
    text = rng.choice((f"Is there {words}?", f"Do you see {words}?"))
    full = (
        f"Yes, there is {asker.write(selection, 'a')}."
        if wanted == "yes"
        else f"No, there is no {asker.write(selection)}."
    )
    program = (
        Step("select", f"{target.thing.name} ({target.thing.id})"),
        Step("relate", f"{kind},{side},s ({_id(_first(asker, kind)) if wanted == 'yes' else '-'})", (0,)),
        Step("exist", "?", (1,)),
    )
    local = f"13-{target.thing.name}_{kind}"
    mentions = ((asker.write(target.selection), target.thing.id),)
    detailed = "existRelS" if wanted == "yes" else "existRelSC"
    return Asked(text, wanted, full, program, detailed, "rel", "verify", local, None, mentions)


def verify_attribute(asker: Asker, wanted: str) -> Asked | None:
    """Is the dog brown?"""
    described = _with_family(asker)
    if described is None:
        return None
    one, family, right = described
    word = right if wanted == "yes" else asker.other_word(family, right)
    if word in one.selection.attributes or not _said(asker, HasAttribute(one.definite(), word), wanted):
        return None
    be, words = _be(one.selection), asker.the(one)
    do = "Do" if be == "are" else "Does"
    texts = [f"{be.capitalize()} {words} {word}?"]
    if family in ("color", "mood", "size"):
        texts.append(f"{do} {words} look {word}?")
    text = asker.rng.choice(texts)
    full = f"Yes, {words} {be} {word}." if wanted == "yes" else f"No, {words} {be} {right}."
    program = (*_select(one), Step(f"verify {family}", word, (len(_select(one)) - 1,)))
    detailed = "verifyAttr" if wanted == "yes" else "verifyAttrC"
    local = f"06-{one.thing.name}_{word}"
    return Asked(text, wanted, full, program, detailed, "attr", "verify", local, None, _mention(asker, one))


def verify_relation(asker: Asker, wanted: str) -> Asked | None:
    """Is the man holding a cup?"""
    rng = asker.rng
    pairs = [
        (one, relation.name, asker.world.graph.objects[relation.target])
        for one in asker.described
        for relation in one.thing.relations
        if asker.ontology.relations[relation.name].sort in ("holding", "wearing", "action", "contact")
        and relation.name not in ("under", "on")
    ]
    chosen = asker.pick(pairs)
    if chosen is None:
        return None
    one, relation, target = chosen
    kind = target.name
    if wanted == "no":
        objects = asker.ontology.relations[relation].objects
        suited = [
            each
            for each in asker.likely + sorted(asker.counts)
            if any(asker.ontology.is_a(each, top) for top in objects)
        ]
        kind = asker.pick([each for each in suited if each != target.name]) or ""
        if not kind:
            return None
    selection = asker.select(kind)
    related = asker.select(one.selection.kind, *one.selection.attributes, relation=Related(relation, selection))
    if not _said(asker, Exists(related), wanted):
        return None
    be, words, what = _be(one.selection), asker.the(one), asker.write(selection, "a")
    text = f"{be.capitalize()} {words} {relation} {what}?"
    full = (
        f"Yes, {words} {be} {relation} {what}."
        if wanted == "yes"
        else f"No, {words} {be} {relation} {asker.write(asker.select(target.name), 'a')}."
    )
    program = (
        *_select(one),
        Step("verify rel", f"{kind},{relation},o ({target.id if wanted == 'yes' else '-'})", (len(_select(one)) - 1,)),
    )
    detailed = "relVerify" if wanted == "yes" else "relVerifyCo"
    local = f"13-{one.thing.name}_{kind}"
    return Asked(text, wanted, full, program, detailed, "rel", "verify", local, None, _mention(asker, one))


def logical(asker: Asker, wanted: str) -> Asked | None:
    """Are there both dogs and cats? Is there either a dog or a cat?"""
    rng = asker.rng
    both = rng.random() < 0.5
    first = asker.present_kind() if wanted == "yes" or (both and rng.random() < 0.7) else asker.absent_kind()
    second = asker.present_kind() if wanted == "yes" and (both or rng.random() < 0.4) else asker.absent_kind()
    if rng.random() < 0.5:
        first, second = second, first
    selections = [asker.select(first), asker.select(second)]
    if first == second or any(each.number == "plural" for each in selections):
        return None
    parts = (Exists(selections[0]), Exists(selections[1]))
    query: Query = And(parts) if both else Or(parts)
    if not _said(asker, query, wanted):
        return None
    words = [asker.write(each, "a") for each in selections]
    link, lead = ("and", "both ") if both else ("or", "either ")
    text = f"{'Are' if both else 'Is'} there {lead}{words[0]} {link} {words[1]} in {rng.choice(('this photo', 'the image', 'this picture'))}?"
    if wanted == "yes":
        shown = words if both else [words[0] if asker.answer(parts[0]) == "yes" else words[1]]
        full = f"Yes, there {'are both' if both else 'is'} {' and '.join(shown)}."
    else:
        missing = [word for word, part in zip(words, parts, strict=True) if asker.answer(part) == "no"]
        full = f"No, there is no {' or '.join(word.partition(' ')[2] or word for word in missing)}."
    ids = [_id(_first(asker, kind)) for kind in (first, second)]
    program = (
        Step("select", f"{first} ({ids[0]})"),
        Step("exist", "?", (0,)),
        Step("select", f"{second} ({ids[1]})"),
        Step("exist", "?", (2,)),
        Step(link, "", (1, 3)),
    )
    detailed = ("existAnd" if both else "existOr") + ("" if wanted == "yes" else "C")
    local = f"09{'existAnd' if both else 'existOr'}-{'_'.join(sorted((first, second)))}"
    return Asked(text, wanted, full, program, detailed, "obj", "logical", local)


def query_attribute(asker: Asker, _: str) -> Asked | None:
    """What color is the dog?"""
    found = _with_family(asker, besides=("size", "length"))
    if found is None:
        return None
    one, family, word = found
    if asker.answer(HasAttribute(one.definite(), word)) != "yes":
        return None
    be, words, rng = _be(one.selection), asker.the(one), asker.rng
    texts: dict[str, tuple[str, ...]] = {
        "color": (f"What color {be} {words}?", f"Which color {be} {words}?", f"What is the color of {words}?"),
        "material": (f"What {be} {words} made of?", f"What material {be} {words} made of?"),
        "pattern": (f"Which pattern does {words} have?", f"What pattern {be} on {words}?"),
        "shape": (f"What shape {be} {words}?", f"Which shape does {words} have?"),
        "pose": (f"What {be} {words} doing?", f"Which pose {be} {words} in?"),
        "mood": (f"How does {words} look?", f"How does {words} feel?"),
        "opening": (f"{be.capitalize()} {words} open or closed?",),
        "light": (f"{be.capitalize()} {words} lit or unlit?",),
    }
    if family not in texts or (family == "pose" and asker.word_of(one.thing, "action")):
        return None
    made = "made of " if family == "material" else ""
    full = f"{words.capitalize()} {be} {made}{word}."
    program = (*_select(one), Step("query", family, (len(_select(one)) - 1,)))
    detailed = {"material": "material", "pose": "activity"}.get(family, "directOf")
    local = f"10q-{one.thing.name}_{family}"
    return Asked(
        rng.choice(texts[family]), word, full, program, detailed, "attr", "query", local, family, _mention(asker, one)
    )


def query_relation(asker: Asker, _: str) -> Asked | None:
    """What is the man holding? Who is wearing the hat?"""
    asked: list[Asked] = []
    verbs = [name for name, word in asker.ontology.relations.items() if word.sort in ("holding", "wearing", "action")]
    for one in asker.described:
        for relation in dict.fromkeys(each.name for each in one.thing.relations):
            targets = [each.target for each in one.thing.relations if each.name == relation]
            if relation not in verbs or len(targets) != 1 or relation not in asker.world.graph.complete:
                continue
            target = asker.world.graph.objects[targets[0]]
            what = asker.write(asker.select(target.name), "a")
            people = asker.ontology.is_a(target.name, "person")
            text = f"{'Who' if people else 'What'} {_be(one.selection)} {asker.the(one)} {relation}?"
            full = f"{asker.the(one).capitalize()} {_be(one.selection)} {relation} {what}."
            program = (*_select(one), Step("relate", f"_,{relation},o ({target.id})", (len(_select(one)) - 1,)))
            program = (*program, Step("query", "name", (len(program) - 1,)))
            local = f"14-{one.thing.name}_{relation},o"
            asked.append(
                Asked(
                    text,
                    target.name,
                    full,
                    program,
                    "relO",
                    "rel",
                    "query",
                    local,
                    _category(asker, target),
                    _mention(asker, one),
                )
            )
    for one in asker.described:
        for relation in verbs:
            agents = [
                thing
                for thing in asker.things
                if any(each.name == relation and each.target == one.thing.id for each in thing.relations)
            ]
            if len(agents) != 1 or relation not in asker.world.graph.complete:
                continue
            agent = agents[0]
            who = "Who" if asker.ontology.is_a(agent.name, "person") else "What"
            text = f"{who} is {relation} {asker.the(one)}?"
            full = f"The {agent.name} is {relation} {asker.the(one)}."
            program = (
                *_select(one),
                Step(
                    "relate", f"{'person' if who == 'Who' else '_'},{relation},s ({agent.id})", (len(_select(one)) - 1,)
                ),
            )
            program = (*program, Step("query", "name", (len(program) - 1,)))
            local = f"14-{one.thing.name}_{relation},s"
            asked.append(
                Asked(
                    text,
                    agent.name,
                    full,
                    program,
                    "relS",
                    "rel",
                    "query",
                    local,
                    _category(asker, agent),
                    _mention(asker, one),
                )
            )
    return asker.pick(asked)


def query_place(asker: Asker, _: str) -> Asked | None:
    """Which place is it? How is the weather?"""
    graph = asker.world.graph
    if graph.weather is not None and asker.rng.random() < 0.5:
        program = (Step("select", "scene"), Step("query", "weather", (0,)))
        text = asker.rng.choice(("How is the weather?", "How's the weather?"))
        return Asked(
            text,
            graph.weather,
            f"It is {graph.weather}.",
            program,
            "weather",
            "global",
            "query",
            "02q-weather",
            "weather",
        )
    inside = asker.answer(Exists(asker.select("floor"))) == "yes"
    word = "indoors" if inside else "outdoors"
    program = (Step("select", "scene"), Step("query", "location", (0,)))
    text = asker.rng.choice(("Is it indoors or outdoors?", "Is this indoors or outdoors?"))
    return Asked(
        text, word, f"It is {word}.", program, "locationChoose", "global", "choose", "01c-location", "location"
    )


def query_kind(asker: Asker, _: str) -> Asked | None:
    """What kind of animal is it?"""
    tops = [
        top
        for top in ("animal", "vehicle", "furniture", "fruit", "person")
        if sum(asker.ontology.is_a(t.name, top) for t in asker.things) == 1
    ]
    top = asker.pick(tops)
    if top is None:
        return None
    thing = next(each for each in asker.things if asker.ontology.is_a(each.name, top))
    text = {
        "person": "Who is in the picture?",
        "furniture": "What kind of furniture is in the picture?",
    }.get(
        top,
        asker.rng.choice(
            (f"What kind of {top} is it?", f"What {top} is in this photo?", f"What kind of {top} is this?")
        ),
    )
    program = (Step("select", f"{top} ({thing.id})"), Step("query", "name", (0,)))
    full = f"The {top} is {asker.write(asker.select(thing.name), 'a')}."
    return Asked(text, thing.name, full, program, "category", "cat", "query", f"11q-{top}", top)


def query_side(asker: Asker, wanted: str) -> Asked | None:
    """On which side of the picture is the dog?"""
    side = "left" if wanted == "yes" else "right"
    sided = [one for one in asker.described if asker.answer(OnSide(one.definite(), side)) == "yes"]  # type: ignore[arg-type]
    one = asker.notable_one(sided)
    if one is None:
        return None
    be, words = _be(one.selection), asker.the(one)
    text = asker.rng.choice(
        (f"On which side of the picture {be} {words}?", f"Which side of the image {be} {words} on?")
    )
    program = (*_select(one), Step("query", "hposition", (len(_select(one)) - 1,)))
    full = f"{words.capitalize()} {be} on the {side} of the image."
    local = f"10q-{one.thing.name}_hposition"
    return Asked(text, side, full, program, "positionQuery", "attr", "query", local, None, _mention(asker, one))


def choose_attribute(asker: Asker, _: str) -> Asked | None:
    """Is the dog brown or black?"""
    found = _with_family(asker, besides=("length",))
    if found is None:
        return None
    one, family, word = found
    other = asker.other_word(family, word)
    options = [word, other]
    asker.rng.shuffle(options)
    query = Choose(tuple(Option(each, HasAttribute(one.definite(), each)) for each in options))
    if asker.answer(query) != word:
        return None
    be, words = _be(one.selection), asker.the(one)
    made = "made of " if family == "material" else ""
    text = f"{be.capitalize()} {words} {made}{options[0]} or {options[1]}?"
    program = (*_select(one), Step(f"choose {family}", f"{word}|{other}", (len(_select(one)) - 1,)))
    full = f"{words.capitalize()} {be} {made}{word}."
    local = f"10c-{one.thing.name}_{family}"
    return Asked(text, word, full, program, "chooseAttr", "attr", "choose", local, family, _mention(asker, one))


def choose_side(asker: Asker, wanted: str) -> Asked | None:
    """Is the dog to the left or to the right of the tree?"""
    side = "left" if wanted == "yes" else "right"
    one, other = asker.notable_one(asker.described), asker.notable_one(asker.described)
    if one is None or other is None or one.thing is other.thing or one.thing.name == other.thing.name:
        return None
    holds = {each: RelationHolds(one.definite(), f"to the {each} of", other.definite()) for each in ("left", "right")}
    query = Choose(tuple(Option(each, holds[each]) for each in holds))
    if asker.answer(query) != side:
        return None
    be, words, target = _be(one.selection), asker.the(one), asker.the(other)
    first, second = asker.rng.choice((("left", "right"), ("right", "left")))
    text = f"{be.capitalize()} {words} to the {first} or to the {second} of {target}?"
    wrong = "right" if side == "left" else "left"
    chosen = f"{one.thing.name},to the {side} of|to the {wrong} of,s ({one.thing.id})"
    program = (*_select(other), Step("choose rel", chosen, (len(_select(other)) - 1,)))
    full = f"{words.capitalize()} {be} to the {side} of {target}."
    local = f"13-{other.thing.name}_{one.thing.name}"
    mentions = (*_mention(asker, one), *_mention(asker, other))
    return Asked(text, side, full, program, "relChooser", "rel", "choose", local, None, mentions)


def compare(asker: Asker, wanted: str) -> Asked | None:
    """Do the ball and the kite have the same color?"""
    rng = asker.rng
    family = rng.choice(("color", "color", "material", "pattern"))
    able = [
        one
        for one in asker.described
        if asker.word_of(one.thing, family) and one.selection.number == "singular" and not one.selection.attributes
    ]
    if len(able) < 2:
        return None
    first, second = rng.sample(able, 2)
    words = [asker.word_of(one.thing, family) for one in (first, second)]
    same = words[0] == words[1]
    different = rng.random() < 0.5
    if ("yes" if same != different else "no") != wanted:
        return None
    names = f"{asker.the(first)} and {asker.the(second)}"
    if different:
        text = f"Do {names} have different {family}s?"
    else:
        text = f"Do {names} have the same {family}?"
    if same:
        full = f"{'No' if different else 'Yes'}, both {names} are {words[0]}."
    else:
        full = (
            f"{'Yes' if different else 'No'}, {asker.the(first)} is {words[0]} and {asker.the(second)} is {words[1]}."
        )
    program = (
        Step("select", f"{first.thing.name} ({first.thing.id})"),
        Step("select", f"{second.thing.name} ({second.thing.id})"),
        Step(f"{'different' if different else 'same'} {family}", "", (0, 1)),
    )
    detailed = "twoDifferent" if different else "twoSame"
    local = f"10-{'_'.join(sorted((first.thing.name, second.thing.name)))}_{family}"
    mentions = (*_mention(asker, first), *_mention(asker, second))
    return Asked(text, wanted, full, program, detailed, "attr", "compare", local, None, mentions)


def _with_family(asker: Asker, besides: tuple[str, ...] = ()) -> tuple[Described, str, str] | None:
    """A thing with a name of its own and one attribute to ask about that the name does not give away."""
    one = asker.notable_one([each for each in asker.described if asker.families_of(each.thing)])
    if one is None:
        return None
    named = {asker.ontology.family_of[word] for word in one.selection.attributes}
    families = [family for family in asker.families_of(one.thing) if family not in named and family not in besides]
    family = asker.pick(families)
    word = None if family is None else asker.word_of(one.thing, family)
    return None if family is None or word is None else (one, family, word)


def _select(one: Described) -> tuple[Step, ...]:
    """The steps that pick a described thing."""
    steps = [Step("select", f"{one.thing.name} ({one.thing.id})")]
    for word in one.selection.attributes:
        steps.append(Step("filter", word, (len(steps) - 1,)))
    return tuple(steps)


def _mention(asker: Asker, one: Described) -> tuple[tuple[str, str], ...]:
    return ((asker.write(one.selection), one.thing.id),)


def _category(asker: Asker, thing: SceneObject) -> str | None:
    """The kind of thing that an answer is, as GQA groups them."""
    parents = asker.ontology.kinds[thing.name].parent_names
    above = "person" if asker.ontology.is_a(thing.name, "person") else (parents[0] if parents else None)
    return None if above == "thing" else above


FORMS: tuple[tuple[Form, int], ...] = (
    (exists, 4),
    (exists_with_attribute, 2),
    (exists_related, 2),
    (verify_attribute, 1),
    (verify_relation, 1),
    (logical, 1),
    (query_attribute, 2),
    (query_relation, 1),
    (query_place, 1),
    (query_kind, 1),
    (query_side, 1),
    (choose_attribute, 1),
    (choose_side, 1),
    (compare, 1),
)
"""Every form, with how many questions of it a scene gets."""
