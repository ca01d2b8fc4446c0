"""Questions that are answered with yes or no."""

from __future__ import annotations

from falter.scene import And, Exists, HasAttribute, ObjectDescription, Or, Query, Related
from falter.world.gqa_question import Asked, Step, be, first_of, id_of, mention, said, select, then, with_family
from falter.world.question_sampler import Asker

__all__ = [
    "compare",
    "exists",
    "exists_related",
    "exists_with_attribute",
    "logical",
    "verify_attribute",
    "verify_relation",
]


def _there_is(asker: Asker, selection: ObjectDescription, wanted: str) -> str:
    if wanted == "yes":
        return f"Yes, there {be(selection)} {asker.write(selection, 'a')}."
    return f"No, there {be(selection)} no {asker.write(selection)}."


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
    selection = asker.select(kind, plural=rng.random() < 0.4)
    if not said(asker, Exists(selection), wanted):
        return None
    words = asker.write(selection, "a" if selection.number == "singular" else "any")
    is_there = f"{be(selection).capitalize()} there {words}"
    ends = ("", " in this picture", " in the image", " in the photo")
    text = rng.choice((*(f"{is_there}{end}?" for end in ends), f"Do you see {words}?", f"Do you see {words} there?"))
    program = then((Step("select", f"{kind} ({id_of(first_of(asker, kind))})"),), "exist", "?")
    detailed = "exist" if wanted == "yes" else "existC"
    full = _there_is(asker, selection, wanted)
    return Asked(text, wanted, full, program, detailed, "obj", "verify", f"03-{kind}")


def exists_with_attribute(asker: Asker, wanted: str) -> Asked | None:
    """Is there a red ball?"""
    rng = asker.rng
    thing = asker.notable([each for each in asker.things if asker.families_of(each)])
    if thing is None:
        return None
    family = rng.choice(asker.families_of(thing))
    word = asker.word_of(thing, family)
    if word is None:
        return None
    if wanted == "no":
        word = asker.other_word(family, word)
    kind = thing.name
    selection = asker.select(kind, word)
    if not said(asker, Exists(selection), wanted):
        return None
    some = "a" if selection.number == "singular" else "any"
    verb = be(selection)
    chance = rng.random()
    if chance < 0.6:
        end = rng.choice(("", " in the picture", " in this photo"))
        text = f"{verb.capitalize()} there {asker.write(selection, some)}{end}?"
    elif chance < 0.8:
        text = f"Do you see {asker.write(selection, some)}?"
    else:
        text = f"{verb.capitalize()} there {asker.write(asker.select(kind), some)} that {verb} {word}?"
    program = then(then((Step("select", f"{kind} ({thing.id})"),), f"filter {family}", word), "exist", "?")
    detailed = "existAttr" if wanted == "yes" else "existAttrC"
    full = _there_is(asker, selection, wanted)
    return Asked(text, wanted, full, program, detailed, "obj", "verify", f"04-{kind}_{word}")


def exists_related(asker: Asker, wanted: str) -> Asked | None:
    """Is there a man to the left of the tree?"""
    rng = asker.rng
    target = asker.notable_one(asker.described)
    if target is None:
        return None
    relation = rng.choice(("to the left of", "to the right of"))
    here = [thing.name for thing in asker.things]
    kind = rng.choice(here) if wanted == "yes" or rng.random() < 0.5 else asker.absent_kind()
    if rng.random() < 0.3:
        bonds = [
            (thing.name, each.name)
            for thing in asker.things
            for each in thing.relations
            if each.target == target.thing.id and each.name not in ("near", "next to", "on")
        ]
        kind, relation = asker.pick(bonds) or (kind, relation)
        if wanted == "no":
            kind = asker.absent_kind(asker.ontology.relations[relation].subjects)
    selection = asker.select(kind, relation=Related(relation, target.definite()))
    if kind == target.thing.name or selection.number == "plural" or not said(asker, Exists(selection), wanted):
        return None
    words = asker.write(selection, "a" if selection.number == "singular" else "any")
    text = rng.choice((f"Is there {words}?", f"Do you see {words}?"))
    found = id_of(first_of(asker, kind)) if wanted == "yes" else "-"
    program = then(then(select(target), "relate", f"{kind},{relation},s ({found})"), "exist", "?")
    detailed = "existRelS" if wanted == "yes" else "existRelSC"
    local = f"13-{target.thing.name}_{kind}"
    full = _there_is(asker, selection, wanted)
    return Asked(text, wanted, full, program, detailed, "rel", "verify", local, None, mention(asker, target))


def verify_attribute(asker: Asker, wanted: str) -> Asked | None:
    """Is the dog brown?"""
    found = with_family(asker)
    if found is None:
        return None
    one, family, right = found
    word = right if wanted == "yes" else asker.other_word(family, right)
    if not said(asker, HasAttribute(one.definite(), word), wanted):
        return None
    verb, words = be(one.selection), asker.the(one)
    texts = [f"{verb.capitalize()} {words} {word}?"]
    if family in ("color", "mood", "size"):
        texts.append(f"{'Do' if verb == 'are' else 'Does'} {words} look {word}?")
    full = f"Yes, {words} {verb} {word}." if wanted == "yes" else f"No, {words} {verb} {right}."
    program = then(select(one), f"verify {family}", word)
    detailed = "verifyAttr" if wanted == "yes" else "verifyAttrC"
    local = f"06-{one.thing.name}_{word}"
    text = asker.rng.choice(texts)
    return Asked(text, wanted, full, program, detailed, "attr", "verify", local, None, mention(asker, one))


