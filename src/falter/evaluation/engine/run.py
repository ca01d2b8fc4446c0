"""Putting a suite to a model: every distinct item once, every reply written down as it comes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Protocol

import msgspec

from falter.core.errors import InterruptError, UsageError, warn_user
from falter.core.tables import format_count
from falter.data.model import BudgetExceededError, Model, Reply, Request, is_transient
from falter.data.model_options import ModelOptions
from falter.data.suite import Suite
from falter.evaluation.engine.cache import ReplyCache
from falter.evaluation.engine.estimate import Estimator
from falter.evaluation.engine.model_calls import ModelCaller, Record, RequestFilter, StoppingRule, call_self_batching
from falter.evaluation.engine.plan import Plan, Planned, plan_run
from falter.evaluation.engine.requests import (
    OrderedRequests,
    check_image_input,
    distinct_requests,
    image_transform,
    needs_images,
)
from falter.evaluation.engine.run_folder import (
    ReplyNames,
    UsageKeeper,
    check_raise,
    image_folder,
    is_raised,
    keep_usage,
    manifest_for,
    read_so_far,
    remove_leftovers,
    remove_parquet,
    start_or_resume,
    with_reply_names,
    write_logs,
)
from falter.evaluation.models.token_costs import read_prices
from falter.evaluation.runs.asked import probes_in_order, write_rounds
from falter.evaluation.runs.manifest import RunManifest, RunSettings, write_run_manifest
from falter.evaluation.runs.replies import ReplyLog, lock_folder
from falter.evaluation.runs.store import Run, compact, count_statuses, log_name, open_run, remove_logs


class RunObserver(Protocol):
    """Told what happens, so that progress can be shown."""

    def on_plan(self, plan: Plan) -> None:
        """Called once, before the model is."""
        ...

    def on_replies(self, count: int) -> None:
        """Called with the number of new replies, from any thread."""
        ...


class _Silent:
    def on_plan(self, plan: Plan) -> None:
        """Say nothing."""

    def on_replies(self, count: int) -> None:
        """Say nothing."""


def run_suite(
    suite: Suite,
    model: Model,
    out: Path,
    settings: RunSettings | None = None,
    *,
    spec: str = "",
    name: str | None = None,
    batch_size: int | None = None,
    cache: ReplyCache | None = None,
    options: ModelOptions | None = None,
    observer: RunObserver | None = None,
    sleep: Callable[[float], None] = time.sleep,
    stopping: StoppingRule | None = None,
) -> Run:
    """Run a model on every item of a suite that ``out`` does not hold a reply to yet.

    An interrupted run resumes: what is on disk is not asked again, except transient failures. A run that ends with
    transient failures stays incomplete, so that running it again retries them, and so does one whose model raises
    BudgetExceededError. ``name`` is what to call the model in tables, where that is not its own
    name; ``options`` with prices let the plan tell the cost. ``stopping`` is the rule of a run that may stop early, as
    ``settings.until`` says. A run goes on with a larger limit, also a complete one.
    """
    settings = settings or RunSettings()
    observer = observer or _Silent()
    size = _batch_size(model, batch_size)
    manifest = manifest_for(suite, model, settings, out=out, spec=spec, name=name)
    check_image_input(model, settings)
    check_raise(out, start_or_resume(out, manifest), manifest, model)
    with _held(out), ExitStack() as stack:
        old = _start(out, manifest, model)
        if old is not None and old.complete and not is_raised(old, manifest):
            remove_logs(out, settings.repeat)
            done = open_run(out, suite_folder=suite.folder)
            done.check_replies()
            observer.on_plan(_nothing_left(suite, manifest.model.name, settings, size, old.asked))
            return done
        contents = read_so_far(out, old, suite, settings.repeat)
        logs = [content.replies for content in contents]
        observe = None
        if options is not None and options.prices is not None:
            observe = _estimator(suite, model, settings, options, cache)
        planned = _plan(suite, model, settings, size, logs, observe)
        plan = planned.plan
        # Replies in the log were read by the reader that began the run.
        reader = manifest.reader if old is None else old.reader
        manifest = msgspec.structs.replace(manifest, asked=plan.items, reader=reader)
        manifest = manifest if old is None else with_reply_names(manifest, old.model.replied_as)
        names = ReplyNames(out, manifest, model)
        if old is not None and old.complete:
            write_logs(out, contents)
        write_run_manifest(out, manifest)
        remove_parquet(out, settings.repeat)
        keeper = stack.enter_context(keep_usage(out, model, observer))
        observer.on_plan(msgspec.structs.replace(plan, model=manifest.model.name))
        transform = image_transform(
            suite, settings, stack.enter_context(image_folder(out)) if settings.image_input else None
        )
        began, had = time.monotonic(), sum(map(len, logs))
        given: set[str] = set()
        try:
            for number, content in enumerate(contents, start=1):
                # A repetition that was answered from the cache would always agree.
                kept = cache if number == 1 else None
                requests_filter = RequestFilter(model, transform, kept, needs_image=needs_images(model, settings))
                with ReplyLog(out / log_name(number), content) as log:
                    record = _recorder(log, observer, names, keeper)
                    for requests in _rounds(suite, settings, planned, stopping, log, given):
                        _call_all(_open(requests, log), model, requests_filter, record, size, batch_size, sleep)
        except BudgetExceededError as spent:
            raise _say_how_to_resume(spent, out, names.manifest, logs) from spent
        except KeyboardInterrupt as stop:
            kept_now = sum(len(replies) for replies in logs)
            raise InterruptError(
                f"{kept_now} of {format_count(manifest.asked * len(logs), 'replies')} are kept in {out}; repeat "
                "the command to resume"
            ) from stop
        new = sum(map(len, logs)) - had
        if cache is not None and plan.to_ask and new:
            cache.took(model.fingerprint, new, time.monotonic() - began)
        _close(out, names.manifest, logs, stopping, given)
    return open_run(out)


def _start(out: Path, manifest: RunManifest, model: Model) -> RunManifest | None:
    """The manifest of the run that goes on, if one does; what its fingerprint does not cover is said."""
    old = start_or_resume(out, manifest)
    reason = getattr(model, "not_covered", "")
    if old is not None and reason:
        warn_user(
            f"{out} goes on with replies of {model.name}, which may have changed since: {reason}; if it has, choose "
            "another --out, and declare a fingerprint or a version that changes with it"
        )
    return old


def _close(
    out: Path,
    manifest: RunManifest,
    logs: Sequence[Mapping[str, Reply]],
    stopping: StoppingRule | None,
    given: Collection[str],
) -> None:
    """Make a complete run of the logs, or say how far it got where failures may pass."""
    if stopping is not None:
        # Replies beyond the last round are left of an attempt whose failures have passed since.
        logs = [{item_id: reply for item_id, reply in logs[0].items() if item_id in given}]
        manifest = msgspec.structs.replace(manifest, asked=len(given), verdicts=stopping.summary())
    if any(is_transient(reply) for replies in logs for reply in replies.values()):
        write_run_manifest(out, msgspec.structs.replace(manifest, counts=count_statuses(logs[0])))
    else:
        compact(out, manifest, logs[0], logs[1:])


def _rounds(
    suite: Suite,
    settings: RunSettings,
    planned: Planned,
    stopping: StoppingRule | None,
    log: ReplyLog,
    given: set[str],
) -> Iterator[Iterator[Request]]:
    """What to ask at once: everything, in the suite's order or in a random one, or round by round until a rule ends it.

    A round is given after every item of the one before has its reply. What a killed run had asked is gone through
    again, so that it comes to the same rounds. ``given`` gets the ids of all requests of a random order.
    """
    if not settings.in_random_order:
        yield distinct_requests(suite, planned.probes, settings.shard, planned.own)
        return
    ordered = OrderedRequests(suite, planned.own, given)
    if stopping is None:
        yield ordered.of(probes_in_order(suite, settings.seed, planned.probes))
        return
    while asked := stopping.next_round():
        write_rounds(log.path.parent, [*stopping.rounds, asked])
        yield ordered.of(asked)
        stopping.take(asked, log.replies)


def _say_how_to_resume(
    spent: BudgetExceededError, out: Path, manifest: RunManifest, logs: Sequence[Mapping[str, Reply]]
) -> BudgetExceededError:
    """The end of a budget with what is done and what to do; the run stays incomplete."""
    write_run_manifest(out, msgspec.structs.replace(manifest, counts=count_statuses(logs[0])))
    had = sum(len(replies) for replies in logs)
    return BudgetExceededError(
        f"{spent}: {had} of {format_count(manifest.asked * len(logs), 'replies')} are kept in {out}; rerun the "
        "command with a budget "
        "for the rest"
    )


@contextmanager
def _held(out: Path) -> Iterator[None]:
    """The run's folder, created where it is missing, and locked; removed again if it stays empty."""
    made = not out.exists()
    out.mkdir(parents=True, exist_ok=True)
    try:
        with lock_folder(out):
            remove_leftovers(out)
            yield
    finally:
        if made and not any(out.iterdir()):
            out.rmdir()


