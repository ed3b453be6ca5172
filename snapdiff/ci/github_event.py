"""Which commits an event of GitHub means."""

from snapdiff.ci.checkout import HEAD, Checkout, ComparedCommits, changed_on_branch
from snapdiff.errors import RevisionError
from snapdiff.posting.github_event import EventRepository, GitHubEvent, PullRequest

_TWO_COMMITS = "give actions/checkout `fetch-depth: 2`"
_ALL_COMMITS = "give actions/checkout `fetch-depth: 0`"


def commits_of_event(event: GitHubEvent, checkout: Checkout, ref: str) -> ComparedCommits:
    """Return the commits that an event is about; `ref` is the workflow's own (GITHUB_REF).

    Raises RevisionError where another commit is checked out, or the clone has too few.
    """
    if event.pull_request:
        return _commits_of_pull_request(event.pull_request, checkout)
    if event.merge_group:
        base = checkout.require(event.merge_group.base_sha, _ALL_COMMITS)
        return ComparedCommits(base, HEAD, "the merge queue's commit and its base")
    branch = (event.ref or ref).removeprefix("refs/heads/")
    default_branch = event.repository.default_branch
    return changed_on_branch(
        checkout,
        branch=branch,
        default_branch=default_branch,
        before=event.before,
        way_out=_TWO_COMMITS if branch == default_branch else _ALL_COMMITS,
    )


def _commits_of_pull_request(pull_request: PullRequest, checkout: Checkout) -> ComparedCommits:
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
        return ComparedCommits(checkout.require(base, _ALL_COMMITS), HEAD, reason)
    parents = checkout.parents()
    if len(parents) != 2 or parents[1] != head:
        raise RevisionError(
            f"{checkout.head[:12]}: is checked out, and is neither {head[:12]}, the head of pull "
            f"request {number}, nor a merge commit of it; check out one of these, or give `old`"
        )
    reason = f"the merge commit of pull request {number} and its first parent"
    return ComparedCommits(checkout.first_parent(_TWO_COMMITS), HEAD, reason)


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
