"""A mirror's server that breaks off, lies, or never ends: one line that names it, and soon."""

import gzip
import os
import random
import time
from pathlib import Path

import pytest

from snapdiff.errors import RevisionError
from snapdiff.limits import Limits
from snapdiff.sources.download import PATIENCE, Patience
from snapdiff.sources.mirror import open_mirror
from snapdiff.sources.source import Source
from tests.support.mirrors import (
    HASTE,
    INDEX,
    LISTING,
    MANIFEST,
    below,
    blob_path,
    index,
    layout_2,
    layout_3,
    listing,
)
from tests.support.nightly import nightly_but
from tests.support.servers import (
    Fault,
    Handler,
    WebServer,
    dripping,
    encoded,
    endless,
    redirect,
    silent,
    status,
    truncated,
)

pytestmark = pytest.mark.slow

ONE = index("zlib", "cmake")


def mirror(server: WebServer, *, max_download: int = 1 << 30, patience: Patience = HASTE) -> Source:
    limits = Limits(document_size=max_download)
    return open_mirror(f"{server.url}/m", patience=patience, limits=limits)


def index_of(source: Source) -> bytes:
    """The one document that the source has; an error that is yielded is raised."""
    (content,) = source.read(source.entries())
    if isinstance(content, Exception):
        raise content
    return content


def fails(server: WebServer, fault: Fault, reason: str, path: str = INDEX) -> None:
    server.faults[f"m/{path}"] = fault
    with pytest.raises(RevisionError) as raised:
        index_of(mirror(server))
    message = str(raised.value)
    assert message.startswith(f"{server.url}/m/{path}: {reason}"), message
    assert message.isprintable()
    assert "server's own words" not in message


# --- What passes ---