def dry_run(
    suite: Suite,
    model: Model,
    out: Path,
    settings: RunSettings | None = None,
    *,
    name: str | None = None,
    batch_size: int | None = None,
    cache: ReplyCache | None = None,
    options: ModelOptions | None = None,
) -> Plan:
    """What :func:`run_suite` would ask, and what that would take; the model is not called and nothing is written."""
    settings = settings or RunSettings()
    size = _batch_size(model, batch_size)
    check_image_input(model, settings)
    manifest = manifest_for(suite, model, settings, out=out, spec="", name=name)
    old = start_or_resume(out, manifest)
    check_raise(out, old, manifest, model)
    if old is not None and old.complete and not is_raised(old, manifest):
        done = _nothing_left(suite, manifest.model.name, settings, size, old.asked)
        return msgspec.structs.replace(done, out=str(out))
    on_disk = [content.replies for content in read_so_far(out, old, suite, settings.repeat)]
    observe = _estimator(suite, model, settings, options or ModelOptions(), cache)
    plan = _plan(suite, model, settings, size, on_disk, observe).plan
    return msgspec.structs.replace(plan, model=manifest.model.name, out=str(out))


def _estimator(
    suite: Suite, model: Model, settings: RunSettings, options: ModelOptions, cache: ReplyCache | None
) -> Estimator:
    prices = None if options.prices is None else read_prices(options.prices)
    return Estimator(model, options, transform=image_transform(suite, settings, None), prices=prices, cache=cache)


