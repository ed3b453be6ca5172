"""One comment, kept up to date: posted, edited, found among others, deleted."""

import os
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Thread

import pytest

from snapdiff.posting.comments import keep_one_comment, open_host
from snapdiff.posting.target import find_target, find_token
from tests.golden import ROOT, SNAPSHOTS
from tests.posting.code_host import CodeHost, Fault, first, waits_for
from tests.posting.conftest import BOT, Clock, Post, every_dialect
from tests.support.helpers import run_cli

FIRST = "<!-- snapdiff -->\n# Changes\n\n- zlib 1.2 → 1.3\n"
SECOND = "<!-- snapdiff -->\n# Changes\n\n- zlib 1.2 → 1.3.1\n"
EMPTY = "<!-- snapdiff -->\n<!-- nothing changed -->\nNo changes.\n"


@every_dialect
def test_the_first_run_posts_and_the_next_edits(host: CodeHost, post: Post) -> None:
    posted = post(FIRST)
    assert (posted.status, posted.err) == (0, "")
    assert host.bodies() == [FIRST]
    edited = post(SECOND)
    assert edited == posted
    assert host.bodies() == [SECOND]
    [comment] = host.comments
    assert posted.out.startswith(f"{host.url}/spack/cache/")
    assert posted.out.endswith(f"{comment.comment_id}\n")


@every_dialect
def test_what_is_there_already_is_not_sent(host: CodeHost, post: Post) -> None:
    posted = post(FIRST)
    written = host.methods()
    assert post(FIRST) == posted
    assert host.methods() == written


@pytest.mark.parametrize(
    "normalised",
    [
        lambda body: body.replace("\n", "\r\n"),
        str.strip,
        lambda body: "\n".join(line.rstrip() for line in body.split("\n")),
    ],
    ids=["line ends", "ends", "trailing blanks"],
)
def test_what_a_host_changes_by_itself_is_no_change(
    normalised: Callable[[str], str], host: CodeHost, post: Post
) -> None:
    host.normalised = normalised
    text = FIRST + "two blanks  \nbreak a line\n\n"
    post(text)
    written = host.methods()
    assert post(text).status == 0
    assert host.methods() == written


@every_dialect
def test_it_is_found_by_marker_and_author_over_all_pages(host: CodeHost, post: Post) -> None:
    host.add("somebody", FIRST)
    for number in range(120):
        host.add(BOT, f"I say {number}: <!-- snapdiff -->")
    host.add(BOT, FIRST.replace("snapdiff", "snapdiff/hep"))
    host.add("somebody", FIRST)
    own = host.add(BOT, FIRST)
    for number in range(230):
        host.add("somebody", f"I answer {number}")
    others = [item.body for item in host.comments if item is not own]
    assert post(SECOND).out.endswith(f"{own.comment_id}\n")
    assert own.body == SECOND
    assert [item.body for item in host.comments if item is not own] == others


@every_dialect
def test_the_oldest_is_edited_and_own_later_ones_are_deleted(host: CodeHost, post: Post) -> None:
    oldest = host.add(BOT, FIRST)
    host.add("somebody", FIRST)
    host.add(BOT, FIRST)
    host.add(BOT, FIRST.replace("<!-- snapdiff -->", "<!-- other -->"))
    host.add(BOT, SECOND)
    assert post(SECOND).out.endswith(f"{oldest.comment_id}\n")
    assert host.bodies("somebody") == [FIRST]
    assert host.bodies(BOT) == [SECOND, FIRST.replace("<!-- snapdiff -->", "<!-- other -->")]


def test_a_comment_whose_author_is_gone_is_not_ours(host: CodeHost, post: Post) -> None:
    host.add("", FIRST)
    assert post(SECOND).status == 0
    assert host.bodies() == [FIRST, SECOND]


# --- Nothing changed ---


@every_dialect
def test_an_empty_diff_is_not_posted_where_there_is_no_comment(host: CodeHost, post: Post) -> None:
    done = post(EMPTY)
    assert (done.status, done.out) == (0, "")
    assert done.err == (
        f"snapdiff: notice: {host.dialect.place}: nothing changed, and there is no comment that "
        "has to say so\n"
    )
    assert post(EMPTY, "-q").err == ""
    assert host.comments == []


@every_dialect
def test_an_empty_diff_is_said_in_the_comment_that_is_there(host: CodeHost, post: Post) -> None:
    posted = post(FIRST)
    assert post(EMPTY) == posted
    assert host.bodies() == [EMPTY]


@every_dialect
def test_an_empty_diff_deletes_the_comment_where_that_is_asked_for(
    host: CodeHost, post: Post
) -> None:
    post(FIRST)
    host.add(BOT, SECOND)
    host.add("somebody", FIRST)
    done = post(EMPTY, "--delete-if-empty")
    assert (done.status, done.out) == (0, "")
    assert host.bodies() == [FIRST]
    assert post(FIRST, "--delete-if-empty").status == 0
    assert host.bodies() == [FIRST, FIRST]


