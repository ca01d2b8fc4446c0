"""Putting a suite to a model: every distinct item once, every reply written down as it comes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Protocol

import msgspec

from falter.engine.cache import ReplyCache
from falter.engine.estimate import Estimator
from falter.engine.image_input import check_switch, needs_pictures, switch_for
from falter.engine.model_calls import Asker
from falter.engine.plan import Plan, Planned, plan_run
from falter.engine.request_filter import Gate
from falter.engine.requests import requests_of
from falter.engine.resume import begin_or_resume, manifest_for, pictures_folder, sweep
from falter.engine.self_batching import Record, ask_by_stream
from falter.errors import UsageError
from falter.models.failures import BudgetSpent, is_transient
from falter.models.options import ModelOptions
from falter.models.prices import read_prices
from falter.models.protocol import Model
from falter.models.request import Request
from falter.probes import Suite
from falter.runs.lock import locked
from falter.runs.manifest import RunManifest, write_run_manifest
from falter.runs.reply import Reply
from falter.runs.reply_log import ReplyLog, read_log
from falter.runs.settings import Settings
from falter.runs.store import Run, compact, counts_of, log_name, open_run, remove_logs

__all__ = ["Reporter", "dry_run", "run_suite"]


class Reporter(Protocol):
    """Told what happens, so that the command line can show it."""

    def planned(self, plan: Plan) -> None:
        """Called once, before anything is asked."""
        ...

    def received(self, count: int) -> None:
        """Called with the number of items that have been dealt with since the last call, from any thread."""
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
    name: str | None = None,
    batch_size: int | None = None,
    cache: ReplyCache | None = None,
    options: ModelOptions | None = None,
    reporter: Reporter | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Run:
    """Ask a model everything in a suite that ``out`` does not hold a reply to yet.

    A run that was killed goes on where it stopped: what is on disk is not asked again, but for failures that may have
    passed (``transient``). A run whose last failures are such stays open, so that running it again asks them, and so
    does one whose model raises :class:`~falter.models.BudgetSpent`. ``name`` is what to call the model in tables, where
    that is not its own name; ``options`` with prices let the plan tell the cost.
    """
    settings = settings or Settings()
    reporter = reporter or _Silent()
    size = _batch_size(model, batch_size)
    manifest = manifest_for(suite, model, settings, spec=spec, name=name)
    check_switch(model, settings)
    begin_or_resume(out, manifest)
    with _held(out), ExitStack() as stack:
        old = begin_or_resume(out, manifest)
        if old is not None and old.complete:
            remove_logs(out, settings.repeat)
            reporter.planned(_nothing_left(suite, manifest.model.name, settings, size, old.asked))
            return open_run(out)
        contents = [read_log(out / log_name(number)) for number in range(1, settings.repeat + 1)]
        logs = [content.replies for content in contents]
        look = None
        if options is not None and options.prices is not None:
            look = _estimator(suite, model, settings, options, cache)
        plan, probes = _plan(suite, model, settings, size, logs, look)
        manifest = msgspec.structs.replace(manifest, asked=plan.items)
        write_run_manifest(out, manifest)
        reporter.planned(msgspec.structs.replace(plan, model=manifest.model.name))
        show = switch_for(suite, settings, stack.enter_context(pictures_folder(out)) if settings.image else None)
        began = time.monotonic()
        try:
            for number, content in enumerate(contents, start=1):
                # A repetition that was answered from the cache would always agree.
                kept = cache if number == 1 else None
                gate = Gate(model, show, kept, needs_image=needs_pictures(model, settings))
                with ReplyLog(out / log_name(number), content) as log:
                    pending = _open(requests_of(suite, probes), log)
                    _ask_all(pending, model, gate, _recorder(log, reporter), size, batch_size, sleep)
        except BudgetSpent as spent:
            raise _told_how_to_go_on(spent, out, manifest, logs) from spent
        if cache is not None and plan.to_ask:
            cache.took(model.fingerprint, plan.to_ask, time.monotonic() - began)
        if any(is_transient(reply) for replies in logs for reply in replies.values()):
            write_run_manifest(out, msgspec.structs.replace(manifest, counts=counts_of(logs[0])))
        else:
            compact(out, manifest, logs[0], logs[1:])
    return open_run(out)


def _told_how_to_go_on(
    spent: BudgetSpent, out: Path, manifest: RunManifest, logs: Sequence[Mapping[str, Reply]]
) -> BudgetSpent:
    """The end of a budget with what is there and what to do; the run stays open."""
    write_run_manifest(out, msgspec.structs.replace(manifest, counts=counts_of(logs[0])))
    had = sum(len(replies) for replies in logs)
    return BudgetSpent(
        f"{spent}: {had} of {manifest.asked * len(logs)} replies are kept in {out}; give the same command again, with "
        "a budget for the rest, to go on"
    )


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
    suite: Suite,
    model: Model,
    out: Path,
    settings: Settings | None = None,
    *,
    name: str | None = None,
    batch_size: int | None = None,
    cache: ReplyCache | None = None,
    options: ModelOptions | None = None,
) -> Plan:
    """What :func:`run_suite` would ask, and what that would take; nothing is asked and nothing written."""
    settings = settings or Settings()
    size = _batch_size(model, batch_size)
    check_switch(model, settings)
    manifest = manifest_for(suite, model, settings, spec="", name=name)
    old = begin_or_resume(out, manifest)
    if old is not None and old.complete:
        return _nothing_left(suite, manifest.model.name, settings, size, old.asked)
    on_disk = [read_log(out / log_name(number)).replies for number in range(1, settings.repeat + 1)]
    look = _estimator(suite, model, settings, options or ModelOptions(), cache)
    plan = _plan(suite, model, settings, size, on_disk, look).plan
    return msgspec.structs.replace(plan, model=manifest.model.name)


def _estimator(
    suite: Suite, model: Model, settings: Settings, options: ModelOptions, cache: ReplyCache | None
) -> Estimator:
    prices = None if options.prices is None else read_prices(options.prices)
    return Estimator(model, options, show=switch_for(suite, settings, None), prices=prices, cache=cache)


def _plan(
    suite: Suite,
    model: Model,
    settings: Settings,
    size: int,
    on_disk: Sequence[Mapping[str, Reply]],
    look: Estimator | None,
) -> Planned:
    """What there is to ask, and where an estimator looks on, what that will take."""
    planned = plan_run(suite, model, settings, batch_size=size, on_disk=on_disk, look=look)
    if look is None:
        return planned
    return planned._replace(plan=msgspec.structs.replace(planned.plan, estimate=look.estimate()))


def _batch_size(model: Model, given: int | None) -> int:
    size = model.capabilities.batch_size if given is None else given
    if size < 1:
        raise UsageError(f"a batch holds at least 1 item, not {size}")
    return size


def _nothing_left(suite: Suite, name: str, settings: Settings, size: int, asked: int) -> Plan:
    return Plan(
        suite=suite.name,
        model=name,
        probes=0,
        rows=0,
        items=asked,
        images=0,
        answered=asked * settings.repeat,
        unsupported=0,
        to_ask=0,
        batch_size=size,
        limit=settings.limit,
        repeat=settings.repeat,
        notes=("this run is complete: nothing is left to ask",),
    )


def _open(requests: Iterator[Request], log: ReplyLog) -> Iterator[Request]:
    """The requests that are still to be replied to."""
    for request in requests:
        known = log.replies.get(request.item_id)
        if known is None or is_transient(known):
            yield request


def _recorder(log: ReplyLog, reporter: Reporter) -> Record:
    """Writes replies down, from whatever thread they come."""
    lock = threading.Lock()

    def record(replies: Sequence[Reply]) -> None:
        if not replies:
            return
        with lock:
            log.append(replies)
            log.replies.update((reply.item_id, reply) for reply in replies)
        reporter.received(len(replies))

    return record


def _ask_all(
    requests: Iterator[Request],
    model: Model,
    gate: Gate,
    record: Record,
    size: int,
    given_size: int | None,
    sleep: Callable[[float], None],
) -> None:
    """Record a reply to every request; what the model cannot be asked, or was asked before, goes around it."""
    reply_unordered = model.capabilities.reply_unordered
    if reply_unordered is not None:
        ask_by_stream(requests, model.name, reply_unordered, gate, record, given_size)
        return
    asker = Asker(model, sleep=sleep)
    try:
        while window := list(islice(requests, size)):
            admitted = [gate.admit(request) for request in window]
            batch = [one for one in admitted if isinstance(one, Request)]
            replies = asker.ask(batch) if batch else []
            gate.keep(replies)
            record([one for one in admitted if isinstance(one, Reply)] + replies)
    finally:
        gate.close()
    record(asker.held_back())
