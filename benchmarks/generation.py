"""Generating CARETS: pairs of questions a second and core, from scene graphs of GQA's size.

    python benchmarks/generation.py [--images N] [--rounds N] [--graphs FILE] [--short]

The graphs are made up over the ontology's vocabulary, each with 17 objects and 50 relations, as GQA has them on
average. Those of GQA itself are used too where there are some (``--graphs``), drawn again and again under new ids.
Times are processor time, the median of several seeds. A busy machine is a slow one, so look at the ratio: in the same
run the questions that were found are posed again in the plain way, each from a scene of its own and read with one
template after the other. That is but a part of the work, for finding them is left out.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from _short_form import DATA, parse_options

from falter.core.bundle import BUNDLES
from falter.data.images import Source
from falter.data.items import Probe
from falter.data.sources import open_source
from falter.generation.authoring.generator import GenerateContext, rare_collection
from falter.generation.authoring.options import GenerateOptions
from falter.generation.cooccurrence import load_table
from falter.generation.english import Grammar, default_grammar
from falter.generation.english.ontology import Ontology, load_ontology
from falter.generation.inspection.audit import audit
from falter.generation.scene import Scene, query_from_json
from falter.world.write_world import write_world

GQA = DATA / "gqa/scene_graphs.json"
TESTS = ("rephrase", "ontology", "order", "negation", "antonym")
OBJECTS, RELATIONS = 17, 50
SIDEWAYS = 22
"""Times that one thing is to the left of another, and the other to the right of it: nine of ten of GQA's relations."""
ATTRIBUTES = ((0, 1, 2, 3), (52, 36, 9, 3))
"""How many attributes a thing has, and of how many things in a hundred."""
GOAL = 2000


def main(given: Sequence[str] | None = None) -> None:
    """Print one line a step."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--images", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--graphs", type=Path, default=GQA, help="scene graphs of GQA, used where there are some")
    parser.add_argument("--again", type=int, default=300, help="pairs that are posed again in the plain way")
    options = parse_options(parser, given, images=20, rounds=1, again=3)
    grammar = start_up()
    sources = {"made up": made_up(options.images, 0), "of the world": world(options.images)}
    if options.graphs.is_file():
        sources["of GQA"] = drawn_again(json.loads(options.graphs.read_text()), options.images, 0)
    with tempfile.TemporaryDirectory() as folder:
        for name, graphs in sources.items():
            path = Path(folder) / f"{name.replace(' ', '-')}.json"
            path.write_text(json.dumps(graphs))
            print(f"\n{len(graphs)} graphs {name}: {size_of(graphs)}")
            measure(open_source(f"gqa:graphs={path}"), grammar, options.rounds, options.again)
    print(f"\npeak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def start_up() -> Grammar:
    """Load what every run loads before its first pair, and print what that takes."""
    imported = time.process_time()
    grammar = default_grammar()
    with_grammar = time.process_time()
    load_table()
    with_table = time.process_time()
    print(
        f"start-up, not counted below: grammar {with_grammar - imported:.2f} s, "
        f"table of counts {with_table - with_grammar:.2f} s"
    )
    return grammar


def measure(source: Source, grammar: Grammar, rounds: int, again: int) -> None:
    """Print the speed of generating, of posing the same questions again, and of auditing."""
    speeds = []
    for seed in range(rounds):
        start = time.process_time()
        chosen = GenerateOptions(seed=seed, tests=TESTS, images="none")
        context = GenerateContext(source=source, options=chosen)
        with rare_collection():
            probes = list(BUNDLES.get("carets").get("generator").probes(source, chosen, context))
        speeds.append(len(probes) / (time.process_time() - start))
    ours = statistics.median(speeds)
    print(
        f"  generated: {len(probes)} pairs a seed, {ours:,.0f} a second and core "
        f"({min(speeds):,.0f} to {max(speeds):,.0f}; goal {GOAL:,})"
    )
    some = Random(0).sample(probes, min(again, len(probes)))
    plain = posed_plainly(some, source, grammar)
    print(f"  posed again in the plain way: {plain:,.0f} a second and core; ratio {ours / plain:.1f}")
    start = time.process_time()
    result = audit(probes, source, grammar)
    spent = time.process_time() - start
    print(f"  audited: {result.items / spent:,.0f} items a second and core, {result.disagree} disagreements")


def posed_plainly(probes: list[Probe], source: Source, grammar: Grammar) -> float:
    """Pairs a second when nothing is remembered from one question to the next."""
    start = time.process_time()
    for probe in probes:
        for item in probe.items:
            assert item.image_id is not None
            assert item.meaning is not None
            graph = source.scene(item.image_id)
            assert graph is not None
            assert query_from_json(item.meaning).answer(Scene(graph, grammar.ontology)) == item.gold
            grammar.phrases.forget()
            assert sum(len(template.parse(item.text)) for template in grammar.templates)
    return len(probes) / (time.process_time() - start)


def size_of(graphs: dict[str, Any]) -> str:
    """What the graphs have on average."""
    things = [thing for graph in graphs.values() for thing in graph["objects"].values()]
    relations = sum(len(thing["relations"]) for thing in things)
    return f"{len(things) / len(graphs):.1f} objects and {relations / len(graphs):.1f} relations each"


def world(images: int) -> dict[str, Any]:
    """The embedded world's graphs, which say more of fewer things."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        write_world(Path(folder) / "world", images, 0, images=False)
        print(
            f"scenes of the world composed and written: {images / (time.process_time() - start):.0f} a second and core"
        )
        graphs: dict[str, Any] = {}
        for path in sorted(Path(folder).glob("world/*/*_sceneGraphs.json")):
            graphs |= json.loads(path.read_text())
    return graphs


