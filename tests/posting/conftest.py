"""Hosts that answer, and the variables of a CI job that runs for their one request."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from snapdiff.posting import comments
from tests.posting.code_host import NUMBER, REPOSITORY, CodeHost, User
from tests.posting.github_host import Gitea, GitHub
from tests.posting.gitlab_host import GitLab
from tests.support.helpers import Result, run_cli

TOKEN = "secret-0123456789"  # noqa: S105 -- of a server that ends with the test
BOT = "cache-bot"

DIALECTS: dict[str, Callable[[], Any]] = {
    "GitHub": GitHub,
    "GitHub Enterprise": lambda: GitHub("/api/v3"),
    "Gitea": Gitea,
    "GitLab": GitLab,
}


def pull_request(number: object, sha: str = "1" * 40) -> dict[str, Any]:
    """A pull request as GitHub's events and lists have it, as far as anybody reads it."""
    return {
        "number": number,
        "head": {"ref": "change", "sha": sha},
        "base": {"ref": "main", "sha": "0" * 40},
    }


Post = Callable[..., Result]


@pytest.fixture(autouse=True)
def no_ci_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """The job that runs these tests has variables of its own."""
    for name in list(os.environ):
        if name.startswith(("GITHUB_", "GH_", "CI_", "GITLAB_")):
            monkeypatch.delenv(name)


class Clock:
    """Time that passes only where somebody waits."""

    def __init__(self) -> None:
        """Begin at nought."""
        self.now = 0.0
        self.waited: list[float] = []

    def sleep(self, seconds: float) -> None:
        """Let some seconds pass at once."""
        self.waited.append(seconds)
        self.now += seconds

    def monotonic(self) -> float:
        """Say how much time has passed."""
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The time of `snapdiff post`: no test waits for a host."""
    clock = Clock()
    monkeypatch.setattr(comments, "time", clock)
    return clock


def job_variables(host: CodeHost, folder: Path) -> dict[str, str]:
    """The variables of a job of a pull or merge request."""
    if isinstance(host.dialect, GitLab):
        return {
            "CI_API_V4_URL": host.api_url,
            "CI_PROJECT_ID": "99",
            "CI_MERGE_REQUEST_PROJECT_ID": "81",
            "CI_MERGE_REQUEST_IID": str(NUMBER),
            "GITLAB_TOKEN": TOKEN,
        }
    event = folder / "event.json"
    event.write_text(json.dumps({"number": NUMBER, "pull_request": pull_request(NUMBER)}))
    return {
        "GITHUB_API_URL": host.api_url,
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_REF": "refs/heads/main",
        "GITHUB_TOKEN": TOKEN,
    }


@pytest.fixture
def dialect() -> Any:
    """GitHub's, where a test does not ask for another."""
    return GitHub()


@pytest.fixture
def host(dialect: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[CodeHost]:
    """A host without comments, and the variables that lead the command to it."""
    with CodeHost(dialect, {TOKEN: User(BOT)}).running() as running:
        for name, value in job_variables(running, tmp_path).items():
            monkeypatch.setenv(name, value)
        yield running


@pytest.fixture
def post(tmp_path: Path) -> Post:
    """Posts a text as `comment.md`; whatever happens, the token is not shown."""

    def run(text: str, *options: str) -> Result:
        file = tmp_path / "comment.md"
        file.write_text(text, "utf-8")
        done = run_cli("post", str(file), *options)
        assert TOKEN not in done.out + done.err
        return done

    return run


every_dialect = pytest.mark.parametrize(
    "dialect", [make() for make in DIALECTS.values()], ids=DIALECTS
)
