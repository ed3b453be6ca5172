"""A step of the action, called as the runner calls it, without the runner's own processes."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from snapdiff.ci import github_action
from tests.action.pull_requests import PullRequest, write_event
from tests.posting.code_host import REPOSITORY

TOKEN = "secret-0123456789"  # noqa: S105 -- of a server that ends with the test


@pytest.fixture(scope="session")
def request_(tmp_path_factory: pytest.TempPathFactory) -> PullRequest:
    """A pull request that no test changes."""
    return PullRequest(tmp_path_factory.mktemp("request"))


@pytest.fixture(autouse=True)
def no_ci_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """The job that runs these tests has variables of its own."""
    for name in list(os.environ):
        if name.startswith(("CI_", "GITHUB_", "GITLAB_", "RUNNER_", "SNAPDIFF_")):
            monkeypatch.delenv(name)


class Step:
    """A step of the action in a folder with its files."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Take a folder and what sets variables."""
        self.folder = folder
        self._monkeypatch = monkeypatch

    def run(self, name: str, event: Mapping[str, Any], **variables: str) -> int:
        """Run a step; return its exit status."""
        given = {
            "GITHUB_EVENT_PATH": str(write_event(self.folder, dict(event))),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_RUN_ID": "77",
            "SNAPDIFF_FOLDER": str(self.folder),
            "SNAPDIFF_TOKEN": TOKEN,
            **variables,
        }
        for key, value in given.items():
            self._monkeypatch.setenv(key, value)
        self._monkeypatch.setattr(sys, "argv", ["github_action", name])
        return github_action.main()

    def outputs(self) -> dict[str, str]:
        """What the step has set."""
        lines = (self.folder / "output").read_text("utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines)


@pytest.fixture
def step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Step:
    """A step that is to run."""
    return Step(tmp_path, monkeypatch)
