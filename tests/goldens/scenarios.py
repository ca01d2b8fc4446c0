"""What goldens are made of: suites of a small world, imported releases, and fixed runs on them.

A scenario runs commands in a folder of its own and collects what they write and print.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.goldens import commands, releases
from tests.goldens.commands import Program
from tests.goldens.records import Key, Printed, Records, rename_keys, without_versions
from tests.integrity.sealing import edit_manifest

__all__ = ["DATA", "REAL", "SCENARIOS", "collect", "make_world"]

DATA = Path(__file__).parent / "data"
REAL = Path(__file__).parents[2] / "../shared/data"
"""Published data beside the checkout."""

VAL, TRAIN = "gqa:../world/val", "gqa:../world/train"
TESTS = ("antonym", "negation", "ontology", "order", "rephrase", "visual")


def make_world(folder: Path) -> None:
    """Draw the world that the scenarios share."""
    Program(folder)("world", "--out", "world", "--num-scenes", "80", "--seed", "7")


def demo(program: Program, printed: Printed) -> None:
    """The demo: a CARETS suite, its models, and runs without the image, repeated, and under two prompts."""
    folder = program.folder
    _world(folder.parent / "world", printed)
    tests = [part for test in TESTS for part in ("--test", test)]
    made = ("generate", "carets", "--from", VAL)
    program(*made, *tests, "--size", "20", "--seed", "3", "--out", "carets")
    program(*made, "--test", "order", "--test", "ontology", "--size", "60", "--images", "none", "--out", "texts")
    for name in ("carets", "texts"):
        printed.suite(name, folder / name)
        _inspect(program, printed, name)

    scenes, train = ("--scenes", VAL), ("--train", TRAIN)
    bow_image = ("--model", commands.BOW_IMAGE, *train)
    runs: dict[str, tuple[str, ...]] = {
        "oracle": ("--model", "builtin:oracle", *scenes),
        "noisy": ("--model", "builtin:noisy-oracle,p=0.8", *scenes),
        "bow-image": bow_image,
        "blind": ("--model", "builtin:blind", *train),
        "prior": ("--model", "builtin:prior", *train),
        "always-yes": ("--model", "builtin:always-yes"),
        "repeated": (*bow_image, "--repeat", "2"),
        "blank": (*bow_image, commands.IMAGE_INPUT, "blank"),
        "shuffled": (*bow_image, commands.IMAGE_INPUT, "shuffle", "--seed", "5"),
        "blind-none": ("--model", "builtin:blind", *train, commands.IMAGE_INPUT, "none"),
        "limited": ("--model", "builtin:prior", *train, "--limit", "30", "--seed", "4"),
        "plain": ("--model", "builtin:noisy-oracle,p=0.7,seed=1", *scenes),
        "tagged": ("--model", "builtin:noisy-oracle,p=0.6,seed=2", *scenes),
    }
    for name, options in runs.items():
        program("run", "carets", *options, "--out", f"runs/{name}")
        printed.files(name, folder / "runs" / name, "replies*.parquet")
    for name in ("plain", "tagged"):
        _pass_for_prompt(folder / "runs" / name, name)
    printed.scores(program.json("score", *(f"runs/{name}" for name in runs)))
    printed.scores(program.json("score", "runs/noisy", "runs/bow-image", "--by", "type", "--seed", "2"), "by type, ")
    printed.scores(program.json("score", "runs/blind", "--by", "form", "--by", "answer"), "by form and answer, ")
    for first, second, *by in (("bow-image", "blind", "--by", "type"), ("noisy", "prior"), ("bow-image", "repeated")):
        printed.comparisons(program.json("compare", f"runs/{first}", f"runs/{second}", *by))
    printed.overlap(program.json(*commands.OVERLAP, "runs/bow-image", "runs/blind", "runs/noisy"))
    required = ("carets.negation.c_acc>=0.6", "carets.order.acc[form=single]>10%", "carets.visual.cons<=0.99")
    options = [part for one in required for part in ("--require", one)]
    printed.checks("bow-image", program.json("check", "runs/bow-image", *options, statuses=(0, 1)))


def imports(program: Program, printed: Printed) -> None:
    """Releases of VALSE and CARETS, imported; scores of captions and foils, and choices between them."""
    folder = program.folder
    releases.write_valse(folder / "released-valse")
    program("import", "valse", "released-valse", "--out", "valse")
    program("import", "valse", "released-valse", commands.ITEM_FORMAT, "choice", "--out", "choice")
    graphs = json.loads((folder.parent / "world/val/val_sceneGraphs.json").read_text())
    releases.write_carets(folder / "released-carets", graphs)
    views = (commands.IMAGE_DIR, "../world/val/images", "--scenes", VAL, commands.VISUAL_SIZE, "6")
    program("import", "carets", "released-carets", *views, "--out", "carets")
    for name in ("valse", "choice", "carets"):
        printed.suite(f"imported {name}", folder / name)
    _inspect(program, printed, "valse")

    releases.write_matches(folder / "similar.jsonl", strength=0.2, score_kind=None, released=True)
    releases.write_matches(folder / "likely.jsonl", strength=0.3, score_kind="probability", released=False)
    releases.write_choices(folder / "chosen.jsonl", folder / "released-valse")
    runs = {
        "similar": ("valse", "file:similar.jsonl#score_kind=similarity"),
        "likely": ("valse", "file:likely.jsonl"),
        "chosen": ("choice", "file:chosen.jsonl"),
        "always-yes": ("carets", "builtin:always-yes"),
    }
    for name, (suite, model) in runs.items():
        # What the files lack counts as failed.
        program("run", suite, "--model", model, "--out", f"runs/{name}", statuses=(0, 1))
        printed.files(name, folder / "runs" / name, "replies*.parquet")
    printed.scores(program.json("score", *(f"runs/{name}" for name in runs)))
    printed.scores(program.json("score", "runs/likely", "--by", "piece", "--subset", "all"), "all by piece, ")
    printed.scores(program.json("score", "runs/chosen", "--by", "piece", "--subset", "unanimous"), "unanimous, ")
    printed.comparisons(program.json("compare", "runs/similar", "runs/likely", "--by", "piece"))
    printed.overlap(program.json(*commands.OVERLAP, "runs/similar", "runs/likely"))
    required = ("valse.existence.acc_r>=0.6", "valse.mean.min_pc_pf>=50%", "valse.all.auroc>0.5")
    options = [part for one in required for part in ("--require", one)]
    # The file is of part of the pairs.
    options += ["--allow-missing", "100%"]
    printed.checks("likely", program.json("check", "runs/likely", *options, statuses=(0, 1)))


def basic_questions(program: Program, printed: Printed) -> None:
    """Basic questions of the world's VQA files as noise, and what they do to two models."""
    folder = program.folder
    main, pool = "vqa:../world/val", "vqa:../world/train"
    ranked = ("--pool", pool, "--ranker", "lasso", "--ranker", "bleu-2", "--encoder", "hashing:64")
    main_questions = ("--from", main, "--size", "30", "--images", "none")
    program("generate", "basic-questions", *main_questions, *ranked, "--out", "suite")
    printed.suite("suite", folder / "suite")
    printed.files("suite", folder / "suite", "GBQD-*.json")
    queries = ("--query", "Is there a dog?", "--query", "What color is the car?", "--top", "4")
    for number, one in enumerate(program.json(*commands.RANK, *ranked, *queries)):
        printed.tree("rank", str(number), "", one)

    runs = {"prior": "builtin:prior", "blind": "builtin:blind"}
    for name, model in runs.items():
        program("run", "suite", "--model", model, "--train", pool, "--out", f"runs/{name}")
        printed.files(name, folder / "runs" / name, "replies*.parquet")
    printed.scores(program.json("score", "runs/prior", "runs/blind"))
    printed.scores(
        program.json("score", "runs/blind", "--by", "partition", commands.VQA_RULE, "min3"), "by partition, "
    )
    printed.comparisons(program.json("compare", "runs/prior", "runs/blind"))
    printed.overlap(program.json(*commands.OVERLAP, "runs/prior", "runs/blind"))
    for run in rename_keys(program.json(*commands.ROBUSTNESS, "runs/prior", "runs/blind")):
        for table in ("robustness", "vqabq"):
            for found in run[table]:
                found["signature"] = without_versions(found["signature"])
                printed.tree(table, Path(run["run"]).name, found.pop("test"), found)


