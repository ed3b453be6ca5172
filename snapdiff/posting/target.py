"""Which request a comment is for, and in whose name: what options and a CI job's variables say.

The variables of GitHub name a file with the event that started the workflow. All of it is checked
before any host is asked.
"""

import contextlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct

from snapdiff.errors import PostError, RefusedError, SnapdiffError
from snapdiff.safe_text import hidden, shown

HostName = Literal["github", "gitlab"]
Variables = Mapping[str, str]

API_URLS: dict[HostName, tuple[str, str]] = {
    "github": ("GITHUB_API_URL", "https://api.github.com"),
    "gitlab": ("CI_API_V4_URL", "https://gitlab.com/api/v4"),
}
"""The variable with the address of a host's REST interface, and the public host's own."""

TOKEN_VARIABLES: dict[HostName, tuple[str, ...]] = {
    "github": ("GITHUB_TOKEN", "GH_TOKEN"),
    "gitlab": ("GITLAB_TOKEN",),
}
"""Where a token is looked for, host by host."""

_REPOSITORIES: dict[HostName, tuple[str, ...]] = {
    "github": ("GITHUB_REPOSITORY",),
    # A merge request from a fork runs in the fork, and is a request of the project it goes to.
    "gitlab": ("CI_MERGE_REQUEST_PROJECT_ID", "CI_PROJECT_ID"),
}
_JOB_TOKEN = "CI_JOB_TOKEN"  # noqa: S105 -- the name of a variable

_NAME = r"[\w.-]*[\w-][\w.-]*"
"""A part of a repository's name; `..` would lead to another place."""

