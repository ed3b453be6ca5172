"""What the variables of a CI job say: which request it is about, and the token it may use."""

import contextlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from snapdiff.posting.base import PostError
from snapdiff.posting.target import API_URLS, HostName, Target, Token

Variables = Mapping[str, str]

TOKEN_VARIABLES: dict[HostName, tuple[str, ...]] = {
    "github": ("GITHUB_TOKEN", "GH_TOKEN"),
    "gitlab": ("GITLAB_TOKEN",),
}
"""Where a token is looked for, host by host."""

_JOB_TOKEN = "CI_JOB_TOKEN"  # noqa: S105 -- the name of a variable
_REPOSITORY: dict[HostName, tuple[str, ...]] = {
    "github": ("GITHUB_REPOSITORY",),
    # A merge request from a fork runs in the fork, and is a request of the project it goes to.
    "gitlab": ("CI_MERGE_REQUEST_PROJECT_ID", "CI_PROJECT_ID"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the options say; None is left to the variables."""

    host: HostName | None = None
    repository: str | None = None
    number: int | None = None


def find_target(asked: Asked, variables: Variables) -> Target:
    """Return the request that a comment is for. Raises PostError where nothing names one."""
    host = asked.host or _host(variables)
    api_variable, public = API_URLS[host]
    repository = asked.repository or _first(variables, _REPOSITORY[host])
    if not repository:
        raise PostError(f"no repository: {_REPOSITORY[host][-1]} is not set; name one with --repo")
    number = asked.number or _number(host, variables)
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


def find_token(host: HostName, variable: str | None, variables: Variables) -> Token | None:
    """Return the token in a variable, or in the host's own ones; None where there is none.

    Raises PostError where it is GitLab's job token, which may not write comments.
    """
    if variable == _JOB_TOKEN:
        raise PostError(f"{_JOB_TOKEN} cannot write notes; make an access token with the scope api")
    for name in (variable,) if variable else TOKEN_VARIABLES[host]:
        # A secret that was pasted with its line break is still the secret.
        if secret := variables.get(name, "").strip():
            return Token(secret, name)
    return None


def where_to_put_a_token(host: HostName, variable: str | None, variables: Variables) -> str:
    """Return why there is no token, for people: which variables were looked at."""
    names = " or ".join((variable,) if variable else TOKEN_VARIABLES[host])
    job = host == "gitlab" and _JOB_TOKEN in variables
    return f"no token in {names}" + (f"; {_JOB_TOKEN} cannot write notes" if job else "")


def _host(variables: Variables) -> HostName:
    found = [host for host, (variable, _) in API_URLS.items() if variables.get(variable)]
    if len(found) != 1:
        names = " and ".join(variable for variable, _ in API_URLS.values())
        state = "are both set" if found else "are not set"
        raise PostError(f"which host? {names} {state}; say --host github or --host gitlab")
    return found[0]


def _first(variables: Variables, names: tuple[str, ...]) -> str | None:
    return next((variables[name] for name in names if variables.get(name)), None)


def _number(host: HostName, variables: Variables) -> int | None:
    if host == "gitlab":
        return _positive(variables.get("CI_MERGE_REQUEST_IID", ""))
    from_event = _number_of_event(variables.get("GITHUB_EVENT_PATH", ""))
    in_ref = re.fullmatch(r"refs/pull/([0-9]+)/(?:merge|head)", variables.get("GITHUB_REF", ""))
    return from_event or (_positive(in_ref[1]) if in_ref else None)


def _number_of_event(path: str) -> int | None:
    """Return the pull request of the event that a workflow runs for, or None.

    A comment on a pull request is an event of an issue; only `pull_request` in it tells it from
    a comment on a real one.
    """
    event: Any = None
    with contextlib.suppress(OSError, ValueError, RecursionError):
        event = json.loads(Path(path).read_bytes())
    if not isinstance(event, dict):
        return None
    for name in ("pull_request", "issue"):
        request = event.get(name)
        if isinstance(request, dict) and (name == "pull_request" or "pull_request" in request):
            return _positive(str(request.get("number", "")))
    return None


def _positive(text: str) -> int | None:
    """Return a number that is written in ten digits or less, or None."""
    return int(text) if re.fullmatch("[1-9][0-9]{0,9}", text, re.ASCII) else None
