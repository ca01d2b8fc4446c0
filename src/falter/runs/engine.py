"""Putting a suite to a model: every distinct item once, every reply written down as it comes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Protocol

import msgspec

from falter.errors import BadUse
from falter.models.failures import is_transient
from falter.models.protocol import Model
from falter.models.reply import Reply, Request
from falter.probes import Suite
from falter.runs.asking import Asker
from falter.runs.cache import ReplyCache
from falter.runs.cache_key import cache_key
from falter.runs.lock import locked
from falter.runs.log import ReplyLog, read_log
from falter.runs.manifest import write_run_manifest
from falter.runs.plan import Plan, can_be_asked, plan_run
from falter.runs.requests import flatten_context, requests_of
from falter.runs.resume import begin_or_resume, manifest_for, sweep
from falter.runs.settings import Settings
from falter.runs.store import LOG_NAME, Run, compact, counts_of, open_run

__all__ = ["Reporter", "dry_run", "run_suite"]


class Reporter(Protocol):
    """Told what happens, so that the command line can show it."""

    def planned(self, plan: Plan) -> None:
        """Called once, before anything is asked."""
        ...

    def received(self, count: int) -> None:
        """Called with the number of items that have been dealt with since the last call."""
        ...


class _Silent:
    def planned(self, plan: Plan) -> None:
        """Say nothing."""

    def received(self, count: int) -> None:
        """Say nothing."""


def run_suite(
    suite: Suite,
    model: Model,
    out: Path,
    settings: Settings | None = None,
    *,
    spec: str = "",
    batch_size: int | None = None,
    cache: ReplyCache | None = None,
    reporter: Reporter | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Run:
    """Ask a model everything in a suite that ``out`` does not hold a reply to yet.

    A run that was killed goes on where it stopped: what is on disk is not asked again, but for failures that may have
    passed (``transient``). A run whose last failures are such stays open, so that running it again asks them.
    """
    settings = settings or Settings()
    reporter = reporter or _Silent()
    size = _batch_size(model, batch_size)
    manifest = manifest_for(suite, model, settings, spec=spec)
    begin_or_resume(out, manifest)
    with _held(out):
        old = begin_or_resume(out, manifest)
        if old is not None and old.complete:
            (out / LOG_NAME).unlink(missing_ok=True)
            reporter.planned(_nothing_left(suite, model, settings, size, old.asked))
            return open_run(out)
        content = read_log(out / LOG_NAME)
        plan, probes = plan_run(suite, model, settings, batch_size=size, on_disk=content.replies)
        manifest = msgspec.structs.replace(manifest, asked=plan.items)
        write_run_manifest(out, manifest)
        reporter.planned(plan)
        with ReplyLog(out / LOG_NAME, content) as log:
            pending = _open(requests_of(suite, probes), log)
            for replies in _ask_all(pending, model, size, cache, Asker(model, sleep=sleep)):
                log.append(replies)
                log.replies.update((reply.item_id, reply) for reply in replies)
                reporter.received(len(replies))
        if any(is_transient(reply) for reply in log.replies.values()):
            write_run_manifest(out, msgspec.structs.replace(manifest, counts=counts_of(log.replies)))
        else:
            compact(out, manifest, log.replies)
    return open_run(out)


@contextmanager
def _held(out: Path) -> Iterator[None]:
    """The run's folder, made where it is missing and locked; gone again if nothing came to stand in it."""
    made = not out.exists()
    out.mkdir(parents=True, exist_ok=True)
    try:
        with locked(out):
            sweep(out)
            yield
    finally:
        if made and not any(out.iterdir()):
            out.rmdir()


def dry_run(
    suite: Suite, model: Model, out: Path, settings: Settings | None = None, *, batch_size: int | None = None
) -> Plan:
    """What :func:`run_suite` would ask; nothing is asked and nothing written."""
    settings = settings or Settings()
    size = _batch_size(model, batch_size)
    old = begin_or_resume(out, manifest_for(suite, model, settings, spec=""))
    if old is not None and old.complete:
        return _nothing_left(suite, model, settings, size, old.asked)
    plan, _ = plan_run(suite, model, settings, batch_size=size, on_disk=read_log(out / LOG_NAME).replies)
    return plan


def _batch_size(model: Model, given: int | None) -> int:
    size = model.batch_size if given is None else given
    if size < 1:
        raise BadUse(f"a batch holds at least 1 item, not {size}")
    return size


def _nothing_left(suite: Suite, model: Model, settings: Settings, size: int, asked: int) -> Plan:
    return Plan(
        suite=suite.name,
        model=model.name,
        probes=0,
        rows=0,
        items=asked,
        images=0,
        answered=asked,
        unsupported=0,
        to_ask=0,
        batch_size=size,
        limit=settings.limit,
        notes=("this run is complete: nothing is left to ask",),
    )


def _open(requests: Iterator[Request], log: ReplyLog) -> Iterator[Request]:
    """The requests that are still to be replied to."""
    for request in requests:
        known = log.replies.get(request.item_id)
        if known is None or is_transient(known):
            yield request


def _ask_all(
    requests: Iterator[Request], model: Model, size: int, cache: ReplyCache | None, asker: Asker
) -> Iterator[list[Reply]]:
    """Batches of finished replies; what the model cannot be asked, or was asked before, goes around it."""
    if not getattr(model, "cacheable", True):
        cache = None
    while window := list(islice(requests, size)):
        around: list[Reply] = []
        batch: list[Request] = []
        keys: dict[str, str] = {}
        for request in window:
            if not can_be_asked(model, request):
                around.append(Reply(item_id=request.item_id, status="unsupported"))
                continue
            shown = request if model.reads_context else flatten_context(request)
            if cache is not None:
                key = cache_key(model, shown)
                kept = cache.get(key, request.item_id)
                if kept is not None:
                    around.append(kept)
                    continue
                keys[request.item_id] = key
            batch.append(shown)
        replies = asker.ask(batch) if batch else []
        if cache is not None:
            _keep(cache, keys, replies)
        yield around + replies
    yield asker.held_back()


def _keep(cache: ReplyCache, keys: dict[str, str], replies: Sequence[Reply]) -> None:
    cache.put((keys[reply.item_id], reply) for reply in replies if reply.item_id in keys)
