"""Questions that are answered with yes or no."""

from __future__ import annotations

from falter.generation.askable.placement import SIDES
from falter.generation.scene import And, Exists, HasAttribute, ObjectDescription, Or, Query, Related
from falter.world.questions import (
    GqaQuestion,
    ProgramStep,
    QuestionSampler,
    copula,
    first_object,
    has_answer,
    mention,
    program_id,
    select,
    then,
    with_family,
)


def _there_is(sampler: QuestionSampler, description: ObjectDescription, wanted: str) -> str:
    if wanted == "yes":
        return f"Yes, there {copula(description)} {sampler.write(description, 'a')}."
    return f"No, there {copula(description)} no {sampler.write(description)}."


def exists(sampler: QuestionSampler, wanted: str) -> GqaQuestion | None:
    """Is there such a thing?"""
    rng = sampler.rng
    if wanted == "yes":
        kind = sampler.present_kind()
        above = sorted(sampler.ontology.ancestors(kind) - {kind, "thing", "place", "body part"})
        if above and rng.random() < 0.2:
            kind = rng.choice(above)
    else:
        kind = sampler.absent_kind()
    description = sampler.select(kind, plural=rng.random() < 0.4)
    if not has_answer(sampler, Exists(description), wanted):
        return None
    words = sampler.write(description, "a" if description.number == "singular" else "any")
    is_there = f"{copula(description).capitalize()} there {words}"
    ends = ("", " in this picture", " in the image", " in the photo")
    text = rng.choice((*(f"{is_there}{end}?" for end in ends), f"Do you see {words}?", f"Do you see {words} there?"))
    program = then((ProgramStep("select", f"{kind} ({program_id(first_object(sampler, kind))})"),), "exist", "?")
    detailed = "exist" if wanted == "yes" else "existC"
    full = _there_is(sampler, description, wanted)
    return GqaQuestion(text, wanted, full, program, detailed, "obj", "verify", f"03-{kind}")


def exists_with_attribute(sampler: QuestionSampler, wanted: str) -> GqaQuestion | None:
    """Is there a red ball?"""
    rng = sampler.rng
    thing = sampler.notable([each for each in sampler.things if sampler.word_families(each)])
    if thing is None:
        return None
    family = rng.choice(sampler.word_families(thing))
    word = sampler.family_word(thing, family)
    if word is None:
        return None
    if wanted == "no":
        word = sampler.other_word(family, word)
    kind = thing.name
    description = sampler.select(kind, word)
    if not has_answer(sampler, Exists(description), wanted):
        return None
    some = "a" if description.number == "singular" else "any"
    verb = copula(description)
    chance = rng.random()
    if chance < 0.6:
        end = rng.choice(("", " in the picture", " in this photo"))
        text = f"{verb.capitalize()} there {sampler.write(description, some)}{end}?"
    elif chance < 0.8:
        text = f"Do you see {sampler.write(description, some)}?"
    else:
        text = f"{verb.capitalize()} there {sampler.write(sampler.select(kind), some)} that {verb} {word}?"
    program = then(then((ProgramStep("select", f"{kind} ({thing.id})"),), f"filter {family}", word), "exist", "?")
    detailed = "existAttr" if wanted == "yes" else "existAttrC"
    full = _there_is(sampler, description, wanted)
    return GqaQuestion(text, wanted, full, program, detailed, "obj", "verify", f"04-{kind}_{word}")


