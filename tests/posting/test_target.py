"""Which request a CI job's variables name, and what is asked of FILE before any host is."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from snapdiff.errors import PostError
from snapdiff.posting.target import HostName, Target, Token, find_target
from tests.posting.code_host import CodeHost
from tests.posting.conftest import TOKEN, Post, pull_request
from tests.posting.gitlab_host import GitLab
from tests.support.helpers import refused, run_cli
from tests.support.processes import command, environment

COMMENT = "<!-- snapdiff -->\n# Changes\n"

GITHUB = {
    "GITHUB_API_URL": "https://api.github.com",
    "GITHUB_REPOSITORY": "spack/cache",
    "GITHUB_REF": "refs/pull/12/merge",
}
GITLAB = {
    "CI_API_V4_URL": "https://gitlab.example/api/v4",
    "CI_PROJECT_ID": "99",
    "CI_MERGE_REQUEST_IID": "12",
}


@pytest.mark.parametrize(
    ("variables", "asked", "place"),
    [
        (GITHUB, {}, "https://api.github.com spack/cache#12"),
        (GITHUB | {"GITHUB_REF": "refs/pull/12/head"}, {}, "https://api.github.com spack/cache#12"),
        (GITHUB, {"number": 3}, "https://api.github.com spack/cache#3"),
        (GITHUB, {"repository": "a/b.c"}, "https://api.github.com a/b.c#12"),
        (
            GITHUB | {"GITHUB_API_URL": "https://git.example/api/v3/"},
            {},
            "https://git.example/api/v3 spack/cache#12",
        ),
        ({}, {"host": "github", "repository": "a/b", "number": 1}, "https://api.github.com a/b#1"),
        (GITHUB | GITLAB, {"host": "github"}, "https://api.github.com spack/cache#12"),
        (GITHUB | GITLAB, {"host": "gitlab"}, "https://gitlab.example/api/v4 99!12"),
        (GITLAB, {}, "https://gitlab.example/api/v4 99!12"),
        (
            GITLAB | {"CI_MERGE_REQUEST_PROJECT_ID": "81"},
            {},
            "https://gitlab.example/api/v4 81!12",
        ),
        (
            GITLAB | {"GITHUB_API_URL": ""},
            {"repository": "group/sub/name", "number": 7},
            "https://gitlab.example/api/v4 group/sub/name!7",
        ),
        (
            {},
            {"host": "gitlab", "repository": "a/b", "number": 1},
            "https://gitlab.com/api/v4 a/b!1",
        ),
    ],
)
def test_options_go_before_variables(
    variables: dict[str, str], asked: dict[str, Any], place: str
) -> None:
    target = find_target(variables, **asked)
    assert f"{target.api_url} {target.place}" == place


@pytest.mark.parametrize(
    ("event", "number"),
    [
        ({"pull_request": pull_request(5)}, 5),
        ({"issue": {"number": 5, "pull_request": {}}}, 5),
        ({"issue": {"number": 5}}, 12),
        ({"pull_request": pull_request(0)}, 12),
        ({"pull_request": pull_request(10**10)}, 12),
        ({"pull_request": pull_request("5/../6")}, 12),
        ({"pull_request": {}}, 12),
        ({"pull_request": None, "workflow_run": {}}, 12),
        ([], 12),
        ("{", 12),
    ],
    ids=str,
)
def test_the_event_goes_before_the_ref(event: Any, number: int, tmp_path: Path) -> None:
    file = tmp_path / "event.json"
    file.write_text(event if isinstance(event, str) else json.dumps(event))
    target = find_target(GITHUB | {"GITHUB_EVENT_PATH": str(file)})
    assert target.number == number


@pytest.mark.parametrize(
    ("variables", "asked", "words"),
    [
        ({}, {}, "which host? GITHUB_API_URL and CI_API_V4_URL are not set; say --host"),
        (GITHUB | GITLAB, {}, "which host? GITHUB_API_URL and CI_API_V4_URL are both set; say"),
        (
            GITHUB | {"GITHUB_REF": "refs/heads/main", "GITHUB_EVENT_PATH": "/no/such"},
            {},
            "no number: neither GITHUB_EVENT_PATH nor GITHUB_REF names a pull request; give",
        ),
        (GITHUB | {"GITHUB_REPOSITORY": ""}, {}, "no repository: GITHUB_REPOSITORY is not set;"),
        (
            GITLAB | {"CI_MERGE_REQUEST_IID": ""},
            {},
            "no number: CI_MERGE_REQUEST_IID is not set; is this a pipeline for merge requests?",
        ),
        (GITLAB | {"CI_PROJECT_ID": ""}, {}, "no repository: CI_PROJECT_ID is not set;"),
    ],
)
def test_what_is_not_named_is_an_error(
    variables: dict[str, str], asked: dict[str, Any], words: str
) -> None:
    with pytest.raises(PostError) as caught:
        find_target(variables, **asked)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize("host", ["github", "gitlab"])
@pytest.mark.parametrize(
    "repository", ["name", "a/b/../c?d", "a b/c", "/a/b", "a/b/", "ä/b", "a/\n"]
)
def test_a_repository_cannot_change_what_is_asked_for(host: HostName, repository: str) -> None:
    with pytest.raises(PostError, match="no repository of"):
        Target(host=host, api_url="https://x", repository=repository, number=1)


@pytest.mark.parametrize(
    "api_url",
    [
        "api.github.com",
        "ftp://x",
        "file:///etc/passwd",
        "https://",
        "https://user:secret@x",
        "https://x?y",
        "https://[x",
        "https://x:a",
        "https://x/\n",
    ],
)
def test_an_address_that_is_none_is_refused_and_not_shown(api_url: str) -> None:
    with pytest.raises(PostError, match=r"GITHUB_API_URL: is no http\(s\) URL") as caught:
        Target(host="github", api_url=api_url, repository="a/b", number=1)
    assert "secret" not in str(caught.value)


def test_a_token_does_not_show_itself() -> None:
    assert repr(Token(TOKEN, "X")) == "Token(variable='X')"


def test_gitlab_is_asked_in_version_4(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**GITLAB, "CI_API_V4_URL": "https://x/api/v5", "GITLAB_TOKEN": "t"}.items():
        monkeypatch.setenv(name, value)
    assert post(COMMENT).err == (
        "snapdiff: error: https://x/api/v5: CI_API_V4_URL ends in /api/v4\n"
    )


# --- The file ---


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty; write it without --quiet-if-empty"),
        (b" \n", "is empty; "),
        (b"\xff", "is no text in UTF-8"),
        (b"x" * 4_000_001, "has more than 4,000,000 bytes"),
    ],
    ids=["empty", "blank", "bytes", "large"],
)
def test_a_file_that_is_no_comment_is_refused(
    content: bytes, words: str, host: CodeHost, tmp_path: Path
) -> None:
    file = tmp_path / "comment.md"
    file.write_bytes(content)
    assert refused("post", file).startswith(f"{file}: {words}")
    assert host.seen == []


def test_a_file_that_cannot_be_read_is_named(host: CodeHost, tmp_path: Path) -> None:
    missing = tmp_path / "no.md"
    assert run_cli("post", missing).err == (
        f"snapdiff: error: {missing}: No such file or directory\n"
    )
    assert run_cli("post", tmp_path).err == f"snapdiff: error: {tmp_path}: Is a directory\n"
    assert host.seen == []


@pytest.mark.parametrize("marker", ["a --> b", "", "a--b"])
def test_a_marker_that_could_end_its_line_is_refused(
    marker: str, host: CodeHost, post: Post
) -> None:
    done = post(COMMENT, "--marker", marker)
    assert (done.status, done.out) == (2, "")
    assert "a marker is made of letters" in done.err
    assert host.seen == []


# --- A process of its own ---


@pytest.mark.parametrize("dialect", [GitLab()])
def test_standard_input_is_posted_by_a_process(host: CodeHost) -> None:
    for text in (COMMENT, COMMENT + "\n- zlib\n"):
        done = subprocess.run(
            command("post", "-"),
            input=text.encode(),
            capture_output=True,
            env=environment(None),
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        page = f"{host.url}/spack/cache/-/merge_requests/12"
        assert done.stdout.decode() == f"{page}#note_1001\n"
        assert host.bodies() == [text]
