"""What both do: find the older commit, compare once, post a comment, say what went wrong."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple, cast, get_args

from snapdiff.cli.commands import FAILED, error_lines
from snapdiff.cli.diff_command import diff
from snapdiff.cli.diff_run import Outcome, run_diff
from snapdiff.cli.given_options import GivenOptions
from snapdiff.cli.post_command import post_comment
from snapdiff.errors import RevisionError, SnapdiffError
from snapdiff.posting.target import Variables
from snapdiff.reports import marker_of
from snapdiff.safe_text import shown
from snapdiff.sources.git_commands import ENVIRONMENT, SETTINGS
from snapdiff.sources.names import AS_A_REVISION

# --- Which commits are compared ---

HEAD = "HEAD"
"""The commit that is checked out; reports show its id beside it."""

FIRST_PARENT = f"{HEAD}^1"

LOG_ID = 12
"""How many characters of an id a log has; git takes more where these are not enough."""


class OlderCommit(NamedTuple):
    """The commit that the checked-out one is compared with, as people read it, and why this one."""

    name: str
    reason: str


class Checkout:
    """What is known of the checked-out commit without asking a server.

    `head` is its id, and `parents` are those that it names, whether or not they are here: a shallow
    clone says that its last commit has none, and the commit itself still names them. `one_more` and
    `all_of_them` say how a shallow clone gets its parent, and whatever else it lacks.
    """

    def __init__(self, directory: Path, one_more: str, all_of_them: str) -> None:
        """Take a folder in the clone; raises RevisionError where there is none, or no commit."""
        self._one_more = one_more
        self._all_of_them = all_of_them
        try:
            import git  # late: it starts git, and may find none
        except ImportError as error:
            raise RevisionError(f"git cannot be used: {' '.join(str(error).split())}") from error
        try:
            self._clone = git.Repo(
                directory.absolute(), search_parent_directories=True, expand_vars=False
            )
            self._clone.git.update_environment(**ENVIRONMENT)
            self._clone.git.set_persistent_git_options(c=list(SETTINGS))
            # Not as objects of GitPython, which knows hashes of 40 digits alone.
            self.head = str(self._clone.git.rev_parse("--verify", "HEAD^{commit}"))
            facts = str(self._clone.git.cat_file("commit", self.head)).partition("\n\n")[0]
            is_shallow = self._clone.git.rev_parse("--is-shallow-repository")
        except git.GitError as error:
            words = (
                str(getattr(error, "stderr", "")).removeprefix("\n  stderr: ").strip().strip("'")
            )
            reason = f"git says {shown(words)}" if words else "no git repository is here"
            raise RevisionError(f"{directory}: {reason}") from error
        # Not by `splitlines`: a name of an author may hold what Unicode calls the end of a line.
        lines = (line.partition(" ") for line in facts.split("\n"))
        self.parents = [value for key, _, value in lines if key == "parent"]
        self._is_shallow = is_shallow == "true"
        self._refusal = git.GitCommandError

    def origin(self) -> str:
        """Return the address that the clone is from; empty where it is from nowhere."""
        return str(self._clone.config_reader().get_value('remote "origin"', "url", ""))

    def require(self, commit: str, *, is_replaced: bool = False) -> str:
        """Return the short name of a commit that the clone has.

        Raises RevisionError with the way out where it is not here; of one that `is_replaced` by a
        force push there is none.
        """
        try:
            self._clone.git.cat_file("-e", f"{commit}^{{commit}}")
            return str(self._clone.git.rev_parse(f"--short={LOG_ID}", "--end-of-options", commit))
        except self._refusal as error:
            way_out = self._one_more if commit in self.parents[:1] else self._all_of_them
            if is_replaced or not self._is_shallow:
                way_out = "a force push replaced it, so a deeper clone has it neither; give `old`"
            message = f"commit {commit[:LOG_ID]} is not in this clone; {way_out}"
            raise RevisionError(message) from error

    def merge_base(self, branch: str) -> str:
        """Return the commit in which the history of a branch and of the checked-out commit meet.

        Raises RevisionError with the way out where the clone does not have it.
        """
        for name in (f"refs/remotes/origin/{branch}", f"refs/heads/{branch}"):
            try:
                return str(self._clone.git.merge_base(self.head, name))
            except self._refusal:  # no such branch here, or no history that leads there
                continue
        way_out = self._all_of_them if self._is_shallow else "give `old`"
        raise RevisionError(f"no commit in common with {branch} is in this clone; {way_out}")


def is_commit(name: str) -> bool:
    """Return whether a CI system names a commit: of a new branch it gives nothing, or zeros."""
    return bool(name.strip("0"))


def older_commit_of_branch(
    checkout: Checkout, branch: str, default_branch: str, before: str, *, is_replaced: bool = False
) -> OlderCommit:
    """Return what is compared where there is no pull request.

    On the default branch that is what the push changed: from the commit before it, or else from the
    last commit's first parent. On any other it is all that the branch changed: from where it left
    the default branch. The commit before a force push may be in no clone any more (`is_replaced`).
    """
    if branch != default_branch:
        base = checkout.merge_base(default_branch)
        if base != checkout.head:
            return OlderCommit(checkout.require(base), f"since {default_branch}")
    if is_commit(before):
        return OlderCommit(checkout.require(before, is_replaced=is_replaced), "this push")
    if not checkout.parents:
        message = f"commit {checkout.head[:LOG_ID]} is the first; there is none before it"
        raise RevisionError(message)
    checkout.require(checkout.parents[0])
    return OlderCommit(FIRST_PARENT, "the last commit")


# --- What is done with them ---

_OPTIONS = {
    "TAGS": "tag",
    "STACKS": "stack",
    "PACKAGES": "package",
    "KINDS": "kind",
    "FAIL_ON": "fail-on",
    "CONFIG": "config",
    "MARKER": "marker",
}
"""The inputs that are options of `snapdiff diff`; each may have several lines, an option a line."""


CommentMode = Literal["auto", "always", "never", "required"]
"""When a pull or merge request gets a comment."""


class Inputs(NamedTuple):
    """What somebody asked for: revisions (empty for those of the event), the folder of the clone.

    `options` are those of `snapdiff diff`; the `marker` is among them.
    """

    old: str
    new: str
    repo: str
    comment: CommentMode
    marker: str | None
    options: tuple[str, ...]


def read_inputs(variables: Variables) -> Inputs:
    """Return the inputs from the variables SNAPDIFF_OLD, SNAPDIFF_NEW and so on.

    Raises SnapdiffError where `comment` is no mode, or `new` is given alone.
    """

    def given(name: str) -> str:
        return variables.get(f"SNAPDIFF_{name}", "").strip()

    mode = given("COMMENT") or "auto"
    modes = get_args(CommentMode)
    if mode not in modes:
        raise SnapdiffError(f"comment: {mode!r} is not known; there are {', '.join(modes)}")
    if given("NEW") and not given("OLD"):
        raise SnapdiffError(f"new: {given('NEW')} is given without old; give both, or neither")
    return Inputs(
        old=given("OLD"),
        new=given("NEW"),
        repo=given("REPO") or os.curdir,
        comment=cast("CommentMode", mode),
        marker=given("MARKER") or None,
        # A name and its value are one argument: a value that begins with a dash is no option.
        options=tuple(
            f"--{option}={line.strip()}"
            for name, option in _OPTIONS.items()
            for line in given(name).splitlines()
            if line.strip()
        ),
    )


JSON, HTML, COMMENT = REPORTS = ("report.json", "report.html", "comment.md")
"""What the files of a run are called."""


def compare(
    inputs: Inputs, older_of: Callable[[Path], OlderCommit], folder: Path, *options: str
) -> Outcome:
    """Compare two revisions once; write the JSON, the HTML report and the comment to a folder.

    Where the inputs do not name the older one, `older_of` says which it is in the clone that has a
    folder. A side without a catalog is an empty one: a pull request may bring the first page, or
    remove the last.
    """
    old, new = inputs.old, inputs.new or f"{HEAD}{AS_A_REVISION}"
    if not old:
        older = older_of(Path(inputs.repo))
        old = f"{older.name}{AS_A_REVISION}"
        log(f"comparing {older.name} with {HEAD}: {older.reason}")
    words = [
        f"--repo={inputs.repo}",
        "--allow-empty",
        "--format=json",
        f"--output={folder / JSON}",
        f"--also=html={folder / HTML}",
        f"--also=comment={folder / COMMENT}",
        *options,
        *inputs.options,
    ]
    with diff.make_context("diff", words) as context:
        context.params.pop("revisions")
        found = run_diff((old, new), GivenOptions.of(context.params))
    sides = (found.old, found.new)
    if found.diff.is_empty() and not any(True for side in sides for _ in side.packages()):
        names = " nor ".join(side.source.name for side in sides)
        raise RevisionError(
            f"neither {names} has a page, a lock or an index; `repo` is the folder of the clone"
        )
    return found


def post(
    comment: Path, inputs: Inputs, variables: Variables, token_from: str, foreign: int | None = None
) -> str:
    """Post a comment as `post_comment` does, with the token in a variable; return its address.

    The comment of this run goes to the request that the variables name, under its own marker: the
    catalog's configuration can have chosen that. One that is `foreign` goes to the request of that
    number, under no marker but that of the inputs.
    """
    own = None if foreign else marker_of(comment.read_text(encoding="utf-8"))
    return post_comment(
        str(comment),
        variables,
        marker=inputs.marker if foreign else own,
        number=foreign,
        token_from=token_from,
        required=inputs.comment == "required",
    )


def exit_status(
    job: Callable[[Variables, Inputs], int | None], error_line: Callable[[str], str]
) -> int:
    """Run a job with the process's variables and inputs; return its exit status.

    Each fault is one line in the log, also where it is ours; `error_line` says how it looks there.
    """
    try:
        return job(os.environ, read_inputs(os.environ)) or 0
    except Exception as error:  # noqa: BLE001 -- a log that nobody asked for has no traceback
        for line in error_lines(error):
            log(error_line(line))
        return FAILED


def log(message: str) -> None:
    """Print a line to the log of the job, which is its standard output."""
    print(message, flush=True)  # noqa: T201