def exists_related(sampler: QuestionSampler, wanted: str) -> GqaQuestion | None:
    """Is there a man to the left of the tree?"""
    rng = sampler.rng
    target = sampler.notable_one(sampler.described)
    if target is None:
        return None
    relation = rng.choice(SIDES)
    here = [thing.name for thing in sampler.things]
    kind = rng.choice(here) if wanted == "yes" or rng.random() < 0.5 else sampler.absent_kind()
    if rng.random() < 0.3:
        related_kinds = [
            (thing.name, each.name)
            for thing in sampler.things
            for each in thing.relations
            if each.target == target.thing.id and each.name not in ("near", "next to", "on")
        ]
        kind, relation = sampler.pick(related_kinds) or (kind, relation)
        if wanted == "no":
            kind = sampler.absent_kind(sampler.ontology.relations[relation].subjects)
    description = sampler.select(kind, relation=Related(relation, target.definite()))
    if (
        kind == target.thing.name
        or description.number == "plural"
        or not has_answer(sampler, Exists(description), wanted)
    ):
        return None
    words = sampler.write(description, "a" if description.number == "singular" else "any")
    text = rng.choice((f"Is there {words}?", f"Do you see {words}?"))
    found = program_id(first_object(sampler, kind)) if wanted == "yes" else "-"
    program = then(then(select(target), "relate", f"{kind},{relation},s ({found})"), "exist", "?")
    detailed = "existRelS" if wanted == "yes" else "existRelSC"
    local = f"13-{target.thing.name}_{kind}"
    full = _there_is(sampler, description, wanted)
    return GqaQuestion(text, wanted, full, program, detailed, "rel", "verify", local, None, mention(sampler, target))


def verify_attribute(sampler: QuestionSampler, wanted: str) -> GqaQuestion | None:
    """Is the dog brown?"""
    found = with_family(sampler)
    if found is None:
        return None
    one, family, right = found
    word = right if wanted == "yes" else sampler.other_word(family, right)
    if not has_answer(sampler, HasAttribute(one.definite(), word), wanted):
        return None
    verb, words = copula(one.description), sampler.the(one)
    texts = [f"{verb.capitalize()} {words} {word}?"]
    if family in ("color", "mood", "size"):
        texts.append(f"{'Do' if verb == 'are' else 'Does'} {words} look {word}?")
    full = f"Yes, {words} {verb} {word}." if wanted == "yes" else f"No, {words} {verb} {right}."
    program = then(select(one), f"verify {family}", word)
    detailed = "verifyAttr" if wanted == "yes" else "verifyAttrC"
    local = f"06-{one.thing.name}_{word}"
    text = sampler.rng.choice(texts)
    return GqaQuestion(text, wanted, full, program, detailed, "attr", "verify", local, None, mention(sampler, one))


def verify_relation(sampler: QuestionSampler, wanted: str) -> GqaQuestion | None:
    """Is the man holding a cup?"""
    relations = sampler.ontology.relations
    pairs = [
        (one, relation.name, sampler.world.graph.objects[relation.target])
        for one in sampler.described
        for relation in one.thing.relations
        if relations[relation.name].relation_class != "spatial" and relation.name not in ("under", "on")
    ]
    chosen = sampler.pick(pairs)
    if chosen is None:
        return None
    one, relation, target = chosen
    kind: str | None = target.name
    if wanted == "no":
        suited = [
            each
            for each in (*sampler.likely, *sorted(sampler.counts))
            if each != target.name and any(sampler.ontology.is_a(each, top) for top in relations[relation].objects)
        ]
        kind = sampler.pick(suited)
    if kind is None:
        return None
    description = sampler.select(kind)
    doing = sampler.select(one.description.kind, *one.description.attributes, relation=Related(relation, description))
    if not has_answer(sampler, Exists(doing), wanted):
        return None
    verb, words, what = copula(one.description), sampler.the(one), sampler.write(description, "a")
    instead = sampler.write(sampler.select(target.name), "a")
    full = f"Yes, {words} {verb} {relation} {what}." if wanted == "yes" else f"No, {words} {verb} {relation} {instead}."
    found = target.id if wanted == "yes" else "-"
    program = then(select(one), "verify rel", f"{kind},{relation},o ({found})")
    detailed = "relVerify" if wanted == "yes" else "relVerifyCo"
    text = f"{verb.capitalize()} {words} {relation} {what}?"
    local = f"13-{one.thing.name}_{kind}"
    return GqaQuestion(text, wanted, full, program, detailed, "rel", "verify", local, None, mention(sampler, one))


