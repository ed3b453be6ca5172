"""One run of `snapdiff post` for a CI system."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from snapdiff.ci.comparison_run import COMMAND, CommandFailedError
from snapdiff.ci.inputs import CommentMode, Inputs
from snapdiff.reports.comment_lines import marker_of


def post_own(comment: Path, inputs: Inputs, token_from: str) -> str:
    """Post a comment that this job has made, as `post` does, under its own marker.

    The catalog's configuration can have chosen that.
    """
    marker = marker_of(comment.read_text(encoding="utf-8"))
    return post(comment, inputs, token_from, [f"--marker={marker}"] if marker else [])


def post(comment: Path, inputs: Inputs, token_from: str, options: Sequence[str] = ()) -> str:
    """Post a comment, or edit the one that is there; return its address.

    `token_from` is the variable that the token is in. The address is empty where there is no
    comment in the end: nothing changed, or the token only reads.
    Raises CommandFailedError where the command has failed.
    """
    required = ["--required"] if inputs.comment is CommentMode.REQUIRED else []
    command = [
        *COMMAND,
        "post",
        f"--token-from={token_from}",
        *required,
        *options,
        "--",
        str(comment),
    ]
    done = subprocess.run(  # noqa: S603 -- no shell, and each value one word
        command, check=False, stdout=subprocess.PIPE
    )
    if done.returncode:
        raise CommandFailedError
    return done.stdout.decode("utf-8", "replace").strip()
