"""Open and choice questions: what, who, which, and one of two."""

from __future__ import annotations

from collections.abc import Iterator

from falter.generation.askable import rules
from falter.generation.scene import Choose, Exists, HasAttribute, Option, RelationHolds, SceneObject
from falter.world.questions import (
    DescribedObject,
    GqaQuestion,
    ProgramStep,
    QuestionSampler,
    copula,
    has_answer,
    mention,
    select,
    then,
    with_family,
)

_DOING = rules.words("doing-relations", "without clothes")
_DOING_OR_WEARING = rules.words("doing-relations", "with clothes")
_GROUPS = ("animal", "vehicle", "furniture", "fruit", "person")


def query_attribute(sampler: QuestionSampler, _: str) -> GqaQuestion | None:
    """What color is the dog?"""
    found = with_family(sampler, besides=("size", "length", "opening", "light"))
    if found is None:
        return None
    one, family, word = found
    if not has_answer(sampler, HasAttribute(one.definite(), word), "yes"):
        return None
    verb, words = copula(one.description), sampler.the(one)
    do = "do" if verb == "are" else "does"
    texts: dict[str, tuple[str, ...]] = {
        "color": (f"What color {verb} {words}?", f"Which color {verb} {words}?", f"What is the color of {words}?"),
        "material": (f"What {verb} {words} made of?", f"What material {verb} {words} made of?"),
        "pattern": (f"Which pattern {do} {words} have?", f"What pattern is on {words}?"),
        "shape": (f"What shape {verb} {words}?", f"Which shape {do} {words} have?"),
        "pose": (f"What {verb} {words} doing?", f"Which pose {verb} {words} in?"),
        "mood": (f"How {do} {words} look?", f"How {do} {words} feel?"),
    }
    # "What is she doing?" asks for what she does with something, not for her pose.
    if family == "pose" and (sampler.family_word(one.thing, "action") or _does_something(sampler, one.thing)):
        return None
    made = "made of " if family == "material" else ""
    full = f"{words.capitalize()} {verb} {made}{word}."
    detailed = {"material": "material", "pose": "activity"}.get(family, "directOf")
    local = f"10q-{one.thing.name}_{family}"
    text = sampler.rng.choice(texts[family])
    program = then(select(one), "query", family)
    return GqaQuestion(text, word, full, program, detailed, "attr", "query", local, family, mention(sampler, one))


def _does_something(sampler: QuestionSampler, thing: SceneObject) -> bool:
    relations = sampler.ontology.relations
    return any(relations[each.name].relation_class in _DOING for each in thing.relations)


def query_relation(sampler: QuestionSampler, _: str) -> GqaQuestion | None:
    """What is the man holding? Who is wearing the hat?"""
    complete = sampler.world.graph.complete
    relations = sampler.ontology.relations
    verbs = [name for name, word in relations.items() if word.relation_class in _DOING_OR_WEARING and name in complete]
    questions = [question for one in sampler.described for question in _about(sampler, one, verbs)]
    # Clothes alone would otherwise be most of the answers.
    worn = [question for question in questions if "wearing" in question.local]
    return sampler.pick([each for each in questions if each not in worn] or worn)


def _about(sampler: QuestionSampler, one: DescribedObject, verbs: list[str]) -> Iterator[GqaQuestion]:
    for verb in verbs:
        targets = sampler.patients.get((one.thing.id, verb), [])
        if len(targets) == 1:
            target = sampler.world.graph.objects[targets[0]]
            who = "Who" if sampler.ontology.is_a(target.name, "person") else "What"
            text = f"{who} {copula(one.description)} {sampler.the(one)} {verb}?"
            what = sampler.write(sampler.select(target.name), "a")
            full = f"{sampler.the(one).capitalize()} {copula(one.description)} {verb} {what}."
            yield _relation(sampler, one, target, text, full, f"_,{verb},o", "relO")
        agents = sampler.agents.get((verb, one.thing.id), [])
        if len(agents) == 1:
            person = sampler.ontology.is_a(agents[0].name, "person")
            text = f"{'Who' if person else 'What'} is {verb} {sampler.the(one)}?"
            full = f"The {agents[0].name} is {verb} {sampler.the(one)}."
            yield _relation(sampler, one, agents[0], text, full, f"{'person' if person else '_'},{verb},s", "relS")


def _relation(
    sampler: QuestionSampler,
    one: DescribedObject,
    found: SceneObject,
    text: str,
    full: str,
    argument: str,
    detailed: str,
) -> GqaQuestion:
    program = then(then(select(one), "relate", f"{argument} ({found.id})"), "query", "name")
    local = f"14-{one.thing.name}_{argument.partition(',')[2]}"
    group = _category(sampler, found)
    return GqaQuestion(text, found.name, full, program, detailed, "rel", "query", local, group, mention(sampler, one))


