"""Which request a comment is for, and in whose name: what options and a CI job's variables say.

The variables of GitHub name a file with the event that started the workflow. All of it is checked
before any host is asked.
"""

import contextlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from snapdiff.errors import PostError, RefusedError, SnapdiffError
from snapdiff.safe_text import shown

HostName = Literal["github", "gitlab"]
Variables = Mapping[str, str]

_NAME = r"[\w.-]*[\w-][\w.-]*"
"""A part of a repository's name; `..` would lead to another place."""


_ADDRESS = r"https?://(?:[\w.-]+|\[[0-9a-f:]+\])(?::[0-9]+)?(?:/(?:(?![?#])[!-~])*)?"
"""The address of an interface: nothing in it may be a secret, or change what is asked for."""


class _HostRules(NamedTuple):
    api_variable: str
    public_api: str
    token_variables: tuple[str, ...]
    repository_variables: tuple[str, ...]
    repository_pattern: str
    repository_form: str
    number_sign: str
    no_number: str


_HOSTS: dict[HostName, _HostRules] = {
    "github": _HostRules(
        api_variable="GITHUB_API_URL",
        public_api="https://api.github.com",
        token_variables=("GITHUB_TOKEN", "GH_TOKEN"),
        repository_variables=("GITHUB_REPOSITORY",),
        repository_pattern=f"{_NAME}/{_NAME}",
        repository_form="OWNER/NAME",
        number_sign="#",
        no_number="neither GITHUB_EVENT_PATH nor GITHUB_REF names a pull request",
    ),
    "gitlab": _HostRules(
        api_variable="CI_API_V4_URL",
        public_api="https://gitlab.com/api/v4",
        token_variables=("GITLAB_TOKEN",),
        # A merge request from a fork runs in the fork, and is one of the project it goes to.
        repository_variables=("CI_MERGE_REQUEST_PROJECT_ID", "CI_PROJECT_ID"),
        repository_pattern=f"[1-9][0-9]*|{_NAME}(?:/{_NAME})+",
        repository_form="the path of a project, or its number",
        number_sign="!",
        no_number="CI_MERGE_REQUEST_IID is not set; is this a pipeline for merge requests?",
    ),
}
"""The variables of a host's CI jobs, its public interface, and the form of its repositories."""

