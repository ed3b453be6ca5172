"""Hosts that fail, hurry others, lie, or lead elsewhere; the answer is one comment or one line."""

from threading import Event
from typing import Any

import pytest

from snapdiff.posting import rest
from tests.posting.code_host import (
    Answering,
    CodeHost,
    Fault,
    User,
    answers,
    does_it_and_answers,
    first,
    in_a_second,
)
from tests.posting.conftest import BOT, TOKEN, Clock, Post, every_dialect
from tests.posting.github_host import GitHub
from tests.posting.gitlab_host import GitLab
from tests.support.processes import is_one_line_error

COMMENT = "<!-- snapdiff -->\n# Changes\n"
OLD = "<!-- snapdiff -->\n# Old\n"


every_library = pytest.mark.parametrize("dialect", [GitHub(), GitLab()], ids=["GitHub", "GitLab"])


# --- What passes ---


@every_library
@pytest.mark.parametrize("status", [500, 502, 503, None])
def test_a_host_that_fails_once_is_asked_again(
    status: int | None, host: CodeHost, post: Post
) -> None:
    host.faults.append(Fault("GET", host.dialect.list_end, answers(status), times=1))
    done = post(COMMENT)
    assert (done.status, done.err) == (0, "")
    assert host.bodies() == [COMMENT]


@every_dialect
def test_whatever_fails_once_is_done_all_the_same(host: CodeHost, post: Post) -> None:
    oldest = host.add(BOT, OLD)
    for _ in range(2):
        host.add(BOT, OLD)
    for method, end in (
        ("GET", "/user"),
        (host.dialect.edits, str(oldest.comment_id)),
        ("DELETE", "1002"),
        ("DELETE", "1003"),
    ):
        host.faults.append(Fault(method, end, does_it_and_answers(502), times=1))
    assert post(COMMENT).out.endswith(f"{oldest.comment_id}\n")
    assert host.bodies() == [COMMENT]


@every_dialect
@pytest.mark.parametrize("status", [502, 500, None], ids=["502", "500", "no answer"])
def test_a_comment_whose_answer_was_lost_is_not_posted_again(
    status: int | None, host: CodeHost, post: Post
) -> None:
    host.faults.append(Fault("POST", host.dialect.list_end, does_it_and_answers(status), times=1))
    done = post(COMMENT)
    assert (done.status, done.err) == (0, "")
    assert host.bodies() == [COMMENT]
    assert host.methods() == ["POST"]


@every_dialect
def test_a_comment_that_was_not_taken_is_posted_again_after_a_look_at_the_list(
    host: CodeHost, post: Post
) -> None:
    host.faults.append(Fault("POST", host.dialect.list_end, answers(502), times=1))
    assert post(COMMENT).status == 0
    assert host.bodies() == [COMMENT]
    about = [seen.method for seen in host.seen if seen.path.endswith(host.dialect.list_end)]
    assert about == ["GET", "POST", "GET", "POST", "GET"]


def limits() -> dict[str, Answering]:
    """The ways in which hosts say that they are asked too often."""
    primary = {"message": "No more requests in this hour."}
    secondary = {"message": "Slow down."}
    return {
        "429, seconds": answers(429, "Retry later\n", Retry_After="1"),
        "403, seconds": answers(403, secondary, Retry_After="1"),
        "403, until": answers(
            403, primary, X_RateLimit_Remaining="0", X_RateLimit_Reset=in_a_second()
        ),
    }


@every_library
@pytest.mark.parametrize("limit", limits())
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_limit_is_waited_for(
    limit: str, method: str, host: CodeHost, post: Post, clock: Clock
) -> None:
    host.faults.append(Fault(method, host.dialect.list_end, limits()[limit], times=1))
    done = post(COMMENT)
    assert (done.status, done.err) == (0, "")
    assert host.bodies() == [COMMENT]
    assert clock.waited == [1.0]


# --- What does not pass ---


