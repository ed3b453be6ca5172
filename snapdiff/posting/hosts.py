"""Every host that comments can be posted to, its library imported when it is asked for."""

from snapdiff.posting.base import CommentHost, PostError
from snapdiff.posting.target import Target, Token


def open_host(target: Target, token: Token) -> CommentHost:
    """Return the comments of a request. Raises PostError where the host's library is not here."""
    try:
        if target.host == "github":
            from snapdiff.posting.github import GitHubComments

            return GitHubComments(target, token)
        from snapdiff.posting.gitlab import GitLabNotes

        return GitLabNotes(target, token)
    except ImportError as error:
        install = f"pip install 'spack-snapdiff[{target.host}]'"
        raise PostError(f"{target.host} takes a library that is not here: {install}") from error