_REPOSITORY = {
    "github": (f"{_NAME}/{_NAME}", "OWNER/NAME"),
    "gitlab": (f"[1-9][0-9]*|{_NAME}(?:/{_NAME})+", "the path of a project, or its number"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A pull or merge request: on which host, in which repository, its number there."""

    host: HostName
    api_url: str
    repository: str
    number: int

    def __post_init__(self) -> None:
        """Raise PostError where one of them cannot be: nothing of it may change a request."""
        pattern, form = _REPOSITORY[self.host]
        if not re.fullmatch(pattern, self.repository, re.ASCII):
            raise PostError(f"{shown(self.repository)}: no repository of {self.host}; it is {form}")
        if not _is_plain_address(self.api_url):
            raise PostError(
                f"{API_URLS[self.host][0]}: is no http(s) URL without user, query and fragment"
            )

    @property
    def place(self) -> str:
        """The request as people write it."""
        return f"{self.repository}{'#' if self.host == 'github' else '!'}{self.number}"


@dataclass(frozen=True, slots=True)
class Token:
    """A secret, and the environment variable that it is from: the one thing ever shown of it."""

    secret: str = field(repr=False)
    variable: str

    def __post_init__(self) -> None:
        """Raise PostError where it is no token: a library would show it in its own complaint."""
        if not re.fullmatch("[!-~]+", self.secret):
            raise PostError(f"{self.variable}: holds characters that no token has")

    def hidden_in(self, text: str) -> str:
        """Return a text without the secret: a host may repeat what it was sent."""
        return hidden(text, self.secret)


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
    host = host or _host(variables)
    api_variable, public = API_URLS[host]
    names = _REPOSITORIES[host]
    repository = repository or next((variables[name] for name in names if variables.get(name)), "")
    if not repository:
        raise PostError(f"no repository: {names[-1]} is not set; name one with --repo")
    number = number or _number(host, variables)
    if not number:
        where = {
            "github": "neither GITHUB_EVENT_PATH nor GITHUB_REF names a pull request",
            "gitlab": "CI_MERGE_REQUEST_IID is not set; is this a pipeline for merge requests?",
        }
        raise PostError(f"no number: {where[host]}; give it with --number")
    return Target(
        host=host,
        api_url=(variables.get(api_variable) or public).rstrip("/"),
        repository=repository,
        number=number,
    )


def find_token(host: HostName, place: str, variable: str | None, variables: Variables) -> Token:
    """Return the token in a variable, or in the host's own ones.

    Raises RefusedError with the place it is for where there is none, and PostError where it is
    GitLab's job token, which may not write comments.
    """
    if variable == _JOB_TOKEN:
        raise PostError(f"{_JOB_TOKEN} cannot write notes; make an access token with the scope api")
    names = (variable,) if variable else TOKEN_VARIABLES[host]
    for name in names:
        # A secret that was pasted with its line break is still the secret.
        if secret := variables.get(name, "").strip():
            return Token(secret, name)
    is_job = host == "gitlab" and _JOB_TOKEN in variables
    advice = f"; {_JOB_TOKEN} cannot write notes" if is_job else ""
    raise RefusedError(f"{place}: no token in {' or '.join(names)}{advice}")


def _host(variables: Variables) -> HostName:
    found = [host for host, (variable, _) in API_URLS.items() if variables.get(variable)]
    if len(found) != 1:
        names = " and ".join(variable for variable, _ in API_URLS.values())
        state = "are both set" if found else "are not set"
        raise PostError(f"which host? {names} {state}; say --host github or --host gitlab")
    return found[0]


def _number(host: HostName, variables: Variables) -> int | None:
    """Return the number of the request that the variables name, or None."""
    if host == "gitlab":
        return _positive(variables.get("CI_MERGE_REQUEST_IID", ""))
    in_ref = re.fullmatch(r"refs/pull/([0-9]+)/(?:merge|head)", variables.get("GITHUB_REF", ""))
    with contextlib.suppress(SnapdiffError):
        if number := read_event(Path(variables.get("GITHUB_EVENT_PATH", ""))).number:
            return number
    return _positive(in_ref[1]) if in_ref else None


def _positive(text: str) -> int | None:
    """Return a number that is written in ten digits or less, or None."""
    return int(text) if re.fullmatch("[1-9][0-9]{0,9}", text, re.ASCII) else None


def _is_plain_address(url: str) -> bool:
    """Return whether a URL is one of a web server, without a password or anything else in it."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises where it is no number
    except ValueError:
        return False
    is_plain = "@" not in parts.netloc and not parts.query and not parts.fragment
    is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    return is_web and is_plain and re.fullmatch("[!-~]+", url) is not None


# --- The event of a workflow of GitHub, as far as it matters ---

RequestNumber = Annotated[int, Meta(gt=0, lt=10**10)]
"""The number of a pull request."""


class EventRepository(Struct):
    """A repository of an event; `full_name` is OWNER/NAME."""

    full_name: str = ""
    default_branch: str = ""


class EventCommit(Struct):
    """One side of a pull request: a branch, the commit at its end, the repository it is in.

    A fork can be deleted: then it is no repository any more.
    """

    ref: str
    sha: str
    repo: EventRepository | None = None


class PullRequest(Struct):
    """A pull request, as an event or the REST interface has it. Its `base.sha` is never read.

    That commit is the target's as it was when the pull request was last pushed to. The merge commit
    is made with the target as it is: all that others merged meanwhile would count as a change.
    """

    number: RequestNumber
    head: EventCommit
    base: EventCommit


class Issue(Struct):
    """An issue; GitHub treats a pull request as one that has a `pull_request`."""

    number: RequestNumber
    pull_request: dict[str, object] | None = None


class MergeGroup(Struct):
    """Pull requests in a merge queue, and the commit that they are merged into."""

    base_sha: str


class WorkflowRun(Struct):
    """Another workflow's run, which has ended."""

    head_sha: str
    head_branch: str | None
    head_repository: EventRepository | None


class GitHubEvent(Struct):
    """The event's own fields, as far as they matter."""

    pull_request: PullRequest | None = None
    issue: Issue | None = None
    merge_group: MergeGroup | None = None
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


def read_event(path: Path) -> GitHubEvent:
    """Return the event in a file; raises SnapdiffError where it cannot be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=GitHubEvent)
    except (OSError, ValueError, RecursionError) as error:
        raise SnapdiffError(f"{path}: cannot be read as an event of GitHub: {error}") from error