@pytest.mark.parametrize("number", [408, 429, 500, 502, 503, 504])
def test_a_server_that_is_busy_is_asked_again(server: WebServer, number: int) -> None:
    server.files[f"m/{INDEX}"] = ONE
    server.faults[f"m/{INDEX}"] = status(number, times=2)
    assert index_of(mirror(server)) == ONE
    assert len(server.paths(number)) == 2


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was waited between two tries: nothing waits by the clock."""
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    return waited


def test_a_pause_that_the_server_names_is_kept(server: WebServer, pauses: list[float]) -> None:
    server.files[f"m/{INDEX}"] = ONE
    server.faults[f"m/{INDEX}"] = status(503, {"Retry-After": "1"}, times=1)
    assert index_of(mirror(server)) == ONE
    assert pauses == [1.0]


def test_a_pause_that_is_too_long_is_told_at_once(server: WebServer, pauses: list[float]) -> None:
    path = f"m/{INDEX}"
    server.faults[path] = status(429, {"Retry-After": "3600"})
    reason = "the server answers with status 429, and asks to wait 3,600 seconds"
    with pytest.raises(RevisionError, match=f"^{server.url}/{path}: {reason}$"):
        index_of(mirror(server))
    assert (len(server.paths(429)), pauses) == (1, [])


def test_a_pause_that_is_no_number_of_seconds_is_none(
    server: WebServer, pauses: list[float]
) -> None:
    server.files[f"m/{INDEX}"] = ONE
    server.faults[f"m/{INDEX}"] = status(429, {"Retry-After": "9" * 400}, times=1)
    assert index_of(mirror(server)) == ONE
    assert pauses == [HASTE.pauses[0]]


def test_a_body_that_breaks_off_is_asked_for_again(server: WebServer) -> None:
    content = random.Random(7).randbytes(100_000)  # noqa: S311 - the same bytes every time
    server.faults[f"m/{INDEX}"] = truncated(content, 40_000, times=2)
    assert index_of(mirror(server)) == content


def test_a_body_that_is_another_after_a_pause_is_the_other(server: WebServer) -> None:
    versions = iter([truncated(b"old " * 1000, 1000), truncated(ONE, 0, 0)])
    server.faults[f"m/{INDEX}"] = lambda handler: next(versions)(handler)
    assert index_of(mirror(server)) == ONE


def test_a_redirect_in_the_same_scheme_is_followed(server: WebServer) -> None:
    server.files["elsewhere"] = ONE
    server.faults[f"m/{INDEX}"] = redirect("/elsewhere")
    assert index_of(mirror(server)) == ONE


def test_gzip_of_several_members_is_unfolded(server: WebServer) -> None:
    body = gzip.compress(ONE[:100]) + gzip.compress(ONE[100:])
    server.faults[f"m/{INDEX}"] = encoded(body)
    assert index_of(mirror(server)) == ONE


def test_a_blob_stays_gzipped_though_the_server_says_that_it_is(server: WebServer) -> None:
    files = layout_3(ONE, zipped=True)
    server.files.update(below("m", files))
    blob = next(path for path in files if path != MANIFEST)
    server.faults[f"m/{blob}"] = encoded(files[blob])
    source = mirror(server)
    assert list(source.read(source.entries())) == [files[blob], files[MANIFEST]]


# --- What does not ---


def test_a_server_that_stays_busy_is_named(server: WebServer) -> None:
    fails(server, status(503), "the server answers with status 503")
    assert len(server.paths(503)) == 1 + len(HASTE.pauses)


def test_a_server_is_waited_for_about_a_minute() -> None:
    assert PATIENCE.altogether == 60
    assert sum(PATIENCE.pauses) < PATIENCE.altogether


def test_a_pause_that_is_too_long_is_not_made(server: WebServer) -> None:
    fails(server, status(503, {"Retry-After": "3600"}), "the server answers with status 503")
    assert len(server.paths(503)) == 1


@pytest.mark.parametrize("number", [204, 206, 304, 305, 400, 402, 501])
def test_an_answer_that_is_none_is_named(server: WebServer, number: int) -> None:
    fails(server, status(number), f"the server answers with status {number}")
    assert len(server.paths(number)) == 1


def test_a_server_that_is_silent_is_named(server: WebServer) -> None:
    patience = Patience(pauses=(0.01,), silence=0.3, altogether=5.0)
    server.faults[f"m/{MANIFEST}"] = silent
    with pytest.raises(RevisionError, match=f"m/{MANIFEST}: the server was silent for too long$"):
        index_of(mirror(server, patience=patience))


def test_a_body_that_drips_in_is_named(server: WebServer) -> None:
    patience = Patience(pauses=(), silence=2.0)
    server.faults[f"m/{INDEX}"] = endless(b"x", pause=0.05)
    with pytest.raises(RevisionError, match=f"{INDEX}: the server sends it too slowly$"):
        index_of(mirror(server, patience=patience))


@pytest.mark.parametrize(
    ("beginning", "piece", "pause"),
    nightly_but(
        {
            "header": (b"HTTP/1.1 200 OK\r\nX-Header: ", b"a", 0.05),
            "headers": (b"HTTP/1.1 200 OK\r\n", b"X-Header: a\r\n", 0.05),
            "hints": (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n", 0.001),
            "continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.001),
            "extension": (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;",
                b"a=b;",
                0.001,
            ),
            "trailers": (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
                b"X: y\r\n",
                0.05,
            ),
            "chunks": (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                b"1\r\nx\r\n",
                0.05,
            ),
            "size": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0000", 0.01),
        },
        ["header", "hints", "chunks"],
    ),
)
def test_an_answer_that_drips_in_is_given_up(
    server: WebServer, beginning: bytes, piece: bytes, pause: float
) -> None:
    patience = Patience(pauses=(0.01,), silence=0.5, altogether=5.0)
    server.faults[f"m/{MANIFEST}"] = dripping(beginning, piece, pause)
    with pytest.raises(RevisionError, match=f"^{server.url}/m/{MANIFEST}: (the server|it broke)"):
        index_of(mirror(server, patience=patience))


def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(
        RevisionError, match=rf"^http://127.0.0.1:9/m/{MANIFEST}: the server cannot"
    ):
        list(open_mirror("http://127.0.0.1:9/m", patience=HASTE).entries())


def test_redirects_without_an_end_are_named(server: WebServer) -> None:
    def on(handler: Handler) -> None:
        redirect(handler.path + "x")(handler)

    server.faults.update({f"m/{INDEX}" + "x" * number: on for number in range(50)})
    fails(server, on, "it redirects more than 10 times")


def test_redirects_in_a_circle_are_named(server: WebServer) -> None:
    server.faults["there"] = redirect(f"/m/{INDEX}")
    fails(server, redirect("/there"), "it redirects more than 10 times")


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "https://user:secret@127.0.0.1/x?token=secret", "s3://a/b"]
)
def test_a_redirect_to_another_scheme_is_named(server: WebServer, location: str) -> None:
    scheme = "https" if location.startswith("https") else "another scheme"
    fails(server, redirect(location), f"it redirects to {scheme}, which is not followed")


@pytest.mark.parametrize("location", ["http://[bad", "http://host:99999/x", "http://host:port/x"])
def test_a_redirect_to_what_is_no_url_is_named(server: WebServer, location: str) -> None:
    fails(server, redirect(location), "it redirects to what is no URL")


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (truncated(ONE, 0), "it broke off in the middle"),
        (encoded(gzip.compress(ONE)[:-9]), "the gzip data ends early"),
        (encoded(gzip.compress(ONE)[:20] + ONE), "the gzip data is damaged"),
        (encoded(ONE, "br"), "the server sends it in an encoding that was not asked for"),
    ],
)
def test_a_body_that_cannot_be_read_is_named(server: WebServer, fault: Fault, reason: str) -> None:
    fails(server, fault, reason)


def test_gzip_that_unfolds_to_too_much_is_named(server: WebServer) -> None:
    body = gzip.compress(bytes(20 << 20), 9)
    fails(server, encoded(body), "the gzip data unfolds to over 200 times its size")


@pytest.mark.parametrize(
    ("beginning", "chunk"),
    [
        (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", b"\x00\x00\x00\xff\xff" * 10_000),
        (b"", gzip.compress(b"") * 3_000),
    ],
    ids=["blocks", "members"],
)
def test_gzip_that_unfolds_to_nothing_without_an_end_is_given_up(
    server: WebServer, beginning: bytes, chunk: bytes
) -> None:
    server.faults[f"m/{INDEX}"] = endless(chunk, beginning=beginning)
    with pytest.raises(RevisionError, match=f"{INDEX}: with it, more than 1,000,000 bytes of the "):
        index_of(mirror(server, max_download=1_000_000))


@pytest.mark.parametrize("path", [INDEX, MANIFEST])
def test_a_body_without_an_end_is_given_up_at_the_limit(server: WebServer, path: str) -> None:
    server.faults[f"m/{path}"] = endless(bytes(1 << 16))
    reason = "with it, more than 1,000,000 bytes .* --max-size raises the limit"
    with pytest.raises(RevisionError, match=f"{path}: {reason}"):
        index_of(mirror(server, max_download=1_000_000))


def test_a_size_over_the_limit_is_refused_unread(server: WebServer) -> None:
    server.with_validators = False
    server.files.update(below("m", layout_3(ONE)))
    size = len(layout_3(ONE)[MANIFEST]) + len(ONE)
    source = mirror(server, max_download=size - 1)
    with pytest.raises(RevisionError, match=f"{blob_path(ONE)}: with it, more than {size - 1:,} "):
        list(source.read(source.entries()))
    source = mirror(server, max_download=size)
    assert list(source.read(source.entries())) == [ONE, layout_3(ONE)[MANIFEST]]


@pytest.mark.parametrize("path", [MANIFEST, f"{INDEX}.hash", LISTING])
def test_a_file_that_says_where_others_are_is_small(server: WebServer, path: str) -> None:
    server.faults[f"m/{path}"] = encoded(bytes(17 << 20), "identity")
    with pytest.raises(RevisionError, match="has more than 16,777,216 bytes, which no such file"):
        index_of(mirror(server))


# --- Secrets ---


def test_no_secret_of_a_url_is_shown(server: WebServer) -> None:
    secrets = f"http://us%40er:pass@word@{server.host}/m"
    server.files.update(below("m", layout_2(ONE)))
    server.faults[f"m/{MANIFEST}"] = status(500)
    source = open_mirror(f"{secrets}?token=t0ken#part", patience=HASTE)
    assert source.name == f"{server.url}/m"
    with pytest.raises(RevisionError) as raised:
        list(source.entries())
    assert str(raised.value).startswith(f"{server.url}/m/{MANIFEST}: ")
    for secret in ("us%40er", "us@er", "pass", "word", "t0ken", "part"):
        assert secret not in str(raised.value)


def test_nothing_that_a_listing_says_is_shown(server: WebServer) -> None:
    below_tag = {"e4s": "s3://bucket/develop/e4s"}
    urls = {"develop": below_tag, "t0ken": {"e4s": "s3://bucket/pa%73s@word/us%40er"}}
    server.files.update(below("m", listing(urls)))
    with pytest.raises(RevisionError) as raised:
        list(mirror(server).entries())
    reason = "tag number 2 lists a mirror that is not in its folder"
    assert str(raised.value) == f"{server.url}/m/{LISTING}: {reason}"


def test_user_and_token_of_a_url_reach_the_server(server: WebServer) -> None:
    server.files.update(below("m", layout_3(ONE)))
    source = open_mirror(f"http://user:word@{server.host}/m?token=t0ken", patience=HASTE)
    list(source.read(source.entries()))
    assert {seen.path.partition("?")[2] for seen in server.seen} == {"token=t0ken"}
    assert {seen.headers["Authorization"] for seen in server.seen} == {"Basic dXNlcjp3b3Jk"}


@pytest.mark.parametrize("target", ["/index", "http://user:other@{}/index", "//{}/index"])
def test_user_and_token_of_a_url_go_along_with_no_redirect(server: WebServer, target: str) -> None:
    server.files["index"] = ONE
    server.faults[f"m/{INDEX}"] = redirect(target.format(server.host))
    name = f"http://user:word@{server.host}/m?token=t0ken"
    assert index_of(open_mirror(name, patience=HASTE)) == ONE
    (seen,) = [seen for seen in server.seen if seen.path.startswith("index")]
    assert seen.path == "index"
    assert not {"Authorization", "Cookie", "Referer"} & set(seen.headers)


def test_user_and_token_of_a_url_reach_no_other_server(server: WebServer) -> None:
    with WebServer().running() as other:
        other.files["index"] = ONE
        server.faults[f"m/{INDEX}"] = redirect(f"{other.url}/index")
        name = f"http://user:word@{server.host}/m?token=t0ken"
        assert index_of(open_mirror(name, patience=HASTE)) == ONE
        (seen,) = other.seen
    assert seen.path == "index"
    assert not {"Authorization", "Cookie", "Referer"} & set(seen.headers)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("http://", "names no host"),
        ("https:///path", "names no host"),
        ("http://user:secret@", "names no host"),
        ("http://user:secret@[x/m", "names no host"),
        ("http://host:port/m", "names no host"),
        ("s3://", "names no place"),
        ("http://host/a\nb", "is no URL of a mirror"),
        ("http://host/a b", "is no URL of a mirror"),
        ("file://mirror", "a file's URL has three slashes"),
    ],
)
def test_a_url_that_is_none_is_named(name: str, reason: str) -> None:
    with pytest.raises(RevisionError, match=reason) as raised:
        open_mirror(name)
    assert "secret" not in str(raised.value)
    assert str(raised.value).isprintable()


# --- Files of this machine ---


def test_a_mirror_in_a_folder_is_read_by_its_url(tmp_path: Path) -> None:
    for path, content in layout_3(ONE).items():
        (tmp_path / "a mirror" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "a mirror" / path).write_bytes(content)
    (tmp_path / "a mirror").rename(tmp_path / "m")
    source = open_mirror(f"file://{tmp_path}/m")
    assert list(source.read(source.entries())) == [ONE, layout_3(ONE)[MANIFEST]]
    assert source.name == f"file://{tmp_path}/m"


def test_what_is_no_file_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "build_cache").mkdir()
    os.mkfifo(tmp_path / INDEX)
    (tmp_path / MANIFEST).mkdir(parents=True)
    with pytest.raises(RevisionError, match=rf"^file://{tmp_path}: holds no "):
        list(open_mirror(f"file://{tmp_path}").entries())


def test_progress_is_counted_in_bytes(server: WebServer) -> None:
    server.files.update(below("m", layout_3(ONE)))
    calls: list[tuple[int, int]] = []
    source = open_mirror(
        f"{server.url}/m", patience=HASTE, progress=lambda *numbers: calls.append(numbers)
    )
    list(source.read(source.entries()))
    assert calls
    assert calls == sorted(calls)
    assert all(done <= total for done, total in calls)


# --- What the environment says ---


def test_who_one_is_may_be_in_netrc(
    server: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1\nlogin user\npassword word\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    server.files.update(below("m", layout_3(ONE)))
    list(mirror(server).entries())
    assert {seen.headers["Authorization"] for seen in server.seen} == {"Basic dXNlcjp3b3Jk"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"machine host\nlogin user\npasword secret\n", "line 3: cannot be read"),
        (b"\xff\xfe\x00secret", "(line 1: cannot be read|cannot be read: is no text)"),
        (None, "cannot be read: Is a directory"),
    ],
)
def test_a_broken_netrc_is_named_at_once(
    server: WebServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    content: bytes | None,
    reason: str,
) -> None:
    place = tmp_path / ".netrc"
    if content is None:
        place.mkdir()
    else:
        place.write_bytes(content)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(RevisionError, match=f"^{place}: {reason}$"):
        mirror(server)
    assert server.seen == []


def test_a_proxy_is_asked(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", f"http://user:word@{server.host}")
    server.files.update(below("m", layout_2(ONE)))
    server.files.update(
        {f"http://mirror.example/m/{path}": content for path, content in layout_2(ONE).items()}
    )
    assert index_of(open_mirror("http://mirror.example/m", patience=HASTE)) == ONE
    assert {seen.headers["Proxy-Authorization"] for seen in server.seen} == {"Basic dXNlcjp3b3Jk"}
    server.seen.clear()
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert index_of(mirror(server)) == ONE
    assert not any("Proxy-Authorization" in seen.headers for seen in server.seen)


@pytest.mark.parametrize(
    "proxy",
    ["http://", "socks5://host:1", "http://user:secret@host:port", "http://[", "http://a b"],
)
def test_a_broken_proxy_variable_is_named_at_once(
    server: WebServer, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("http_proxy", proxy)
    message = "^the variable http_proxy is no URL of a proxy, such as http://proxy.example:3128$"
    with pytest.raises(RevisionError, match=message):
        mirror(server)


def test_a_proxy_that_is_not_there_is_named_at_once(
    server: WebServer, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    monkeypatch.setenv("http_proxy", "http://user:secret@127.0.0.1:9")
    message = f"{MANIFEST}: the proxy that the environment names is of no use$"
    with pytest.raises(RevisionError, match=message):
        list(open_mirror(f"{server.url}/m").entries())
    assert pauses == []
