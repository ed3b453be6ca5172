"""The files through which a step of a GitHub workflow hands over what it found."""

from collections.abc import Mapping
from pathlib import Path

from snapdiff.errors import SnapdiffError

MOST_OF_SUMMARY = 1 << 20
"""How many bytes the summary of a step may have; GitHub shows nothing of a longer one."""

_CUT_SHORT = "\n\n_The summary is cut short here; the report has all of it._\n"


def set_outputs(file: Path, outputs: Mapping[str, str]) -> None:
    """Give a step its outputs; raises SnapdiffError for a value that is not one line.

    With a line break in it a value could set an output of another name.
    """
    for name, value in outputs.items():
        if len(value.splitlines()) > 1 or value.endswith(("\n", "\r")):
            raise SnapdiffError(f"output {name}: {value!r} is more than one line")
    with file.open("a", encoding="utf-8") as output:
        output.writelines(f"{name}={value}\n" for name, value in outputs.items())


def add_summary(file: Path, text: str) -> None:
    """Add Markdown to the summary of a step, cut at the end of a line where it is too long."""
    room = MOST_OF_SUMMARY - (file.stat().st_size if file.exists() else 0)
    content = text.encode("utf-8")
    if len(content) > room:
        most = max(room - len(_CUT_SHORT.encode("utf-8")), 0)
        content = content[:most].rpartition(b"\n")[0] + _CUT_SHORT.encode("utf-8")
    with file.open("ab") as summary:
        summary.write(content[: max(room, 0)])