_JOB_TOKEN = "CI_JOB_TOKEN"  # noqa: S105 -- the name of a variable


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A pull or merge request: on which host, in which repository, its number there."""

    host: HostName
    api_url: str
    repository: str
    number: int

    def __post_init__(self) -> None:
        """Raise PostError where one of them cannot be: nothing of it may change a request."""
        rules = _HOSTS[self.host]
        if not re.fullmatch(rules.repository_pattern, self.repository, re.ASCII):
            message = f"no repository of {self.host}; it is {rules.repository_form}"
            raise PostError(f"{shown(self.repository)}: {message}")
        if not re.fullmatch(_ADDRESS, self.api_url, re.ASCII | re.IGNORECASE):
            message = "is no http(s) URL without user, query and fragment"
            raise PostError(f"{rules.api_variable}: {message}")

    @property
    def place(self) -> str:
        """The request as people write it."""
        return f"{self.repository}{_HOSTS[self.host].number_sign}{self.number}"


@dataclass(frozen=True, slots=True)
class Token:
    """A secret, and the environment variable that it is from: the one thing ever shown of it."""

    secret: str = field(repr=False)
    variable: str

    def __post_init__(self) -> None:
        """Raise PostError where it is no token: a library would show it in its own complaint."""
        if not re.fullmatch("[!-~]+", self.secret):
            raise PostError(f"{self.variable}: holds characters that no token has")


def find_target(
    variables: Variables,
    *,
    host: HostName | None = None,
    repository: str | None = None,
    number: int | None = None,
) -> Target:
    """Return the request that a comment is for; None is left to the variables of a CI job.

    Raises PostError where nothing names one.
    """
    if host is None:
        found = [name for name, rules in _HOSTS.items() if variables.get(rules.api_variable)]
        if len(found) != 1:
            names = " and ".join(rules.api_variable for rules in _HOSTS.values())
            state = "are both set" if found else "are not set"
            raise PostError(f"which host? {names} {state}; say --host github or --host gitlab")
        [host] = found
    rules = _HOSTS[host]
    named = (variables.get(name) for name in rules.repository_variables)
    repository = repository or next(filter(None, named), "")
    if not repository:
        message = f"{rules.repository_variables[-1]} is not set; name one with --repo"
        raise PostError(f"no repository: {message}")
    number = number or _number(host, variables)
    if not number:
        raise PostError(f"no number: {rules.no_number}; give it with --number")
    api_url = (variables.get(rules.api_variable) or rules.public_api).rstrip("/")
    return Target(host=host, api_url=api_url, repository=repository, number=number)


def _number(host: HostName, variables: Variables) -> int | None:
    number = variables.get("CI_MERGE_REQUEST_IID", "")
    if host == "github":
        with contextlib.suppress(SnapdiffError):
            if in_event := read_event(variables.get("GITHUB_EVENT_PATH", "")).number:
                return in_event
        ref = variables.get("GITHUB_REF", "")
        in_ref = re.fullmatch(r"refs/pull/([0-9]+)/(?:merge|head)", ref)
        number = in_ref[1] if in_ref else ""
    return int(number) if re.fullmatch("[1-9][0-9]{0,9}", number, re.ASCII) else None


def find_token(host: HostName, place: str, variable: str | None, variables: Variables) -> Token:
    """Return the token in a variable, or in the host's own ones.

    Raises RefusedError with the place it is for where there is none, and PostError where it is
    GitLab's job token, which may not write comments.
    """
    if variable == _JOB_TOKEN:
        raise PostError(f"{_JOB_TOKEN} cannot write notes; make an access token with the scope api")
    names = (variable,) if variable else _HOSTS[host].token_variables
    for name in names:
        # A secret that was pasted with its line break is still the secret.
        if secret := variables.get(name, "").strip():
            return Token(secret, name)
    is_job = host == "gitlab" and _JOB_TOKEN in variables
    advice = f"; {_JOB_TOKEN} cannot write notes" if is_job else ""
    raise RefusedError(f"{place}: no token in {' or '.join(names)}{advice}")


# --- The event of a workflow of GitHub, as far as it matters ---

_RequestNumber = Annotated[int, Meta(gt=0, lt=10**10)]


class EventRepository(Struct):
    """A repository of an event; `full_name` is OWNER/NAME."""

    full_name: str = ""
    default_branch: str = ""


class _EventCommit(Struct):
    ref: str
    sha: str
    repo: EventRepository | None = None  # null: the fork was deleted


class PullRequest(Struct):
    """A pull request, as an event or the REST interface has it. Its `base.sha` is never read.

    That commit is the target's as it was when the pull request was last pushed to. The merge commit
    is made with the target as it is: all that others merged meanwhile would count as a change.
    """

    number: _RequestNumber
    head: _EventCommit
    base: _EventCommit


class _Issue(Struct):
    number: _RequestNumber
    pull_request: dict[str, object] | None = None  # there where it is one: GitHub lists them so


class _MergeGroup(Struct):
    base_sha: str


class WorkflowRun(Struct):
    """Another workflow's run, which has ended."""

    head_sha: str
    head_branch: str | None
    head_repository: EventRepository | None


class GitHubEvent(Struct):
    """The event's own fields, as far as they matter."""

    pull_request: PullRequest | None = None
    issue: _Issue | None = None
    merge_group: _MergeGroup | None = None
    workflow_run: WorkflowRun | None = None
    repository: EventRepository = msgspec.field(default_factory=EventRepository)
    ref: str = ""
    before: str | None = None
    forced: bool = False

    @property
    def number(self) -> int | None:
        """The pull request's number, where the event has one: a comment on it has, too."""
        if self.pull_request:
            return self.pull_request.number
        if self.issue and self.issue.pull_request is not None:
            return self.issue.number
        return None


def read_event(file: str | Path) -> GitHubEvent:
    """Return the event in a file; raises SnapdiffError where it cannot be read."""
    try:
        return msgspec.json.decode(Path(file).read_bytes(), type=GitHubEvent)
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise SnapdiffError(f"{file}: cannot be read as an event of GitHub: {error}") from error
