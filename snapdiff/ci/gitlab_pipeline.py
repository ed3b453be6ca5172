"""What GitLab says of a pipeline in its variables, and which commits that means."""

from collections.abc import Mapping

from snapdiff.ci.checkout import HEAD, Checkout, ComparedCommits, changed_on_branch, is_commit

_MORE_COMMITS = 'give the job the variable GIT_DEPTH: "0"'


def commits_of_pipeline(variables: Mapping[str, str], checkout: Checkout) -> ComparedCommits:
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
            way_out=_MORE_COMMITS,
        )
    # Merged results and merge trains check out what the merge would give, by whatever method the
    # project merges, and name the commit it was made with. Other pipelines leave that empty.
    merged_with = variables.get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", "")
    base = variables.get("CI_MERGE_REQUEST_DIFF_BASE_SHA", "")
    old, since = (merged_with, "into") if is_commit(merged_with) else (base, "since")
    target = variables.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "its target branch")
    reason = f"merge request {number} {since} {target}"
    return ComparedCommits(checkout.require(old, _MORE_COMMITS), HEAD, reason)