@every_library
@pytest.mark.parametrize(
    "limit",
    [
        answers(429, {"message": "slow down"}, Retry_After="3600"),
        answers(403, {"message": "You have exceeded a secondary rate limit"}),
        answers(429, {"message": "slow down"}, Retry_After="Fri, 31 Dec 2049 23:59:59 GMT"),
        answers(
            403,
            {"message": "API rate limit exceeded"},
            X_RateLimit_Remaining="0",
            X_RateLimit_Reset="4102444800",
        ),
    ],
    ids=["an hour", "at least a minute", "a date", "2100"],
)
def test_a_limit_that_takes_longer_than_a_minute_is_an_error_at_once(
    limit: Answering, host: CodeHost, post: Post, clock: Clock
) -> None:
    host.faults.append(Fault("GET", host.dialect.list_end, limit))
    done = post(COMMENT)
    assert (done.status, done.out) == (2, "")
    assert is_one_line_error(done.err)
    assert len(host.seen) == 1
    assert clock.waited == []


@every_library
def test_what_never_works_is_an_error_in_the_end(host: CodeHost, post: Post, clock: Clock) -> None:
    host.faults.append(Fault("POST", host.dialect.list_end, answers(503, {"message": "busy"})))
    done = post(COMMENT)
    assert done == (
        2,
        "",
        f"snapdiff: error: {host.dialect.place}: the host answers 503: busy\n",
    )
    assert clock.waited == [1.0, 2.0, 4.0, 8.0, 16.0]  # then 32 more would be over a minute
    assert len(host.methods()) == 6


@every_library
def test_a_host_that_breaks_off_or_is_silent_is_told(
    host: CodeHost, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = f"snapdiff: error: {host.dialect.place}: the host does not answer "
    host.faults.append(Fault("GET", host.dialect.list_end, answers(None)))
    assert post(COMMENT) == (2, "", f"{begin}(no connection, or it broke off)\n")
    monkeypatch.setattr(rest, "SECONDS_FOR_AN_ANSWER", 0.01)
    is_over = Event()
    host.faults[:] = [Fault("GET", host.dialect.list_end, first(lambda: is_over.wait(20)))]
    assert post(COMMENT) == (2, "", f"{begin}(silent for too long)\n")
    is_over.set()


@every_library
def test_a_host_that_is_not_there_is_an_error(
    host: CodeHost, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "CI_API_V4_URL" if isinstance(host.dialect, GitLab) else "GITHUB_API_URL"
    monkeypatch.setenv(name, f"http://127.0.0.1:1{host.dialect.prefix}")
    done = post(COMMENT)
    assert (done.status, done.out) == (2, "")
    assert is_one_line_error(done.err)
    assert done.err.startswith(f"snapdiff: error: {host.dialect.place}: the host does not answer")


# --- Lies ---


@every_library
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"message": "all is well"},
        "<html>please log in</html>",
        "[" * 100_000,
        "1" * 10_000,
        [1],
        [None],
        [{}],
        [{"id": "7", "html_url": "https://x/", "user": None, "author": {"username": "x"}}],
        [{"id": 7, "html_url": 7, "body": COMMENT, "user": [], "author": [], "system": False}],
        [{"id": 7, "html_url": "x", "body": 7, "user": {"login": 7}, "author": {"username": 7}}],
        None,
    ],
    ids=lambda body: str(body)[:20],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_answer_of_another_shape_is_an_error(
    method: str, body: Any, host: CodeHost, post: Post
) -> None:
    if method == "POST" and isinstance(body, list) and body:
        body = body[0]
    host.faults.append(Fault(method, host.dialect.list_end, answers(200, body)))
    done = post(COMMENT)
    assert (done.status, done.out) == (2, "")
    assert is_one_line_error(done.err), done.err


@every_library
def test_a_list_without_an_end_is_an_error(
    host: CodeHost, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rest, "_MOST_PAGES", 5)
    link = f'<{host.api_url}/x?page=2>; rel="next"'
    host.faults.append(Fault("GET", host.dialect.list_end, answers(200, [], Link=link)))
    done = post(COMMENT)
    assert (done.status, done.out) == (2, "")
    assert done.err == (f"snapdiff: error: {host.dialect.place}: the list of comments has no end\n")
    assert len(host.seen) == 5


@every_dialect
def test_a_link_to_another_host_does_not_lead_there(host: CodeHost, post: Post) -> None:
    with CodeHost(host.dialect, {TOKEN: User(BOT)}).running() as elsewhere:
        link = f'<{elsewhere.api_url}/x?page=2>; rel="next"'
        host.faults.append(
            Fault("GET", host.dialect.list_end, answers(200, [], Link=link), times=1)
        )
        assert post(COMMENT).status == 0
        assert elsewhere.seen == []
    assert host.seen[1].query == {"page": "2"}