def real_valse(program: Program, printed: Printed) -> None:
    """The released VALSE, with the published scores of two models."""
    program("import", "valse", (REAL / "valse").resolve(), "--out", "valse")
    printed.suite("valse", program.folder / "valse")
    for name in ("albef_4m", "blip2_itm_pretrain"):
        file = f"{(REAL / 'valse-scores').resolve()}/{name}.jsonl"
        program("run", "valse", "--model", f"file:{file}", "--out", name, statuses=(0, 1))
        printed.files(name, program.folder / name, "replies*.parquet")
    printed.scores(program.json("score", "albef_4m", "blip2_itm_pretrain", "--by", "piece"))
    printed.comparisons(program.json("compare", "albef_4m", "blip2_itm_pretrain"))
    printed.overlap(program.json(*commands.OVERLAP, "albef_4m", "blip2_itm_pretrain"))


def real_carets(program: Program, printed: Printed) -> None:
    """The released CARETS, and a model that always says yes."""
    program("import", "carets", (REAL / "carets").resolve(), "--out", "carets")
    printed.suite("carets", program.folder / "carets")
    program("run", "carets", "--model", "builtin:always-yes", "--out", "always-yes")
    printed.files("always-yes", program.folder / "always-yes", "replies*.parquet")
    printed.scores(program.json("score", "always-yes"))