def drawn_again(graphs: dict[str, Any], images: int, seed: int) -> dict[str, Any]:
    """So many of the graphs, drawn with repeats, under ids of their own."""
    rng = Random(seed)
    ids = sorted(graphs)
    return {str(number): graphs[rng.choice(ids)] for number in range(images)}


def made_up(images: int, seed: int) -> dict[str, Any]:
    """Graphs of GQA's size over the ontology: common and rare kinds, what suits them, boxes that settle sides."""
    rng = Random(seed)
    ontology = load_ontology()
    names = sorted(name for name, kind in ontology.kinds.items() if kind.askable and not ontology.descendants[name])
    rng.shuffle(names)
    # As in pictures, few names are seen often and many seldom.
    often = [1.0 / (place + 10) for place in range(len(names))]
    return {str(number): _graph(names, often, ontology, rng) for number in range(images)}


def _graph(names: list[str], often: list[float], ontology: Ontology, rng: Random) -> dict[str, Any]:
    objects: dict[str, dict[str, Any]] = {}
    for number, name in enumerate(rng.choices(names, often, k=OBJECTS)):
        wide, high = rng.randint(20, 160), rng.randint(20, 160)
        box = {"x": rng.randint(0, 500 - wide), "y": rng.randint(0, 375 - high), "w": wide, "h": high}
        attributes = _attributes(name, ontology, rng)
        objects[str(number)] = {"name": name, **box, "attributes": attributes, "relations": []}
    apart = [
        (left, right)
        for left, one in objects.items()
        for right, other in objects.items()
        if one["x"] + one["w"] <= other["x"]
    ]
    for left, right in rng.sample(apart, min(SIDEWAYS, len(apart))):
        objects[left]["relations"].append({"name": "to the left of", "object": right})
        objects[right]["relations"].append({"name": "to the right of", "object": left})
    others = [
        (one, name, other)
        for one in objects
        for other in objects
        if one != other
        for name in _relations(objects[one]["name"], objects[other]["name"], ontology)
    ]
    made = sum(len(thing["relations"]) for thing in objects.values())
    for one, name, other in rng.sample(others, min(RELATIONS - made, len(others))):
        objects[one]["relations"].append({"name": name, "object": other})
    return {"width": 500, "height": 375, "objects": objects}


def _attributes(name: str, ontology: Ontology, rng: Random) -> list[str]:
    families = [family for family in ontology.families if ontology.family_applies_to(family, name)]
    chosen = rng.sample(families, min(rng.choices(*ATTRIBUTES)[0], len(families)))
    return [rng.choice(ontology.families[family].values) for family in chosen]


def _relations(first: str, second: str, ontology: Ontology) -> list[str]:
    above, beyond = ontology.ancestors(first), ontology.ancestors(second)
    return [
        name
        for name, record in ontology.relations.items()
        if record.askable and not above.isdisjoint(record.subjects) and not beyond.isdisjoint(record.objects)
    ]


if __name__ == "__main__":
    main()
