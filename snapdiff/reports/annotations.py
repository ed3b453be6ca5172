"""What a gate does not let pass, in the forms in which GitHub and GitLab mark files."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from snapdiff.reports.names import shortened
from snapdiff.result.packages import Kind
from snapdiff.safe_text import visible

_MOST_COMMANDS = 10
"""GitHub shows as many errors of a step, and drops the others without a word."""


class Offender(Struct, frozen=True, kw_only=True):
    """What somebody does not want to happen, and it did: to packages, a stack or a tag."""

    kind: Kind
    tag: str  # as people read it: `old → new` of two names, empty for the only one, called `.`
    stacks: tuple[str, ...] = ()  # none where it happened to the whole tag
    packages: tuple[str, ...] = ()  # none where it happened to the whole stack
    text: str  # all of it in one line
    path: str | None = None  # of the document in which it is, as far as one is known


def error_command(message: str, *, title: str = "snapdiff", path: str | None = None) -> str:
    r"""Return a line that makes GitHub show an error, at a file where there is one.

    Nothing in the values ends the line, the command or a property.

    >>> error_command("50%\n::stop::", path="a,b:c")
    '::error title=snapdiff,file=a%2Cb%3Ac::50%25\\n::stop::'
    """

    def data(text: str) -> str:
        return visible(text).replace("%", "%25")

    given = ",".join(
        f"{name}={data(text).replace(':', '%3A').replace(',', '%2C')}"
        for name, text in (("title", title), ("file", path))
        if text
    )
    return f"::error {given}::{data(message)}"


def github_commands(offenders: Sequence[Offender]) -> list[str]:
    """Return the lines that make GitHub mark files; of many, the last says how many more."""
    some = shortened(offenders, _MOST_COMMANDS - 1)
    commands = [
        error_command(item.text, title=f"snapdiff: {item.kind.value}", path=item.path)
        for item in some.first
    ]
    if some.more:
        commands.append(error_command(f"{some.more:,} more are in the log and in the report"))
    return commands


def code_quality(offenders: Iterable[Offender]) -> str:
    """Return GitLab's code-quality report, a list that is empty where nothing offends."""
    findings: list[dict[str, Any]] = [
        {
            "description": visible(item.text),
            "check_name": f"snapdiff/{item.kind.value}",
            # Of the same finding the same one in every run.
            "fingerprint": hashlib.sha256(item.text.encode("utf-8", "replace")).hexdigest(),
            "severity": "major",
            # GitLab wants a path of every finding.
            "location": {"path": item.path or ".", "lines": {"begin": 1}},
        }
        for item in offenders
    ]
    return json.dumps(findings, indent=2, ensure_ascii=False) + "\n"
