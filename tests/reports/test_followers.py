"""One sentence tells of what changed, and of what only has another hash because of that."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from snapdiff import diff_catalogs, load_catalog, render_report
from tests.support.documents import Item, needs
from tests.support.environments import write_locks

SAME = "Only another hash:"
ONE, TWO = Item("x", "1.0"), Item("x", "2.0")
USERS = [Item(f"u{it.version}", explicit=True, needs=(needs(it),)) for it in (ONE, TWO)]


def root_on(item: Item, types: tuple[str, ...] = ("build", "link")) -> Item:
    return Item("y", explicit=True, needs=(needs(item, types=types),))


def as_root(item: Item) -> Item:
    return Item(item.name, item.version, explicit=True)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        pytest.param(
            *([ONE, root_on(ONE)], [TWO, root_on(TWO)]),
            "x 1.0 → 2.0. y has another hash, because of it.",
            id="the dependency was upgraded",
        ),
        pytest.param(
            *([ONE, TWO, *USERS, root_on(ONE)], [as_root(ONE), TWO, *USERS, root_on(TWO)]),
            "x is now a root spec. y has another hash and no other change. "
            f"{SAME} y 1.0, because of x 1.0 → 2.0",
            id="another build of the dependency, which was there before",
        ),
        pytest.param(
            *([ONE, root_on(ONE)], [as_root(ONE), root_on(ONE, ("build",))]),
            "x is now a root spec. y has another hash and no other change. "
            f"{SAME} y 1.0, because x is a dependency for build now, was for build and link",
            id="the dependency is needed in another way",
        ),
        pytest.param(
            *([ONE, root_on(ONE)], [Item("y", explicit=True)]),
            f"x 1.0 is gone, because of y (no longer depends on it). {SAME} y 1.0, because x is "
            "no dependency any more",
            id="the dependency is gone because of it",
        ),
    ],
)
def test_what_one_sentence_says_is_the_only_reason(
    tmp_path: Path, old: Sequence[Item], new: Sequence[Item], told: str
) -> None:
    write_locks(tmp_path, old, new)
    sides = [load_catalog(f"{side}.lock", repository=tmp_path) for side in ("old", "new")]
    text = " ".join(render_report(diff_catalogs(*sides), "text").split())
    assert text == f"Changes from old.lock to new.lock {told}"