def logical(sampler: QuestionSampler, wanted: str) -> GqaQuestion | None:
    """Are there both a dog and a cat? Is there either a dog or a cat?"""
    rng = sampler.rng
    both = rng.random() < 0.5
    first = sampler.present_kind() if wanted == "yes" or (both and rng.random() < 0.7) else sampler.absent_kind()
    second = sampler.present_kind() if wanted == "yes" and (both or rng.random() < 0.4) else sampler.absent_kind()
    kinds = [first, second] if rng.random() < 0.5 else [second, first]
    descriptions = [sampler.select(kind) for kind in kinds]
    if first == second or any(each.number == "plural" for each in descriptions):
        return None
    parts = (Exists(descriptions[0]), Exists(descriptions[1]))
    query: Query = And(parts) if both else Or(parts)
    if not has_answer(sampler, query, wanted):
        return None
    words = [sampler.write(each, "a") for each in descriptions]
    link = "and" if both else "or"
    where = rng.choice(("this photo", "the image", "this picture"))
    text = f"{'Are there both' if both else 'Is there either'} {words[0]} {link} {words[1]} in {where}?"
    if wanted == "yes":
        shown = (
            words
            if both
            else [word for word, part in zip(words, parts, strict=True) if has_answer(sampler, part, "yes")][:1]
        )
        full = f"Yes, there {'are both' if both else 'is'} {' and '.join(shown)}."
    else:
        missing = [each for each, part in zip(descriptions, parts, strict=True) if has_answer(sampler, part, "no")]
        full = f"No, there is no {' or '.join(sampler.write(each) for each in missing)}."
    steps: list[ProgramStep] = []
    for kind in kinds:
        steps.append(ProgramStep("select", f"{kind} ({program_id(first_object(sampler, kind))})"))
        steps.append(ProgramStep("exist", "?", (len(steps) - 1,)))
    steps.append(ProgramStep(link, "", (1, 3)))
    name = "existAnd" if both else "existOr"
    detailed = name if wanted == "yes" else f"{name}C"
    return GqaQuestion(
        text, wanted, full, tuple(steps), detailed, "obj", "logical", f"09{name}-{'_'.join(sorted(kinds))}"
    )


def compare(sampler: QuestionSampler, wanted: str) -> GqaQuestion | None:
    """Do the ball and the kite have the same color?"""
    rng = sampler.rng
    family = rng.choice(("color", "color", "material", "pattern"))
    able = [
        one
        for one in sampler.described
        if sampler.family_word(one.thing, family)
        and one.description.number == "singular"
        and not one.description.attributes
    ]
    if len(able) < 2:
        return None
    first, second = rng.sample(able, 2)
    words = [sampler.family_word(one.thing, family) for one in (first, second)]
    same, different = words[0] == words[1], rng.random() < 0.5
    if ("yes" if same != different else "no") != wanted:
        return None
    names = f"{sampler.the(first)} and {sampler.the(second)}"
    text = f"Do {names} have different {family}s?" if different else f"Do {names} have the same {family}?"
    told = f"{sampler.the(first)} is {words[0]} and {sampler.the(second)} is {words[1]}"
    full = f"{wanted.capitalize()}, {told}."
    program = (
        ProgramStep("select", f"{first.thing.name} ({first.thing.id})"),
        ProgramStep("select", f"{second.thing.name} ({second.thing.id})"),
        ProgramStep(f"{'different' if different else 'same'} {family}", "", (0, 1)),
    )
    detailed = "twoDifferent" if different else "twoSame"
    local = f"10-{'_'.join(sorted((first.thing.name, second.thing.name)))}_{family}"
    mentions = mention(sampler, first, second)
    return GqaQuestion(text, wanted, full, program, detailed, "attr", "compare", local, None, mentions)