def verify_relation(asker: Asker, wanted: str) -> Asked | None:
    """Is the man holding a cup?"""
    relations = asker.ontology.relations
    pairs = [
        (one, relation.name, asker.world.graph.objects[relation.target])
        for one in asker.described
        for relation in one.thing.relations
        if relations[relation.name].sort != "spatial" and relation.name not in ("under", "on")
    ]
    chosen = asker.pick(pairs)
    if chosen is None:
        return None
    one, relation, target = chosen
    kind: str | None = target.name
    if wanted == "no":
        suited = [
            each
            for each in (*asker.likely, *sorted(asker.counts))
            if each != target.name and any(asker.ontology.is_a(each, top) for top in relations[relation].objects)
        ]
        kind = asker.pick(suited)
    if kind is None:
        return None
    selection = asker.select(kind)
    doing = asker.select(one.selection.kind, *one.selection.attributes, relation=Related(relation, selection))
    if not said(asker, Exists(doing), wanted):
        return None
    verb, words, what = be(one.selection), asker.the(one), asker.write(selection, "a")
    instead = asker.write(asker.select(target.name), "a")
    full = f"Yes, {words} {verb} {relation} {what}." if wanted == "yes" else f"No, {words} {verb} {relation} {instead}."
    found = target.id if wanted == "yes" else "-"
    program = then(select(one), "verify rel", f"{kind},{relation},o ({found})")
    detailed = "relVerify" if wanted == "yes" else "relVerifyCo"
    text = f"{verb.capitalize()} {words} {relation} {what}?"
    local = f"13-{one.thing.name}_{kind}"
    return Asked(text, wanted, full, program, detailed, "rel", "verify", local, None, mention(asker, one))


def logical(asker: Asker, wanted: str) -> Asked | None:
    """Are there both a dog and a cat? Is there either a dog or a cat?"""
    rng = asker.rng
    both = rng.random() < 0.5
    first = asker.present_kind() if wanted == "yes" or (both and rng.random() < 0.7) else asker.absent_kind()
    second = asker.present_kind() if wanted == "yes" and (both or rng.random() < 0.4) else asker.absent_kind()
    kinds = [first, second] if rng.random() < 0.5 else [second, first]
    selections = [asker.select(kind) for kind in kinds]
    if first == second or any(each.number == "plural" for each in selections):
        return None
    parts = (Exists(selections[0]), Exists(selections[1]))
    query: Query = And(parts) if both else Or(parts)
    if not said(asker, query, wanted):
        return None
    words = [asker.write(each, "a") for each in selections]
    link = "and" if both else "or"
    where = rng.choice(("this photo", "the image", "this picture"))
    text = f"{'Are there both' if both else 'Is there either'} {words[0]} {link} {words[1]} in {where}?"
    if wanted == "yes":
        shown = (
            words if both else [word for word, part in zip(words, parts, strict=True) if said(asker, part, "yes")][:1]
        )
        full = f"Yes, there {'are both' if both else 'is'} {' and '.join(shown)}."
    else:
        missing = [each for each, part in zip(selections, parts, strict=True) if said(asker, part, "no")]
        full = f"No, there is no {' or '.join(asker.write(each) for each in missing)}."
    steps: list[Step] = []
    for kind in kinds:
        steps.append(Step("select", f"{kind} ({id_of(first_of(asker, kind))})"))
        steps.append(Step("exist", "?", (len(steps) - 1,)))
    steps.append(Step(link, "", (1, 3)))
    name = "existAnd" if both else "existOr"
    detailed = name if wanted == "yes" else f"{name}C"
    return Asked(text, wanted, full, tuple(steps), detailed, "obj", "logical", f"09{name}-{'_'.join(sorted(kinds))}")


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
    same, different = words[0] == words[1], rng.random() < 0.5
    if ("yes" if same != different else "no") != wanted:
        return None
    names = f"{asker.the(first)} and {asker.the(second)}"
    text = f"Do {names} have different {family}s?" if different else f"Do {names} have the same {family}?"
    told = f"{asker.the(first)} is {words[0]} and {asker.the(second)} is {words[1]}"
    full = f"{wanted.capitalize()}, {told}."
    program = (
        Step("select", f"{first.thing.name} ({first.thing.id})"),
        Step("select", f"{second.thing.name} ({second.thing.id})"),
        Step(f"{'different' if different else 'same'} {family}", "", (0, 1)),
    )
    detailed = "twoDifferent" if different else "twoSame"
    local = f"10-{'_'.join(sorted((first.thing.name, second.thing.name)))}_{family}"
    mentions = mention(asker, first, second)
    return Asked(text, wanted, full, program, detailed, "attr", "compare", local, None, mentions)
