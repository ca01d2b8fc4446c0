"""Serving a study: links for annotators, one for the person in charge, on this machine unless told otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.types import ASGIApp

from falter.errors import UsageError
from falter.files import read_text, write_atomically
from falter.people.site import StudyAccess, StudySite
from falter.people.store import AnswerStore
from falter.people.study import Study
from falter.serving.access import new_token
from falter.serving.server import PageServer, is_loopback

__all__ = ["LINKS_NAME", "ServedStudy", "serve_study"]

LINKS_NAME = "links.txt"
_PATIENCE = 5.0
"""Seconds that a request waits for another program; chosen by hand, not measured."""

PSEUDONYMS = (
    *("alder", "aspen", "birch", "cedar", "cherry", "elder", "fern", "hazel", "holly", "iris", "ivy", "juniper"),
    *("laurel", "lilac", "lily", "linden", "maple", "mint", "myrtle", "oak", "olive", "pine", "poppy", "rose"),
    *("rowan", "sage", "sorrel", "spruce", "thyme", "tulip", "violet", "willow", "yarrow", "yew"),
)


class ServedStudy(NamedTuple):
    """A server that is ready, and what to send to whom."""

    server: PageServer
    manage_link: str
    new_links: dict[str, str]
    """By pseudonym the links of annotators that were added now; links that were made before stay good."""


@contextmanager
def serve_study(
    study: Study,
    *,
    annotators: int | Sequence[str] = 0,
    host: str = "127.0.0.1",
    port: int | None = None,
    public_url: str | None = None,
    return_after: float = 3600.0,
) -> Iterator[ServedStudy]:
    """A server of the study's pages; call ``server.run()``, or use it as a context of its own.

    ``annotators`` are pseudonyms, or how many there should be. Without a ``port``, the one of last time is taken if it
    is free, so that links stay good. ``public_url`` is how others reach the server.
    """
    if return_after <= 0:
        raise UsageError(f"a task goes back after some time, not after {return_after} seconds")
    public = None if public_url is None else urlsplit(public_url)
    if public is not None and (public.scheme not in ("http", "https") or not public.hostname):
        raise UsageError(f"{public_url!r:.80} is not an address such as https://study.example")
    # The pages try again by themselves.
    store = AnswerStore(study, patience=_PATIENCE)
    try:
        site = StudySite(study, store, return_after=return_after)
        owner = new_token()
        application = site.application(
            StudyAccess(store, owner),
            hosts=[] if public is None or public.hostname is None else [public.hostname],
            any_address=not is_loopback(host),
        )
        server = _listen(application, host, port, store)
        store.set_setting("port", str(server.port))
        site.make_link = lambda token: server.link(token, base=public_url)
        new_links = {name: site.make_link(store.add_annotator(name)) for name in _missing_names(store, annotators)}
        if new_links:
            _append_links(study.folder / LINKS_NAME, new_links)
        yield ServedStudy(server, server.link(owner, "/manage", base=public_url), new_links)
    finally:
        store.close()


def _listen(application: ASGIApp, host: str, port: int | None, store: AnswerStore) -> PageServer:
    if port is not None:
        return PageServer(application, host=host, port=port)
    last = store.get_setting("port")
    if last is not None:
        try:
            return PageServer(application, host=host, port=int(last))
        except UsageError:
            pass  # Someone else has it now.
    return PageServer(application, host=host)


def _missing_names(store: AnswerStore, annotators: int | Sequence[str]) -> list[str]:
    known = [one.name for one in store.annotators()]
    if not isinstance(annotators, int):
        return [name for name in dict.fromkeys(annotators) if name not in known]
    more = [f"{name}-{number}" for number in range(2, 40) for name in PSEUDONYMS]
    free = [name for name in (*PSEUDONYMS, *more) if name not in known]
    return free[: max(annotators - len(known), 0)]


def _append_links(path: Path, links: dict[str, str]) -> None:
    """Keep the links beside the answers, for the owner's eyes alone."""
    before = read_text(path) if path.is_file() else ""
    write_atomically(path, before + "".join(f"{name} {link}\n" for name, link in links.items()))
    path.chmod(0o600)
