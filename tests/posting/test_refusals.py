"""What a token may not do, and what a host does not take."""

import sys

import pytest

from tests.posting.code_host import CodeHost, Fault, Response, User, answers
from tests.posting.conftest import BOT, TOKEN, Post, every_dialect
from tests.posting.github_host import Gitea
from tests.posting.gitlab_host import GitLab
from tests.posting.published import Description
from tests.support.processes import is_one_line_error

COMMENT = "<!-- snapdiff -->\n# Changes\n"
WORKFLOW = User("github-actions[bot]", is_app=True)


# --- Tokens ---


@every_dialect
def test_a_token_that_only_reads_is_no_error_unless_it_has_to_write(
    host: CodeHost, post: Post
) -> None:
    host.users[TOKEN] = User(BOT, may_write=False)
    done = post(COMMENT)
    assert (done.status, done.out) == (0, "")
    assert done.err.startswith(
        f"snapdiff: notice: nothing was posted: {host.dialect.place}: the host answers 403: "
    )
    assert done.err.count("\n") == 1
    assert post(COMMENT, "--quiet").err == ""
    required = post(COMMENT, "--required", "-q")
    assert required.status == 2
    assert is_one_line_error(required.err)
    assert host.comments == []


@every_dialect
def test_a_token_that_only_reads_may_find_that_nothing_has_to_be_written(
    host: CodeHost, post: Post
) -> None:
    own = host.add(BOT, COMMENT)
    host.users[TOKEN] = User(BOT, may_write=False)
    assert post(COMMENT, "--required").out.endswith(f"{own.comment_id}\n")


