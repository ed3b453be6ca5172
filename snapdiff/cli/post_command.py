"""`snapdiff post`: a comment in, the address of the one comment that a request has of it out."""

import os
import sys
from typing import Any

import click

from snapdiff.cli import options
from snapdiff.errors import PostError, RefusedError
from snapdiff.output.streams import say, write_stdout
from snapdiff.posting.comments import keep_one_comment, open_host
from snapdiff.posting.target import HostName, Variables, find_target, find_token
from snapdiff.reports import MARKER, marker_line, marker_of, says_nothing_changed
from snapdiff.safe_text import hidden, visible

_MOST_BYTES = 4_000_000
"""More than any host takes: the longest comment, with four bytes for every character."""


@click.command(
    epilog="""\b
Examples:
  snapdiff post comment.md                     on the pull request of this job
  snapdiff HEAD^1 HEAD -f comment | snapdiff post -
  snapdiff post hep.md --marker snapdiff/hep   one of several comments
  snapdiff post comment.md --host github --repo spack/cache --number 12

\b
Variables it reads, where no option says otherwise:
  GitHub, Gitea   GITHUB_API_URL, GITHUB_REPOSITORY,
                  GITHUB_EVENT_PATH or GITHUB_REF,
                  GITHUB_TOKEN or GH_TOKEN (permission: pull-requests: write)
  GitLab          CI_API_V4_URL,
                  CI_MERGE_REQUEST_PROJECT_ID or CI_PROJECT_ID,
                  CI_MERGE_REQUEST_IID,
                  GITLAB_TOKEN (scope api; not CI_JOB_TOKEN)
"""
)
@click.argument("file", metavar="FILE", type=options.PATH)
@click.option("--marker", metavar="NAME", help=f"Which comment it is (default: {MARKER}).")
@click.option("--host", type=click.Choice(["github", "gitlab"]), help="Whose interface to speak.")
@click.option("--repo", metavar="OWNER/NAME", help="The repository; of GitLab a path or number.")
@options.number("--number", help="The pull or merge request's number.")
@click.option("--token-from", metavar="VARIABLE", help="The variable that the token is in.")
@options.flag("--delete-if-empty", help="Delete the comment where FILE says nothing changed.")
@options.flag("--required", help="Fail where the token may not write.")
@options.flag("-q", "--quiet", help="Say nothing but errors.")
def post(file: str, **values: Any) -> int:
    """Keep one comment on a pull or merge request up to date: FILE, or - for standard input.

    The comment that is there is found by the marker in its first line and by its author, and gets
    the new text. Its address is printed. Where FILE says that nothing changed and there is no
    comment, none is posted. A token that may only read, as in a pull request from a fork, is no
    error: a notice says so.
    """
    url = post_comment(file, os.environ, **values)
    if url:
        write_stdout([f"{url}\n"])
    return 0


def post_comment(
    file: str,
    variables: Variables,
    *,
    marker: str | None,
    host: HostName | None = None,
    repo: str | None = None,
    number: int | None = None,
    token_from: str | None,
    delete_if_empty: bool = False,
    required: bool,
    quiet: bool = False,
) -> str:
    """Post the comment in a file, or edit the one that is there; return its address, in one line.

    What is None is left to the variables of a CI job. The address is empty where there is no
    comment in the end: nothing changed, or the token may only read and none is `required`. A notice
    says so, unless `quiet`. Raises PostError.
    """
    body = _body(file, MARKER if marker is None else marker)
    target = find_target(variables, host=host, repository=repo, number=number)
    try:
        token = find_token(target.host, target.place, token_from, variables)
        kept = keep_one_comment(
            open_host(target, token),
            body,
            says_nothing_changed=says_nothing_changed(body),
            delete_if_empty=delete_if_empty,
        )
    except RefusedError as error:
        if required:
            raise
        notice = f"nothing was posted: {error}"
    else:
        if kept:
            return visible(hidden(kept.url, token.secret))
        notice = f"{target.place}: nothing changed, and there is no comment that has to say so"
    if not quiet:
        say(f"notice: {notice}")
    return ""


def _body(file: str, marker: str) -> str:
    """Return the comment to post: the text of a file below the line with its marker.

    Which comment of the bot is replaced, the caller says and not FILE: in a workflow for
    forks FILE may be a stranger's. Raises PostError where FILE names another one.
    """
    name = "standard input" if file == "-" else file
    if file == "-" and sys.stdin is None:
        raise PostError(f"{name}: is closed")
    with click.open_file(file, "rb") as stream:
        content = stream.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise PostError(f"{name}: has more than {_MOST_BYTES:,} bytes, which no host takes")
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise PostError(f"{name}: is no text in UTF-8 ({error.reason})") from error
    if not text.strip():
        way_out = "write it without --quiet-if-empty, so that it says that nothing changed"
        raise PostError(f"{name}: is empty; {way_out}")
    own, first_line = marker_of(text), marker_line(marker)
    if own not in (None, marker):
        way_out = f"post it with --marker {own}, or write it with --marker {marker}"
        raise PostError(f"{name}: its first line is the marker {own}; {way_out}")
    below = text.partition("\n")[2] if own else text
    return f"{first_line}\n{below}"