def test_the_comment_format_is_what_post_takes(host: CodeHost, tmp_path: Path) -> None:
    comment = tmp_path / "comment.md"
    for new in (SNAPSHOTS[1], SNAPSHOTS[0]):
        same = ("-C", ROOT, SNAPSHOTS[0], new)
        assert run_cli(*same, "-f", "comment", "--marker", "cache/all", "-o", comment).status == 0
        assert run_cli("post", comment, "--marker", "cache/all").status == 0
    assert host.bodies() == [comment.read_text("utf-8")]
    assert host.bodies()[0].startswith("<!-- cache/all -->\n<!-- nothing changed -->\nNo changes ")
    assert run_cli("post", comment, "--marker", "cache/all", "--delete-if-empty").out == ""
    assert host.comments == []


# --- Markers ---


def test_several_comments_each_have_a_name(host: CodeHost, post: Post) -> None:
    for marker in ("snapdiff/hep", "snapdiff/ml", "snapdiff/hep"):
        assert post("# Changes\n", "--marker", marker).status == 0
    assert host.bodies() == [f"<!-- snapdiff/{name} -->\n# Changes\n" for name in ("hep", "ml")]


@pytest.mark.parametrize(
    ("text", "options", "body"),
    [
        ("# Changes\n", [], "<!-- snapdiff -->\n# Changes\n"),
        ("<!-- mine -->\n# Changes\n", ["--marker", "mine"], "<!-- mine -->\n# Changes\n"),
        ("# Changes\n", ["--marker", "a/b"], "<!-- a/b -->\n# Changes\n"),
        ("<!-- a word -->\n# Changes\n", [], "<!-- snapdiff -->\n<!-- a word -->\n# Changes\n"),
        ("\ufeff<!-- snapdiff -->\r\n# Changes\r\n", [], "<!-- snapdiff -->\n# Changes\n"),
    ],
    ids=["none", "its own", "none for a name", "no marker", "of an editor"],
)
def test_a_file_without_the_marker_gets_it(
    text: str, options: list[str], body: str, host: CodeHost, post: Post
) -> None:
    assert post(text, *options).status == 0
    assert host.bodies() == [body]


@pytest.mark.parametrize(
    ("own", "wanted"),
    [
        ("release-notes", "snapdiff"),
        ("release-notes", "snapdiff/hep"),
        ("snapdiff", "snapdiff/hep"),
        ("snapdiff/hep", "snapdiff"),
    ],
)
def test_a_file_does_not_say_which_comment_it_replaces(
    own: str, wanted: str, host: CodeHost, post: Post
) -> None:
    host.add(BOT, f"<!-- {own} -->\nof another workflow of the same bot\n")
    options = () if wanted == "snapdiff" else ("--marker", wanted)
    done = post(f"<!-- {own} -->\n<!-- nothing changed -->\n", "--delete-if-empty", *options)
    assert (done.status, done.out) == (2, "")
    assert done.err.endswith(
        f"comment.md: its first line is the marker {own}; post it with --marker {own}, or write it "
        f"with --marker {wanted}\n"
    )
    assert host.seen == []


# --- Several runs at once ---


@every_dialect
def test_of_two_runs_at_the_same_moment_one_comment_is_left(host: CodeHost) -> None:
    together = Barrier(2)
    # Both see that there is no comment, and both post one.
    for method in ("GET", "POST"):
        host.faults.append(Fault(method, host.dialect.list_end, waits_for(together), times=2))
    target = find_target(os.environ)
    token = find_token(target.host, target.place, None, os.environ)
    urls: list[str] = []

    def run() -> None:
        host = open_host(target, token)
        kept = keep_one_comment(host, FIRST, says_nothing_changed=False, delete_if_empty=False)
        assert kept
        urls.append(kept.url)

    runs = [Thread(target=run) for _ in range(2)]
    for thread in runs:
        thread.start()
    for thread in runs:
        thread.join()
    assert host.methods().count("POST") == 2
    assert host.bodies() == [FIRST]
    assert urls == [urls[0], urls[0]]


@every_dialect
def test_a_comment_that_is_deleted_meanwhile_is_posted_again(
    host: CodeHost, post: Post, clock: Clock
) -> None:
    post(FIRST)
    host.faults.append(Fault(host.dialect.edits, "1001", first(host.comments.clear), times=1))
    assert post(SECOND).status == 0
    assert host.bodies() == [SECOND]
    assert clock.waited == [1.0]


@every_dialect
def test_a_duplicate_that_another_run_deletes_first_is_no_fault(host: CodeHost, post: Post) -> None:
    host.add(BOT, FIRST)
    host.add(BOT, FIRST)
    host.faults.append(Fault("DELETE", "1002", first(lambda: host.comments.pop()), times=1))
    assert post(FIRST).status == 0
    assert host.bodies() == [FIRST]