@pytest.mark.parametrize("value", ["", "  \n", None])
@every_dialect
def test_no_token_is_like_one_that_only_reads(
    value: str | None, host: CodeHost, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_gitlab = isinstance(host.dialect, GitLab)
    name = "GITLAB_TOKEN" if is_gitlab else "GITHUB_TOKEN"
    if value is None:
        monkeypatch.delenv(name)
    else:
        monkeypatch.setenv(name, value)
    names = "GITLAB_TOKEN" if is_gitlab else "GITHUB_TOKEN or GH_TOKEN"
    reason = f"{host.dialect.place}: no token in {names}"
    done = post(COMMENT)
    assert done == (0, "", f"snapdiff: notice: nothing was posted: {reason}\n")
    assert post(COMMENT, "--required") == (2, "", f"snapdiff: error: {reason}\n")
    assert host.seen == []


@pytest.mark.parametrize("dialect", [GitLab()])
def test_the_token_of_a_gitlab_job_cannot_write(
    host: CodeHost, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITLAB_TOKEN")
    monkeypatch.setenv("CI_JOB_TOKEN", TOKEN)
    assert "no token in GITLAB_TOKEN; CI_JOB_TOKEN cannot write notes" in post(COMMENT).err
    done = post(COMMENT, "--token-from", "CI_JOB_TOKEN")
    assert done.status == 2
    assert done.err == (
        "snapdiff: error: CI_JOB_TOKEN cannot write notes; make an access token with the scope "
        "api\n"
    )
    assert host.seen == []


@every_dialect
def test_the_token_may_be_in_any_variable(
    host: CodeHost, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOT_TOKEN", f"{TOKEN}-2\n")
    host.users[f"{TOKEN}-2"] = User("other-bot")
    assert post(COMMENT, "--token-from", "BOT_TOKEN").status == 0
    assert host.bodies("other-bot") == [COMMENT]


@every_dialect
def test_a_token_that_is_not_known_is_an_error(host: CodeHost, post: Post) -> None:
    host.users.clear()
    done = post(COMMENT)
    assert (done.status, done.out) == (2, "")
    assert is_one_line_error(done.err)
    assert "answers 401" in done.err
    assert "_TOKEN is not known there" in done.err


@pytest.mark.parametrize("token", ["a\nb", "a b", "tök", "a\x1b[31m", "\udcff"])
def test_what_is_no_token_is_not_sent_and_not_shown(
    token: str, host: CodeHost, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", token)
    assert post(COMMENT) == (
        2,
        "",
        "snapdiff: error: GITHUB_TOKEN: holds characters that no token has\n",
    )
    assert host.seen == []


@pytest.mark.parametrize("login", ["github-actions[bot]", "github-actions"])
def test_the_token_of_a_workflow_finds_the_comments_of_its_bot(
    login: str, host: CodeHost, post: Post
) -> None:
    host.users[TOKEN] = WORKFLOW
    viewer = {"data": {"viewer": {"login": login}}}
    host.faults.append(Fault("POST", "/graphql", answers(200, viewer)))
    host.add("github-actions", COMMENT)  # a user may have the plain name
    own = host.add("github-actions[bot]", "<!-- snapdiff -->\nold\n")
    assert post(COMMENT).out.endswith(f"{own.comment_id}\n")
    assert host.methods() == ["POST", "PATCH"]  # the first asks whose token it is


def test_a_workflow_of_a_fork_is_told_that_it_may_not_write(host: CodeHost, post: Post) -> None:
    host.users[TOKEN] = WORKFLOW._replace(may_write=False)
    done = post(COMMENT)
    assert (done.status, done.out) == (0, "")
    assert "Resource not accessible by integration" in done.err


@pytest.mark.parametrize("answer", [{"errors": [{"message": "no"}]}, {"data": None}, [], "no"])
def test_a_host_that_does_not_say_whose_the_token_is_gets_no_comment(
    answer: object, host: CodeHost, post: Post
) -> None:
    host.users[TOKEN] = WORKFLOW
    host.add("github-actions[bot]", COMMENT)
    host.faults.append(Fault("POST", "/graphql", answers(200, answer)))
    done = post(COMMENT)
    assert (done.status, done.out) == (2, "")
    assert is_one_line_error(done.err)
    assert host.bodies() == [COMMENT]


@pytest.mark.parametrize("dialect", [Gitea()])
def test_a_token_that_may_not_say_whose_it_is_is_told_so(host: CodeHost, post: Post) -> None:
    said = "token does not have at least one of required scope(s): [read:user]"
    host.add(BOT, COMMENT)
    host.faults.append(Fault("GET", "/user", answers(403, {"message": said})))
    place = f"{host.dialect.place}: the host answers 403: {said}"
    assert post(COMMENT) == (0, "", f"snapdiff: notice: nothing was posted: {place}\n")
    assert post(COMMENT, "--required") == (2, "", f"snapdiff: error: {place}\n")
    assert host.bodies() == [COMMENT]


# --- What is not there, and what is not taken ---


@every_dialect
def test_a_request_that_is_not_there_is_an_error(host: CodeHost, post: Post) -> None:
    done = post(COMMENT, "--number", "77")
    place = host.dialect.place.replace("12", "77")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"snapdiff: error: {place}: the host answers 404: ")
    assert done.err.endswith("; are repository and number right, and may the token see them?\n")


@every_dialect
def test_what_is_too_long_is_not_sent(host: CodeHost, post: Post) -> None:
    most = 1_000_000 if isinstance(host.dialect, GitLab) else 65_536
    assert post(COMMENT + "é" * (most - len(COMMENT))).status == 0
    host.seen.clear()
    done = post(COMMENT + "é" * (most - len(COMMENT) + 1))
    assert done.status == 2
    assert done.err == (
        f"snapdiff: error: the comment has {most + 1:,} characters, and {host.dialect.place} "
        f"takes {most:,}; make it shorter with --max-length\n"
    )
    assert host.seen == []


@every_dialect
def test_what_a_host_says_is_shown_in_one_line_and_without_the_token(
    host: CodeHost, post: Post
) -> None:
    said = f"\x1b[31mno\r\n \u202e{TOKEN} is too long " + "x" * 5000
    for body in ({"message": said}, {"error": said}, said, {"message": {"note": [said]}}):
        host.faults[:] = [Fault("POST", host.dialect.list_end, answers(418, body))]
        done = post(COMMENT)
        assert (done.status, done.out) == (2, "")
        assert is_one_line_error(done.err)
        assert done.err.rstrip("\n").isprintable()
        assert "answers 418: " in done.err
        assert "[token] is too long" in done.err
        assert len(done.err) < 400


@pytest.mark.parametrize(
    ("errors", "details"),
    [
        ([{"field": "data", "message": "Body is too long"}, {"code": "x"}], "; Body is too long"),
        ([{"message": f"no {TOKEN}"}, 7, None, {"message": {}}], "; no [token]"),
        ("no list", ""),
        (None, ""),
    ],
)
def test_what_is_wrong_with_a_comment_is_said_as_github_says_it(
    errors: object, details: str, host: CodeHost, post: Post
) -> None:
    refusal = {"message": "Validation Failed", "errors": errors}
    host.faults.append(Fault("POST", "/comments", answers(422, refusal)))
    reason = f"the host answers 422: Validation Failed{details}"
    assert post(COMMENT) == (2, "", f"snapdiff: error: {host.dialect.place}: {reason}\n")


@pytest.mark.parametrize(
    "echo",
    [
        "ghp_a%2Fb%2Bc%3D12345",
        "ghp_a%252Fb%252bc%253D12345",
        "ghp_a/b+\nc=12345",
        "ghp_a/b+\r\n  c=1\x002345",
        "ghp_a\\/b\\u002bc&#61;12345",
    ],
)
def test_a_token_is_hidden_however_a_host_repeats_it(
    echo: str, host: CodeHost, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_a/b+c=12345")
    host.users["ghp_a/b+c=12345"] = User(BOT)
    for body in ({"message": f"bad {echo}!"}, f"<html>bad {echo}!"):
        host.faults[:] = [Fault("POST", host.dialect.list_end, answers(422, body))]
        done = post(COMMENT)
        assert done.status == 2
        assert "bad [token]!" in done.err
        assert "12345" not in done.err


@every_dialect
def test_an_address_that_a_host_gives_is_printed_in_one_line(host: CodeHost, post: Post) -> None:
    field = "web_url" if isinstance(host.dialect, GitLab) else "html_url"

    def lying(_request: object, carry: object) -> Response:
        response: Response = carry()  # type: ignore[operator]
        items = response.body if isinstance(response.body, list) else [response.body]
        for item in items:
            item[field] = f"https://x/\nmore\x1b[31m{TOKEN}"
        return response

    end = "merge_requests/12" if isinstance(host.dialect, GitLab) else "/comments"
    host.faults += [Fault("GET", end, lying), Fault("POST", end, lying)]
    done = post(COMMENT)
    assert done.status == 0
    assert done.out.count("\n") == 1
    assert done.out.startswith("https://x/\\nmore\\x1b[31m[token]")


# --- Libraries ---


@every_dialect
def test_a_library_that_is_not_installed_is_named(
    host: CodeHost, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "requests", None)
    install = "in a clone, pip install '.[post]'"
    reason = f"posting takes a library that an extra brings: {install}"
    assert post(COMMENT) == (2, "", f"snapdiff: error: {reason}\n")
    assert host.seen == []


# --- The server is what GitHub describes ---


def test_what_is_not_as_github_describes_it_is_found() -> None:
    path = "/repos/a/b/issues/1/comments"
    error = {"message": "no", "documentation_url": "https://docs", "status": "404"}
    faults_of = Description().faults_of
    assert faults_of("GET", path, None, 200, [], {"link"}) == []
    assert faults_of("GET", path, None, 404, error, set()) == []
    assert faults_of("GET", path, None, 200, [{"id": 1}], set())
    assert faults_of("GET", path, None, 200, {}, set())
    assert faults_of("POST", path, {}, 404, error, set())
    assert faults_of("POST", path, {"body": "x"}, 200, [], set())
    assert faults_of("DELETE", "/repos/a/b/issues/comments/1", None, 204, {}, set())
    assert faults_of("GET", "/repos/a/b/comments", None, 200, [], set())
    assert faults_of("DELETE", "/user", None, 204, None, set())
