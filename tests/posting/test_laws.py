"""Laws of posting, whatever comments there are and whatever fails: one comment in the end."""

import math
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapdiff.errors import NotFoundError, TryLaterError
from snapdiff.posting import comments
from snapdiff.posting.comments import Comment, CommentHost, keep_one_comment
from tests.posting.conftest import Clock

MARKER = "<!-- snapdiff -->"
US = "us"

_Answer = TypeVar("_Answer")


class Memory(CommentHost):
    """A host in memory. Each request takes the next of its troubles: none, refused or lost."""

    place = "a/b#1"
    longest = 1000

    def __init__(self, comments: list[tuple[str, str]], troubles: list[str]) -> None:
        """Take authors and texts of the comments that are there."""
        self.there = {
            number: Comment(comment_id=number, author=author, body=body, url=f"#{number}")
            for number, (author, body) in enumerate(comments)
        }
        self.next_id = len(comments)
        self.writes: list[str] = []
        self.troubles = troubles

    @property
    def author(self) -> str:
        return self._through(lambda: US)

    def comments(self) -> list[Comment]:
        return self._through(lambda: list(self.there.values())[::-1])

    def create(self, body: str) -> Comment:
        self.next_id += 1
        return self._through(lambda: self._keep("create", self.next_id, body))

    def edit(self, comment: Comment, body: str) -> Comment:
        return self._through(lambda: self._keep("edit", comment.comment_id, body))

    def delete(self, comment: Comment) -> None:
        def action() -> None:
            if self.there.pop(comment.comment_id, None) is None:
                raise NotFoundError("gone")
            self.writes.append("delete")

        self._through(action)

    def _keep(self, verb: str, number: int, body: str) -> Comment:
        self.writes.append(verb)
        self.there[number] = Comment(comment_id=number, author=US, body=body, url=f"#{number}")
        return self.there[number]

    def _through(self, action: Callable[[], _Answer]) -> _Answer:
        trouble = self.troubles.pop() if self.troubles else ""
        if trouble == "refused":
            raise TryLaterError("busy")
        result = action()
        if trouble == "lost":
            raise TryLaterError("no answer")
        return result


texts = st.sampled_from([MARKER, f"{MARKER}\nold", "<!-- other -->\nold", f"see {MARKER}", ""])
written = st.lists(st.tuples(st.sampled_from([US, "them"]), texts), max_size=8)
troubles = st.lists(st.sampled_from(["", "refused", "lost"]), max_size=12)


class WantedComment(NamedTuple):
    """What `keep_one_comment` is asked for."""

    body: str
    says_nothing_changed: bool
    delete_if_empty: bool


wanted_comments = st.builds(
    WantedComment,
    body=st.sampled_from([f"{MARKER}\nnew", f"{MARKER}\nold", MARKER]),
    says_nothing_changed=st.booleans(),
    delete_if_empty=st.booleans(),
)


def is_ours(comment: Comment) -> bool:
    return comment.author == US and comment.body.split("\n")[0] == MARKER


def kept(host: Memory, wanted: WantedComment) -> Comment | None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comments, "_LONGEST_RUN", math.inf)
        patch.setattr(comments, "time", Clock())
        return keep_one_comment(host, **wanted._asdict())


@given(written, troubles, wanted_comments)
def test_one_comment_is_left_whatever_fails(
    before: list[tuple[str, str]], trouble: list[str], wanted: WantedComment
) -> None:
    host = Memory(before, trouble)
    others = [comment for comment in host.there.values() if not is_ours(comment)]
    oldest = min((number for number, item in host.there.items() if is_ours(item)), default=None)
    result = kept(host, wanted)
    ours = [comment for comment in host.there.values() if is_ours(comment)]
    assert [comment for comment in host.there.values() if not is_ours(comment)] == others
    assert host.writes.count("create") <= 1
    if wanted.says_nothing_changed and (wanted.delete_if_empty or oldest is None):
        assert (result, ours) == (None, [])
    else:
        assert [comment.body for comment in ours] == [wanted.body]
        assert result == ours[0]
        assert oldest in (None, ours[0].comment_id)


@given(written, wanted_comments)
def test_a_second_run_writes_nothing(before: list[tuple[str, str]], wanted: WantedComment) -> None:
    host = Memory(before, [])
    first = kept(host, wanted)
    host.writes.clear()
    assert kept(host, wanted) == first
    assert host.writes == []
