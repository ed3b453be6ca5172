"""What posting knows of a host: its comments, what it does with them, and how it says no."""

from dataclasses import dataclass
from typing import Protocol

from snapdiff.errors import SnapdiffError


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment as the host has it. Later comments have higher ids."""

    comment_id: int
    author: str
    body: str
    url: str


class CommentHost(Protocol):
    """The comments of one pull or merge request, through one token.

    Every method raises TryLaterError where the host may do it later, RefusedError where the token
    may not, NotFoundError where there is no such request or comment: kinds of PostError all three.
    """

    @property
    def place(self) -> str:
        """The request as people write it: `owner/name#12`, `group/name!12`."""

    @property
    def longest(self) -> int:
        """How many characters a comment may have."""

    def author(self) -> str:
        """Return the name under which the token writes comments."""

    def comments(self) -> list[Comment]:
        """Return all comments of the request."""

    def create(self, body: str) -> Comment:
        """Write a comment and return it as the host has it."""

    def edit(self, comment: Comment, body: str) -> Comment:
        """Give a comment another text and return it as the host has it."""

    def delete(self, comment: Comment) -> None:
        """Delete a comment."""


class PostError(SnapdiffError):
    """A comment that cannot be posted."""


class RefusedError(PostError):
    """The host knows the token, and the token may not do this: it only reads, say."""


class NotFoundError(PostError):
    """The host has no such request or comment, or does not show it to this token."""


class TryLaterError(PostError):
    """The host is busy or failed; `seconds` is how long it asks to wait, if it does."""

    def __init__(self, message: str, seconds: float | None = None) -> None:
        """Keep the pause beside the words."""
        super().__init__(message)
        self.seconds = seconds
