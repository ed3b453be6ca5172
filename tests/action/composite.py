"""Runs a composite action step by step, as GitHub's runner does, with real files and shells."""

import atexit
import functools
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

HERE = Path(__file__).parent

_PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")

Outputs = dict[str, str]
StandIn = Callable[[Mapping[str, str]], Outputs]
"""Does what an action of others would do with its inputs, as far as it matters here."""


class Finished(NamedTuple):
    """One step that ran: its name, its exit status, what it logged and its part of the summary."""

    name: str
    status: int
    log: str
    summary: str


@dataclass
class Job:
    """What the steps of one job share: contexts, environment, a workspace."""

    workspace: Path
    temp: Path
    github: dict[str, Any]
    environment: dict[str, str]
    stand_ins: dict[str, StandIn]
    known_steps: dict[str, Callable[[], Outputs]] = field(default_factory=dict)
    """Steps that are not run again, and how their outputs are made."""


@dataclass
class RanAction:
    """What an action did in a job."""

    outputs: Outputs = field(default_factory=dict)
    steps: list[Finished] = field(default_factory=list)

    @property
    def status(self) -> int:
        """The exit status of the first step that failed, or 0."""
        return next((step.status for step in self.steps if step.status), 0)

    @property
    def names(self) -> list[str]:
        """The steps that ran, in order."""
        return [step.name for step in self.steps]

    def log(self, name: str) -> str:
        """What a step logged."""
        return next(step.log for step in self.steps if step.name == name)

    @property
    def summary(self) -> str:
        """The summary of the job: that of all steps."""
        return "".join(step.summary for step in self.steps)


def run_action(folder: Path, given: Mapping[str, str], job: Job) -> RanAction:
    """Run the action in a folder with some inputs; every expression is evaluated by GitHub's own.

    A step whose condition does not hold is left out; after one that failed, every later one whose
    condition does not ask for that.
    """
    action = yaml.safe_load((folder / "action.yml").read_text("utf-8"))
    assert set(given) <= set(action["inputs"])
    inputs = {name: given.get(name, item["default"]) for name, item in action["inputs"].items()}
    ran = RanAction()
    steps: dict[str, dict[str, Any]] = {}
    for number, step in enumerate(action["runs"]["steps"]):
        texts = {"run": "", **step.get("env", {}), **step.get("with", {})}
        assert "${{" not in step.get("run", ""), "inputs reach shells through the environment alone"
        contexts = {
            "github": job.github,
            "inputs": inputs,
            "steps": steps,
            "runner": {"temp": str(job.temp), "os": "Linux"},
        }
        condition = step.get("if", "true")
        runs, values = expressions().evaluate(contexts, texts, condition, succeeded=not ran.status)
        if not runs:
            continue
        name = step.get("id") or step["uses"].partition("@")[0].partition("/")[2]
        if "uses" in step:
            assert _PINNED.fullmatch(step["uses"]), step["uses"]
            chosen = {key: values[key] for key in step.get("with", {})}
            outputs = job.stand_ins[step["uses"].partition("@")[0]](chosen)
            ran.steps.append(Finished(name, 0, "", ""))
        elif name in job.known_steps:
            outputs = job.known_steps[name]()
            ran.steps.append(Finished(name, 0, "", ""))
        else:
            assert step["shell"] == "bash"
            variables = {key: values[key] for key in step.get("env", {})}
            files = job.temp / f"_step-{number}-{len(os.listdir(job.temp))}"
            finished, outputs = _run(name, step["run"], variables, folder, files, job)
            ran.steps.append(finished)
        if "id" in step:
            steps[step["id"]] = {"outputs": outputs}
    wanted = {name: item["value"] for name, item in action["outputs"].items()}
    _, ran.outputs = expressions().evaluate({"steps": steps}, wanted, "true", succeeded=True)
    return ran


def _run(
    name: str, script: str, variables: dict[str, str], folder: Path, files: Path, job: Job
) -> tuple[Finished, Outputs]:
    """Run a script as the runner does; return how it ended, and its outputs."""
    files.mkdir()
    (files / "script.sh").write_text(script, "utf-8")
    given = {
        "GITHUB_OUTPUT": files / "output",
        "GITHUB_ENV": files / "env",
        "GITHUB_PATH": files / "path",
        "GITHUB_STATE": files / "state",
        "GITHUB_STEP_SUMMARY": files / "summary",
    }
    for file in given.values():
        file.touch()
    environment = {
        **job.environment,
        **{key: str(file) for key, file in given.items()},
        "GITHUB_ACTION_PATH": str(folder),
        "GITHUB_WORKSPACE": str(job.workspace),
        "RUNNER_TEMP": str(job.temp),
        **variables,
    }
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", files / "script.sh"],
        cwd=job.workspace,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert given["GITHUB_ENV"].read_text() == given["GITHUB_PATH"].read_text() == ""
    lines = given["GITHUB_OUTPUT"].read_text("utf-8").splitlines()
    summary = given["GITHUB_STEP_SUMMARY"].read_text("utf-8")
    assert len(summary.encode("utf-8")) <= 1 << 20
    outputs = dict(line.split("=", 1) for line in lines)
    return Finished(name, done.returncode, done.stdout, summary), outputs


class Expressions:
    """GitHub's own evaluator of expressions, in one process of Node for all steps."""

    def __init__(self) -> None:
        """Start it."""
        self._process = subprocess.Popen(
            ["node", HERE / "evaluate.mjs"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def evaluate(
        self,
        contexts: Mapping[str, Any],
        texts: Mapping[str, Any],
        condition: str,
        *,
        succeeded: bool,
    ) -> tuple[bool, dict[str, str]]:
        """Whether a step runs, and its texts with every expression in them evaluated."""
        assert self._process.stdin
        assert self._process.stdout
        written = {
            name: value if isinstance(value, str) else json.dumps(value)
            for name, value in texts.items()
        }
        asked = {"contexts": contexts, "texts": written, "condition": condition}
        self._process.stdin.write(json.dumps({**asked, "succeeded": succeeded}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return answer["runs"], answer["texts"]

    def stop(self) -> None:
        """End the process."""
        self._process.communicate()


@functools.cache
def expressions() -> Expressions:
    """The evaluator of this run of the tests."""
    started = Expressions()
    atexit.register(started.stop)
    return started


def needs_node(package: str) -> pytest.MarkDecorator:
    """Skip a test where a package of Node is not there."""
    is_there = shutil.which("node") and (HERE / "node_modules" / package).exists()
    return pytest.mark.skipif(not is_there, reason=f"needs {package}: `make node` brings it")
