"""Which commits a CI job compares: what its event means, and what its clone has of them."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from snapdiff.errors import RevisionError
from snapdiff.posting.target import EventRepository, GitHubEvent, PullRequest
from snapdiff.sources.git_commands import ENVIRONMENT, SETTINGS

HEAD = "HEAD"
"""The commit that is checked out; reports show its id beside it."""

_TWO_COMMITS = "give actions/checkout `fetch-depth: 2`"
_ALL_COMMITS = "give actions/checkout `fetch-depth: 0`"
_MORE_COMMITS = 'give the job the variable GIT_DEPTH: "0"'
_REPLACED = "a force push replaced it, so a deeper clone has it neither; give `old`"

_SHORT = 12
"""How many characters of an id people read; git takes more where these are not enough."""


class OlderCommit(NamedTuple):
    """The commit that the checked-out one is compared with, as people read it, and why this one."""

    name: str
    reason: str


class Checkout:
    """What is known of the checked-out commit without asking a server."""

    def __init__(self, directory: Path) -> None:
        """Take a folder in the clone; raises RevisionError where there is none, or no commit."""
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
        except (git.InvalidGitRepositoryError, git.NoSuchPathError) as error:
            raise RevisionError(f"{directory}: no git repository is here") from error
        except git.GitCommandError as error:
            raise RevisionError(f"{directory}: no commit is checked out here") from error
        self._refusal = git.GitCommandError

    def origin(self) -> str:
        """Return the address that the clone is from; empty where it is from nowhere."""
        return str(self._clone.config_reader().get_value('remote "origin"', "url", ""))

    def parents(self) -> list[str]:
        """Return the parents that the checked-out commit names, whether or not they are here.

        A shallow clone says that its last commit has none. The commit itself still names them.
        """
        head, _, _ = str(self._clone.git.cat_file("commit", self.head)).partition("\n\n")
        # Not by `splitlines`: a name of an author may hold what Unicode calls the end of a line.
        return [line.partition(" ")[2] for line in head.split("\n") if line.startswith("parent ")]

    def first_parent(self, way_out: str) -> str:
        """Return the name of the first parent; raises RevisionError with the way out if not here.

        It is to be one of `parents`.
        """
        self.require(self.parents()[0], way_out)
        return f"{HEAD}^1"

    def require(self, commit: str, way_out: str) -> str:
        """Return the short name of a commit that the clone has.

        Raises RevisionError with the way out where it is not here.
        """
        try:
            self._clone.git.cat_file("-e", f"{commit}^{{commit}}")
            return str(self._clone.git.rev_parse(f"--short={_SHORT}", "--end-of-options", commit))
        except self._refusal as error:
            way_out = way_out if self._is_shallow() else _REPLACED
            message = f"commit {commit[:_SHORT]} is not in this clone; {way_out}"
            raise RevisionError(message) from error

    def _is_shallow(self) -> bool:
        return bool(self._clone.git.rev_parse("--is-shallow-repository") == "true")

    def merge_base(self, branch: str, way_out: str) -> str:
        """Return the commit in which the history of a branch and of the checked-out commit meet.

        Raises RevisionError with the way out where the clone does not have it.
        """
        for name in (f"refs/remotes/origin/{branch}", f"refs/heads/{branch}"):
            try:
                return str(self._clone.git.merge_base(self.head, name))
            except self._refusal:  # no such branch here, or no history that leads there
                continue
        way_out = way_out if self._is_shallow() else "give `old`"
        raise RevisionError(f"no commit in common with {branch} is in this clone; {way_out}")


def is_commit(name: str | None) -> bool:
    """Return whether a CI system names a commit: of a new branch it gives nothing, or zeros."""
    return bool(name and name.strip("0"))


def changed_on_branch(
    checkout: Checkout,
    *,
    branch: str,
    default_branch: str,
    before: str | None,
    one_more: str,
    all_of_them: str,
) -> OlderCommit:
    """Return what is compared where there is no pull request.

    On the default branch that is what the push changed: from the commit before it, or else from the
    last commit's first parent. On any other it is all that the branch changed: from where it left
    the default branch. Raises RevisionError where the clone does not have the older commit, with
    the way to have one more commit, or all of them, whichever it takes.
    """
    if branch != default_branch:
        base = checkout.merge_base(default_branch, all_of_them)
        if base != checkout.head:
            old = checkout.require(base, all_of_them)
            return OlderCommit(old, f"since {default_branch}")
    if before and is_commit(before):
        way_out = one_more if before in checkout.parents()[:1] else all_of_them
        return OlderCommit(checkout.require(before, way_out), "this push")
    if not checkout.parents():
        message = f"commit {checkout.head[:_SHORT]} is the first; there is none before it"
        raise RevisionError(message)
    return OlderCommit(checkout.first_parent(one_more), "the last commit")


# --- GitHub ---


def older_commit_of_event(event: GitHubEvent, checkout: Checkout, ref: str) -> OlderCommit:
    """Return the commits that an event is about; `ref` is the workflow's own (GITHUB_REF).

    Raises RevisionError where another commit is checked out, or the clone has too few.
    """
    if event.pull_request:
        return _older_commit_of_pull_request(event.pull_request, checkout)
    if event.merge_group:
        base = checkout.require(event.merge_group.base_sha, _ALL_COMMITS)
        return OlderCommit(base, "the merge queue's commit and its base")
    branch = (event.ref or ref).removeprefix("refs/heads/")
    default_branch = event.repository.default_branch
    return changed_on_branch(
        checkout,
        branch=branch,
        default_branch=default_branch,
        before=event.before,
        one_more=_TWO_COMMITS,
        all_of_them=_REPLACED if event.forced and branch == default_branch else _ALL_COMMITS,
    )


def _older_commit_of_pull_request(pull_request: PullRequest, checkout: Checkout) -> OlderCommit:
    number, head = pull_request.number, pull_request.head.sha
    if checkout.head == head:
        _require_no_fork(pull_request, checkout)
        base = checkout.merge_base(pull_request.base.ref, _ALL_COMMITS)
        if base == head:
            # In a clone of a fork by another name; a gate would pass everything.
            raise RevisionError(
                f"{head[:12]}: the head of pull request {number} is in {pull_request.base.ref} of "
                "this clone already; check out the repository that it is to be merged into, or "
                "give `old`"
            )
        reason = f"pull request {number} since {pull_request.base.ref}"
        return OlderCommit(checkout.require(base, _ALL_COMMITS), reason)
    parents = checkout.parents()
    if len(parents) != 2 or parents[1] != head:
        raise RevisionError(
            f"{checkout.head[:12]}: is checked out, and is neither {head[:12]}, the head of pull "
            f"request {number}, nor a merge commit of it; check out one of these, or give `old`"
        )
    reason = f"the merge commit of pull request {number} and its first parent"
    return OlderCommit(checkout.first_parent(_TWO_COMMITS), reason)


def _require_no_fork(pull_request: PullRequest, checkout: Checkout) -> None:
    """Raise RevisionError where the clone is one of the fork that a pull request is from.

    The branch that is called as the target is the fork's own there. Where it is behind the target,
    what others merged would count as a change; where it is ahead, a change would be missing.
    """
    fork, target = pull_request.head.repo, pull_request.base.repo
    if not fork or not target or fork.full_name == target.full_name:
        return
    if _names(checkout.origin(), fork):
        raise RevisionError(
            f"this is a clone of {fork.full_name}, and pull request {pull_request.number} is not "
            f"for its {pull_request.base.ref}; check out {target.full_name}, or give `old`"
        )


def _names(address: str, repository: EventRepository) -> bool:
    """Return whether an address that git clones from is one of a repository."""
    parts = address.rstrip("/").removesuffix(".git").replace(":", "/").split("/")
    return "/".join(parts[-2:]).lower() == repository.full_name.lower()


# --- GitLab ---


def older_commit_of_pipeline(variables: Mapping[str, str], checkout: Checkout) -> OlderCommit:
    """Return the commits that a pipeline is about.

    Raises RevisionError where the clone has too few commits.
    """
    number = variables.get("CI_MERGE_REQUEST_IID")
    if not number:
        default_branch = variables.get("CI_DEFAULT_BRANCH", "")
        return changed_on_branch(
            checkout,
            branch=variables.get("CI_COMMIT_BRANCH", ""),
            default_branch=default_branch,
            before=variables.get("CI_COMMIT_BEFORE_SHA"),
            one_more=_MORE_COMMITS,
            all_of_them=_MORE_COMMITS,
        )
    # Merged results and merge trains check out what the merge would give, by whatever method the
    # project merges, and name the commit it was made with. Other pipelines leave that empty.
    merged_with = variables.get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", "")
    base = variables.get("CI_MERGE_REQUEST_DIFF_BASE_SHA", "")
    old, since = (merged_with, "into") if is_commit(merged_with) else (base, "since")
    if not is_commit(old):
        raise RevisionError(
            f"the pipeline does not say where merge request {number} began: "
            "CI_MERGE_REQUEST_DIFF_BASE_SHA is empty; give `old`"
        )
    target = variables.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "its target branch")
    reason = f"merge request {number} {since} {target}"
    return OlderCommit(checkout.require(old, _MORE_COMMITS), reason)
