"""One comment on a pull or merge request: the rule that keeps it so."""

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass

from snapdiff.errors import NotFoundError, PostError, TryLaterError
from snapdiff.posting.hosts import Comment, CommentHost

LONGEST_RUN = 60.0
"""Seconds after which nothing is tried again. A job that waits costs more than a late comment."""


class Pauses:
    """Waits before each new try, longer every time, until the time is over."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Let the time begin, by a clock that counts seconds; `sleep` waits for some of them."""
        self._clock = clock
        self._sleep = sleep
        self._end = clock() + LONGEST_RUN
        self._next = 1.0

    def wait(self, fault: TryLaterError) -> None:
        """Wait a second, the next time two, then four, or as long as the host asks.

        Raises the fault where the new try would be too late.
        """
        seconds = max(self._next, fault.seconds or 0.0)
        self._next *= 2
        if self._clock() + seconds >= self._end:
            raise fault
        self._sleep(seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedComment:
    """The comment that there is to be. Its first line is the marker, which no reader sees."""

    body: str
    says_nothing_changed: bool = False
    delete_if_empty: bool = False

    @property
    def marker(self) -> str:
        """The first line."""
        return _first_line(self.body)


def keep_one_comment(host: CommentHost, wanted: WantedComment, pauses: Pauses) -> Comment | None:
    """Return the one comment that is there in the end, or None where there is to be none.

    Where the host fails, all is done again from the list of comments on. So a comment is never
    posted twice because its answer was lost: the list shows it. Raises PostError.
    """
    if len(wanted.body) > host.longest:
        raise PostError(
            f"the comment has {len(wanted.body):,} characters, and {host.place} takes "
            f"{host.longest:,}; make it shorter with --max-length"
        )
    while True:
        try:
            return _kept(host, wanted)
        except TryLaterError as fault:
            pauses.wait(fault)


def _kept(host: CommentHost, wanted: WantedComment) -> Comment | None:
    own = _own_comments(host, wanted.marker)
    if wanted.says_nothing_changed and (wanted.delete_if_empty or not own):
        _delete(host, own)
        return None
    if not own:
        created = host.create(wanted.body)
        # Another run may have created one at the same moment: then the older one stays.
        own = _own_comments(host, wanted.marker) or [created]
    oldest, *later = own
    if not _is_same(oldest.body, wanted.body):
        try:
            oldest = host.edit(oldest, wanted.body)
        except NotFoundError as fault:
            raise TryLaterError(f"{fault}; the comment was deleted meanwhile") from fault
    _delete(host, later)
    return oldest


def _own_comments(host: CommentHost, marker: str) -> list[Comment]:
    """Return the token's own comments with the marker, the oldest first.

    The author counts too: anyone may write a comment that begins with the marker.
    """
    own = [
        comment
        for comment in host.comments()
        if _first_line(comment.body) == marker and comment.author == host.author
    ]
    return sorted(own, key=lambda comment: comment.comment_id)


def _delete(host: CommentHost, comments: list[Comment]) -> None:
    for comment in comments:
        with contextlib.suppress(NotFoundError):  # another run was faster
            host.delete(comment)


def _first_line(text: str) -> str:
    return text.partition("\n")[0].rstrip()


def _is_same(one: str, other: str) -> bool:
    """Return whether two texts differ in nothing but what hosts change: line ends and blanks."""
    return _lines(one) == _lines(other)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]