def _plan(
    suite: Suite,
    model: Model,
    settings: RunSettings,
    size: int,
    on_disk: Sequence[Mapping[str, Reply]],
    observe: Estimator | None,
) -> Planned:
    """What there is to ask, and with an estimator, what that will take."""
    on_plan = plan_run(suite, model, settings, batch_size=size, on_disk=on_disk, observe=observe)
    if observe is None:
        return on_plan
    return on_plan._replace(plan=msgspec.structs.replace(on_plan.plan, estimate=observe.estimate()))


def _batch_size(model: Model, given: int | None) -> int:
    size = model.capabilities.batch_size if given is None else given
    if size < 1:
        raise UsageError(f"a batch holds at least 1 item, not {size}")
    return size


def _nothing_left(suite: Suite, name: str, settings: RunSettings, size: int, asked: int) -> Plan:
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
        notes=("this run is complete",),
    )


def _open(requests: Iterator[Request], log: ReplyLog) -> Iterator[Request]:
    """The requests without a reply yet."""
    for request in requests:
        known = log.replies.get(request.item_id)
        if known is None or is_transient(known):
            yield request


def _recorder(log: ReplyLog, observer: RunObserver, names: ReplyNames, keeper: UsageKeeper) -> Record:
    """Writes replies, from whatever thread they come."""
    lock = threading.Lock()

    def record(replies: Sequence[Reply]) -> None:
        if not replies:
            return
        with lock:
            log.append(replies)
            log.replies.update((reply.item_id, reply) for reply in replies)
            names.update()
            keeper.update()
        observer.on_replies(len(replies))

    return record


def _call_all(
    requests: Iterator[Request],
    model: Model,
    requests_filter: RequestFilter,
    record: Record,
    size: int,
    given_size: int | None,
    sleep: Callable[[float], None],
) -> None:
    """Record a reply to every request; unsupported and cached ones do not reach the model."""
    reply_unordered = model.capabilities.reply_unordered
    if reply_unordered is not None:
        call_self_batching(requests, model.name, reply_unordered, requests_filter, record, given_size)
        return
    caller = ModelCaller(model, sleep=sleep)
    try:
        while window := list(islice(requests, size)):
            admitted = [requests_filter.resolve(request) for request in window]
            batch = [one for one in admitted if isinstance(one, Request)]
            replies = caller.call(batch) if batch else []
            requests_filter.cache_replies(replies)
            record([one for one in admitted if isinstance(one, Reply)] + replies)
    finally:
        requests_filter.close()
    record(caller.held_back())
