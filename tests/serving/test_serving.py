"""Pages on a local server: nobody gets in without a token, and no other site reads or changes anything."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from falter.apps.serving import server as connections
from falter.apps.serving.access import BusyError, SingleToken, find_by_token, hash_token
from falter.apps.serving.application import (
    asset_routes,
    image_response,
    json_response,
    make_application,
    read_json_body,
)
from falter.apps.serving.server import PageServer
from falter.core.errors import UsageError

TOKEN = "a-token-for-tests"


class Counter:
    def __init__(self) -> None:
        self.changes = 0

    async def read(self, request: Request) -> Response:
        return json_response({"who": request.state.who, "path": request.url.path})

    async def change(self, request: Request) -> Response:
        self.changes += await read_json_body(request, int, limit=100)
        return json_response(self.changes)

    async def image(self, request: Request) -> Response:
        return image_response(b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")

    async def broken(self, request: Request) -> Response:
        raise RuntimeError("secret detail")


class Served:
    def __init__(self, counter: Counter, server: PageServer) -> None:
        self.counter, self.server = counter, server
        self.client = httpx.Client(base_url=server.url, timeout=120)

    def enter(self) -> httpx.Response:
        """Open the link; from now on paths are those below the private one."""
        entered = self.client.get(self.server.link(TOKEN))
        self.client.base_url = httpx.URL(self.server.url + entered.headers["location"])
        return entered

    def get(self, path: str = "/", **headers: str) -> httpx.Response:
        return self.client.get(path, headers=headers)

    def post(self, content: str = "1", **headers: str) -> httpx.Response:
        return self.client.post("/", content=content, headers=headers)


def serve(**options: Any) -> tuple[Counter, PageServer]:
    counter = Counter()
    routes = [
        Route("/", counter.read),
        Route("/", counter.change, methods=["POST"]),
        Route("/deep/page", counter.read),
        Route("/image", counter.image),
        Route("/broken", counter.broken),
        *asset_routes("falter.apps.serving", "theme.js"),
    ]
    return counter, PageServer(make_application(routes, SingleToken(TOKEN), name="test", **options))


@pytest.fixture
def served() -> Iterator[Served]:
    counter, server = serve()
    with server:
        yield Served(counter, server)


def test_a_link_lets_in_and_leaves_no_token_in_the_address(served: Served) -> None:
    assert [served.get(path).status_code for path in ("/", "/assets/look.css", "/none", "/?token=wrong")] == [403] * 4
    entered = served.client.get(served.server.link(TOKEN, "/deep/page") + "&page=2&q=%C3%A9")
    assert entered.status_code == 303
    private, _, rest = entered.headers["location"].removeprefix("/").partition("/")
    assert re.fullmatch("~[0-9a-f]{24}", private) and rest == "deep/page?page=2&q=%C3%A9"
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie and f"Path=/{private};" in cookie
    assert TOKEN not in private
    assert served.get("/deep/page").status_code == 403, "the cookie is for the private path alone"
    served.enter()
    assert served.get("/deep/page").json() == {"who": "owner", "path": "/deep/page"}
    assert "--accent" in served.get("/assets/look.css").text
    assert served.get("/none").status_code == 404
    away = served.client.get(f"{served.server.url}//evil.example/x?token={TOKEN}")
    assert away.headers["location"] == f"/{private}/evil.example/x"
    served.client.cookies.clear()
    assert served.get(Authorization=f"Bearer {TOKEN}").status_code == 200
    assert served.get(Authorization=f"Bearer {TOKEN}x").status_code == 403


def test_another_origin_reads_and_changes_nothing(served: Served) -> None:
    served.enter()
    own = served.server.url
    foreign: list[dict[str, str]] = [
        {},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": own.replace("http://", "")},
        {"Origin": own + "0"},
        {"Origin": own, "Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
    ]
    assert [served.post(**headers).status_code for headers in foreign] == [403] * len(foreign)
    assert served.counter.changes == 0
    assert served.post(Origin=own).json() == 1
    assert served.post(Origin=own, **{"Sec-Fetch-Site": "same-origin"}).json() == 2

    def fetched(site: str, mode: str, dest: str) -> int:
        headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest}
        return served.get(**headers).status_code

    assert fetched("cross-site", "no-cors", "image") == 403
    assert fetched("cross-site", "cors", "empty") == 403
    assert fetched("cross-site", "navigate", "iframe") == 403
    assert fetched("cross-site", "navigate", "document") == 200
    assert served.get(Host="evil.example").status_code == 421
    assert served.get(Host="[bad").status_code == 421
    assert served.get(Host=f"localhost:{served.server.port}").status_code == 200
    assert served.get(Host="192.168.1.9").status_code == 421


def test_every_answer_has_the_headers_and_none_tells_too_much(served: Served) -> None:
    answers = [served.get(), served.enter(), served.get(), served.get("/none")]
    for answer in answers:
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-frame-options"] == "DENY"
        assert (answer.headers["cache-control"], answer.headers["x-content-type-options"]) == ("no-store", "nosniff")
        assert "server" not in answer.headers
    assert served.get("/image").status_code == 415
    assert served.get("/broken").status_code == 500
    assert "secret" not in served.get("/broken").text
    assert served.post("1" * 101, Origin=served.server.url).status_code == 413
    assert served.post('"no number"', Origin=served.server.url).status_code == 400
    assert image_response(b"\x89PNG\r\n\x1a\n....").media_type == "image/png"


def test_a_notebook_may_frame_pages_where_it_is_allowed_to() -> None:
    notebook = "http://localhost:8888"
    _, server = serve(frame_ancestors=[notebook], hosts=["box.example"], any_address=True)
    with server:
        entered = httpx.get(server.link(TOKEN), headers={"Host": "box.example"}, timeout=120)
        assert f"frame-ancestors {notebook}" in entered.headers["content-security-policy"]
        assert "x-frame-options" not in entered.headers
        assert "Partitioned" in entered.headers["set-cookie"] and "Secure" in entered.headers["set-cookie"]
        framed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
        let_in = httpx.get(server.link(TOKEN), headers={**framed, "Host": "192.168.1.9"}, timeout=120)
        assert let_in.status_code == 303


def test_the_port_is_free_again_and_a_taken_one_is_told() -> None:
    _, server = serve()
    with server:
        with pytest.raises(UsageError, match="cannot listen at 127"):
            PageServer(make_application([], SingleToken(), name="x"), port=server.port)
        port = server.port
    server.stop()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("uvicorn")]
    with PageServer(make_application([], SingleToken(), name="x"), port=port) as second:
        assert httpx.get(second.url, timeout=120).status_code == 403


def test_tokens_are_kept_as_hashes() -> None:
    known = [("one", hash_token("first")), ("two", hash_token("second"))]
    assert [find_by_token(token, known) for token in ("first", "second", "third", "", "é" * 300, "\ud800")] == [
        *("one", "two", None, None, None, None)
    ]


def test_a_server_on_another_port_gets_no_cookie(served: Served) -> None:
    served.enter()
    _, other = serve()
    with other:
        request = served.client.build_request("GET", f"{other.url}/")
        assert "cookie" not in request.headers
        assert served.client.send(request).status_code == 403
    assert "cookie" in served.client.build_request("GET", "/").headers


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_SECONDS_TO_ASK", 0.2)
    monkeypatch.setattr(connections, "_MOST_WAITING", 8)


HALF_SENT = (
    b"",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: ",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50\r\n\r\n1",
)


@pytest.mark.parametrize("sent", HALF_SENT)
def test_a_request_that_does_not_come_whole_is_ended(impatient: None, served: Served, sent: bytes) -> None:
    with socket.create_connection((served.server.host, served.server.port)) as half:
        half.settimeout(60)
        half.sendall(sent)
        received = b"x"
        with suppress(ConnectionResetError):
            while received:
                received = half.recv(65536)
    served.enter()
    assert served.get().status_code == 200


def test_half_a_request_after_a_whole_one_is_ended_too(impatient: None, served: Served) -> None:
    with socket.create_connection((served.server.host, served.server.port)) as half:
        half.settimeout(60)
        half.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert half.recv(65536).startswith(b"HTTP/1.1 403")
        half.sendall(b"GET / HTTP/1.1\r\n")
        received = b"x"
        with suppress(ConnectionResetError):
            while received:
                received = half.recv(65536)


@pytest.mark.parametrize("sent", HALF_SENT)
def test_many_half_requests_keep_nobody_out(monkeypatch: pytest.MonkeyPatch, served: Served, sent: bytes) -> None:
    """More connections than the server takes, of which none is closed by the clock."""
    monkeypatch.setattr(connections, "_SECONDS_TO_ASK", 600.0)
    with ExitStack() as stack:
        for _ in range(520):
            half = stack.enter_context(socket.create_connection((served.server.host, served.server.port)))
            with suppress(ConnectionError):
                half.sendall(sent)
        served.enter()
        assert [served.get().status_code for _ in range(3)] == [200] * 3


def test_waiting_for_whose_a_token_is_holds_up_nobody_else() -> None:
    """A token that takes long to look up; other requests are answered meanwhile."""
    waiting, go_on = threading.Event(), threading.Event()

    class Slow(SingleToken):
        def identify(self, token: str) -> str | None:
            if token == "slow":
                waiting.set()
                assert go_on.wait(60)
            elif token == "busy":
                raise BusyError("held by another program")
            return super().identify(token)

    routes = [Route("/", Counter().read)]
    with (
        PageServer(make_application(routes, Slow(TOKEN), name="test")) as server,
        ThreadPoolExecutor() as pool,
        httpx.Client(base_url=server.url, timeout=60) as client,
    ):
        slow = pool.submit(httpx.get, server.url, headers={"Authorization": "Bearer slow"}, timeout=60)
        assert waiting.wait(60)
        assert client.get("/", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
        assert not slow.done()
        go_on.set()
        assert slow.result().status_code == 403
        busy = client.get("/", headers={"Authorization": "Bearer busy"})
    assert (busy.status_code, busy.headers["retry-after"], busy.text) == (503, "2", "held by another program")
