"""A run in the schema of Every Eval Ever: scores with their uncertainty, and a record an item."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from falter.core.files import atomic_file, sha256_of_file, write_atomically
from falter.core.untrusted_text import hide_address
from falter.core.version import __version__
from falter.data.model_options import ModelOptions
from falter.data.suite import Suite
from falter.evaluation.exporting.harness_items import prompt_of, target_of
from falter.evaluation.models.prompts import load_prompt
from falter.evaluation.runs import Run

SCHEMA_VERSION = "0.3.0"
_BOUNDS = {"share": (0.0, 1.0), "number": ("-Infinity", "Infinity")}


class EveryEvalEver:
    """Writes ``data/SUITE/DEVELOPER/MODEL/UUID.json`` and ``UUID_samples.jsonl`` beside it.

    The id follows from the run, so that the same run has the same files; the time is that of its ``run.json``.
    """

    def write(self, run: Run, folder: Path, out: Path) -> dict[str, int]:
        del out
        developer, model = _model_path(run)
        suite = run.suite()
        digest = hashlib.sha256(f"{run.manifest.model.fingerprint} {suite.fingerprint}".encode()).digest()
        name = str(uuid.UUID(bytes=digest[:16], version=4))
        place = Path("data") / _slug(suite.name) / developer / model
        (folder / place).mkdir(parents=True)
        made_at = str(int((run.folder / "run.json").stat().st_mtime))
        shared = {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": f"{suite.name}/{developer}_{model}/{made_at}",
        }
        results = list(_results(run, suite))
        samples = place / f"{name}_samples.jsonl"
        count = 0
        with atomic_file(folder / samples) as stream:
            for record in _samples(run, suite, {**shared, "model_id": f"{developer}/{model}"}):
                stream.write(msgspec.json.encode(record) + b"\n")
                count += 1
        aggregate = {
            **shared,
            "retrieved_timestamp": made_at,
            "source_metadata": {
                "source_name": suite.manifest.title or suite.name,
                "source_type": "evaluation_run",
                "source_organization_name": "unknown",
                "evaluator_relationship": "other",
            },
            "eval_library": {"name": "falter", "version": __version__},
            "model_info": _model_info(run, developer, model),
            "evaluation_results": results,
            "detailed_evaluation_results": {
                "format": "jsonl",
                "file_path": samples.as_posix(),
                "hash_algorithm": "sha256",
                "checksum": sha256_of_file(folder / samples),
                "total_rows": count,
            },
        }
        path = place / f"{name}.json"
        write_atomically(folder / path, msgspec.json.format(msgspec.json.encode(aggregate), indent=2) + b"\n")
        return {path.as_posix(): len(results), samples.as_posix(): count}


def _model_path(run: Run) -> tuple[str, str]:
    """Developer and name: those of a model on a hub, else ``local``."""
    model = run.manifest.model
    hub = re.fullmatch(r"(?:hf|clip):([\w.-]+)/([\w.-]+)", model.spec)
    return (hub[1], hub[2]) if hub else ("local", _slug(model.name))


def _slug(name: str) -> str:
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-. ") or "unnamed"
    return f"{slug}-" if slug.casefold() == "data" else slug


def _model_info(run: Run, developer: str, model: str) -> dict[str, Any]:
    record = run.manifest.model
    return {
        "name": record.name,
        "id": f"{developer}/{model}",
        "developer": developer,
        "additional_details": {
            "deployment_type": "unknown",
            "model_availability": "open_weights" if developer != "local" else "unknown",
            "spec": hide_address(record.spec),
            "fingerprint": record.fingerprint,
            **({} if record.prompt_fingerprint is None else {"prompt": record.prompt_fingerprint}),
        },
    }


def _results(run: Run, suite: Suite) -> Iterator[dict[str, Any]]:
    """A result for each test and measure that has a value, counts of replies excepted."""
    scores = run.scores()
    measures = {measure.name: measure for measure in scores.measures}
    for row in scores.rows:
        measure = measures[row.measure]
        if row.value is None or measure.scale == "count":
            continue
        low, high = _BOUNDS["number" if measure.scale == "number" else "share"]
        uncertainty: dict[str, Any] = {"num_samples": row.n}
        if row.low is not None and row.high is not None:
            uncertainty["confidence_interval"] = {
                "lower": row.low,
                "upper": row.high,
                "confidence_level": 0.95,
                "method": "bootstrap over images",
            }
            uncertainty["num_bootstrap_samples"] = 1000
        yield {
            "evaluation_result_id": f"{row.suite}:{row.test}:{row.measure}",
            "evaluation_name": f"{row.suite}:{row.test}",
            "source_data": {
                "dataset_name": suite.name,
                "source_type": "other",
                "additional_details": {"fingerprint": suite.fingerprint, "licence": suite.manifest.licence},
            },
            "metric_config": {
                "evaluation_description": measure.description,
                "metric_id": row.measure,
                "metric_name": measure.title,
                "metric_unit": "proportion" if measure.scale != "number" else "points",
                "lower_is_better": False,
                "score_type": "continuous",
                "min_score": low,
                "max_score": high,
                "additional_details": {"signature": row.signature},
            },
            "score_details": {"score": row.value, "uncertainty": uncertainty},
        }


def _samples(run: Run, suite: Suite, shared: dict[str, str]) -> Iterator[dict[str, Any]]:
    """A record an item of the run: what was asked, what came back, and whether it is right."""
    prompt = load_prompt(ModelOptions())
    outcomes = {
        (row["probe_id"], row["variant"]): row
        for row in run.outcomes().select("probe_id", "variant", "outcome", "credit").to_dicts()
    }
    replies = {row["item_id"]: row for row in run.replies().to_dicts()}
    for item in suite.items():
        outcome = outcomes.get((item.probe_id, item.variant))
        reply = replies.get(item.item_id)
        if outcome is None or reply is None:
            continue
        said = reply["text"] if reply["text"] is not None else _said(reply)
        reference = list(item.answers) if item.answers else [target_of(item)]
        formatted = prompt_of(item, suite, prompt)
        hashed = hashlib.sha256((item.text + "".join(reference)).encode()).hexdigest()
        yield {
            **shared,
            "evaluation_name": f"{item.suite}:{item.test}",
            "sample_id": f"{item.probe_id}:{item.variant}",
            "sample_hash": hashed,
            "interaction_type": "single_turn",
            "input": {
                "raw": item.text,
                "formatted": formatted,
                "reference": reference,
                "choices": None if item.choices is None else list(item.choices),
            },
            "output": {"raw": [said]},
            "answer_attribution": [
                {
                    "turn_idx": 0,
                    "source": "output.raw",
                    "extracted_value": _said(reply),
                    "extraction_method": f"falter reader {run.manifest.reader or ''}".strip(),
                    "is_terminal": True,
                }
            ],
            "evaluation": {
                "score": float(outcome["credit"] or 0.0),
                "is_correct": outcome["outcome"] == "correct",
            },
            "error": reply["error"],
            "metadata": {
                "item_id": item.item_id,
                "probe_id": item.probe_id,
                "variant": str(item.variant),
                "expects": item.expects,
                "status": reply["status"],
                **({} if item.image_id is None else {"image_id": item.image_id}),
            },
        }


def _said(reply: dict[str, Any]) -> str:
    if reply["answer"] is not None:
        return str(reply["answer"])
    return "" if reply["score"] is None else repr(reply["score"])


EVERY_EVAL_EVER = EveryEvalEver()