SCENARIOS: dict[str, Callable[[Program, Printed], None]] = {
    "demo": demo,
    "imports": imports,
    "basic_questions": basic_questions,
    "real_valse": real_valse,
    "real_carets": real_carets,
}


def collect(name: str, folder: Path) -> Records:
    """Run a scenario in a folder inside ``folder``, beside the world."""
    work = folder / name
    work.mkdir()
    printed = Printed()
    SCENARIOS[name](Program(work), printed)
    return printed.records


def _world(world: Path, printed: Printed) -> None:
    """Images, scene graphs, questions and annotations, without the version and the licence in their heads."""
    for split in ("train", "val"):
        printed.images(f"world {split}", world / split / "images")
        for path in sorted((world / split).glob("*.json")):
            content: dict[str, Any] = json.loads(path.read_text())
            for prose in ("info", "license"):
                content.pop(prose, None)
            digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()
            printed.add(Key("files", f"world {split}", "", path.name), digest)


def _inspect(program: Program, printed: Printed, suite: str) -> None:
    """What a suite holds, and how far text alone goes."""
    contents = program.json("inspect", suite, "--sample", "0", "--blind")
    for check in contents.pop("blind"):
        told = rename_keys(check)
        name = f"{told.pop('questions')}, {told.pop('baseline')}"
        printed.tree("blind_check", suite, told.pop("test"), told, name)
    for name, test in contents["tests"].items():
        printed.tree("contents", suite, name, test)


def _pass_for_prompt(run: Path, prompt: str) -> None:
    """Make a run one of a model that was asked with a prompt: builtin models have none."""
    manifest = json.loads((run / "run.json").read_text())
    manifest["model"] |= {"spec": "golden:model", "prompt": prompt, "prompt_fingerprint": prompt}
    edit_manifest(run / "run.json", model=manifest["model"])