@every_library
@pytest.mark.parametrize("link", ["http://[/x?page=2#top", "http://x:99999/?page=2", "?page=2"])
def test_a_link_that_is_no_url_still_says_which_page_is_next(
    link: str, host: CodeHost, post: Post
) -> None:
    listed = answers(200, [], Link=f'<{link}>; rel="next"')
    host.faults.append(Fault("GET", host.dialect.list_end, listed, times=1))
    assert post(COMMENT).status == 0
    assert host.seen[1].query == {"page": "2"}


# --- Redirects ---


@every_library
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_token_is_not_led_to_another_host(
    method: str, status: int, host: CodeHost, post: Post
) -> None:
    with CodeHost(host.dialect, {TOKEN: User(BOT)}).running() as elsewhere:
        target = f"http://localhost:{elsewhere.server.server_port}/{TOKEN}"
        redirects = answers(status, {"message": "Moved"}, Location=target)
        host.faults.append(Fault(method, host.dialect.list_end, redirects))
        done = post(COMMENT)
        assert (done.status, done.out) == (2, "")
        assert is_one_line_error(done.err)
        assert elsewhere.seen == []


@every_library
def test_a_redirect_is_an_error_that_does_not_say_where_it_leads(
    host: CodeHost, post: Post
) -> None:
    moved = answers(301, {}, Location=f"{host.api_url}/elsewhere")
    host.faults.append(Fault("POST", host.dialect.list_end, moved))
    message = (
        "the host answers 301, a redirect, which is not followed; is its address right, or has "
    )
    done = post(COMMENT)
    assert done.err.startswith(f"snapdiff: error: {host.dialect.place}: {message}")
    assert (done.status, "elsewhere" in done.err, host.methods()) == (2, False, ["POST"])


# --- The way to a host ---


@every_library
@pytest.mark.parametrize(
    ("proxy", "reason"),
    [
        ("http://user:s3cret@127.0.0.1:1", "the proxy does not answer (no connection"),
        ("http://user:s3cret@proxy:99999", "the request fails (InvalidURL); are the host's"),
        ("http://user:s3cret@", "the request fails (TypeError); are the host's address, and the"),
        ("user:s3cret@proxy:1", "the request fails (InvalidProxyURL); are the host's address"),
    ],
)
def test_a_proxy_that_is_none_is_told_without_its_password(
    proxy: str, reason: str, host: CodeHost, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", proxy)
    done = post(COMMENT)
    assert (done.status, done.out) == (2, "")
    assert is_one_line_error(done.err)
    assert done.err.startswith(f"snapdiff: error: {host.dialect.place}: {reason}")
    assert "s3cret" not in done.err


def test_certificates_that_are_not_there_are_told(
    host: CodeHost, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_API_URL", host.api_url.replace("http:", "https:"))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/no/such/file")
    assert (
        "the request fails (OSError); are the host's address, and the proxy and "
        in post(COMMENT).err
    )
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    monkeypatch.delenv("CURL_CA_BUNDLE", raising=False)
    assert (
        "the request fails (SSLError); are the host's address, and the proxy " in post(COMMENT).err
    )


@pytest.mark.parametrize("dialect", [GitHub()])
@pytest.mark.parametrize(
    "headers", [{"X_RateLimit_Limit": "x", "X_RateLimit_Remaining": "y"}, {"Location": "http://["}]
)
def test_headers_that_are_nonsense_are_an_error(
    headers: dict[str, str], host: CodeHost, post: Post
) -> None:
    host.faults.append(Fault("GET", "/comments", answers(301, {"message": "x"}, **headers)))
    done = post(COMMENT)
    assert (done.status, done.out) == (2, "")
    assert is_one_line_error(done.err)


@every_library
@pytest.mark.parametrize("body", [5, {"a": "b"}, ["c"]], ids=str)
def test_a_comment_that_is_no_text_is_an_error(body: object, host: CodeHost, post: Post) -> None:
    item = {"id": 1, "html_url": "", "user": {"login": "bot"}, "author": {"username": "bot"}}
    listed = answers(200, [{**item, "body": body}])
    host.faults.append(Fault("GET", host.dialect.list_end, listed))
    done = post(COMMENT)
    assert (done.status, done.out) == (2, "")
    assert "the answer is not that of a REST API: Expected `str" in done.err