def _category(sampler: QuestionSampler, thing: SceneObject) -> str | None:
    """The category of an answer, as GQA groups them."""
    parents = sampler.ontology.kinds[thing.name].parent_names
    above = "person" if sampler.ontology.is_a(thing.name, "person") else next(iter(parents), None)
    return None if above == "thing" else above


def query_place(sampler: QuestionSampler, _: str) -> GqaQuestion | None:
    """Is it indoors or outdoors? How is the weather?"""
    rng, weather = sampler.rng, sampler.world.graph.weather
    scene = (ProgramStep("select", "scene"),)
    if weather is not None and rng.random() < 0.5:
        text = rng.choice(("How is the weather?", "How's the weather?"))
        program = then(scene, "query", "weather")
        return GqaQuestion(
            text, weather, f"It is {weather}.", program, "weather", "global", "query", "02q-weather", "weather"
        )
    word, other = (
        ("indoors", "outdoors")
        if has_answer(sampler, Exists(sampler.select("floor")), "yes")
        else ("outdoors", "indoors")
    )
    text = rng.choice(("Is it indoors or outdoors?", "Is this indoors or outdoors?", "Is it outdoors or indoors?"))
    program = then(scene, "choose location", f"{word}|{other}")
    full = f"It is {word}."
    return GqaQuestion(text, word, full, program, "locationChoose", "global", "choose", "01c-location", "location")


def query_kind(sampler: QuestionSampler, _: str) -> GqaQuestion | None:
    """What kind of animal is it?"""
    members = {top: [each for each in sampler.things if sampler.ontology.is_a(each.name, top)] for top in _GROUPS}
    top = sampler.pick([name for name, things in members.items() if len(things) == 1])
    if top is None:
        return None
    thing = members[top][0]
    usual = (f"What kind of {top} is it?", f"What {top} is in this photo?", f"What kind of {top} is this?")
    texts = {"person": ("Who is in the picture?",), "furniture": ("What kind of furniture is in the picture?",)}
    program = then((ProgramStep("select", f"{top} ({thing.id})"),), "query", "name")
    full = f"The {top} is {sampler.write(sampler.select(thing.name), 'a')}."
    text = sampler.rng.choice(texts.get(top, usual))
    return GqaQuestion(text, thing.name, full, program, "category", "cat", "query", f"11q-{top}", top)


def choose_attribute(sampler: QuestionSampler, _: str) -> GqaQuestion | None:
    """Is the dog brown or black?"""
    found = with_family(sampler)
    if found is None:
        return None
    one, family, word = found
    other = sampler.other_word(family, word)
    options = [word, other] if sampler.rng.random() < 0.5 else [other, word]
    query = Choose(tuple(Option(each, HasAttribute(one.definite(), each)) for each in options))
    if not has_answer(sampler, query, word):
        return None
    verb, words = copula(one.description), sampler.the(one)
    made = "made of " if family == "material" else ""
    text = f"{verb.capitalize()} {words} {made}{options[0]} or {options[1]}?"
    full = f"{words.capitalize()} {verb} {made}{word}."
    program = then(select(one), f"choose {family}", f"{word}|{other}")
    local = f"10c-{one.thing.name}_{family}"
    return GqaQuestion(text, word, full, program, "chooseAttr", "attr", "choose", local, family, mention(sampler, one))


def choose_side(sampler: QuestionSampler, wanted: str) -> GqaQuestion | None:
    """Is the dog to the left or to the right of the tree?"""
    side, wrong = ("left", "right") if wanted == "yes" else ("right", "left")
    one, other = sampler.notable_one(sampler.described), sampler.notable_one(sampler.described)
    if one is None or other is None or one.thing.name == other.thing.name:
        return None
    holds = {each: RelationHolds(one.definite(), f"to the {each} of", other.definite()) for each in (side, wrong)}
    if not has_answer(sampler, Choose(tuple(Option(each, query) for each, query in holds.items())), side):
        return None
    verb, words, target = copula(one.description), sampler.the(one), sampler.the(other)
    first, second = (side, wrong) if sampler.rng.random() < 0.5 else (wrong, side)
    text = f"{verb.capitalize()} {words} to the {first} or to the {second} of {target}?"
    full = f"{words.capitalize()} {verb} to the {side} of {target}."
    argument = f"{one.thing.name},to the {side} of|to the {wrong} of,s ({one.thing.id})"
    program = then(select(other), "choose rel", argument)
    local = f"13-{other.thing.name}_{one.thing.name}"
    return GqaQuestion(
        text, side, full, program, "relChooser", "rel", "choose", local, None, mention(sampler, one, other)
    )
