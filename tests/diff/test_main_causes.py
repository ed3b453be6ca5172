"""Which of several causes a package has, where its rebuilt specs do not have the same one."""

import random

import pytest

from snapdiff.diff.causes import main_causes
from snapdiff.result.causes import Cause, What
from snapdiff.result.changes import Change
from snapdiff.result.packages import Kind


def cause(
    package: str, what: What, old: str, new: str, *path: str, build_only: bool = False
) -> Cause:
    return Cause(package, what, old, new, path=path, build_only=build_only, others=0)


ZLIB = cause("zlib", "version", "2", "3")

MAIN = {
    # name: causes of the rebuilt specs, the main one first
    "that of most specs, whatever it is called": [ZLIB, ZLIB, cause("a", "os", "1", "2")],
    "another package is another cause": [ZLIB, ZLIB, cause("curl", "version", "2", "3")],
    "another kind of event is another cause": [ZLIB, ZLIB, cause("zlib", "compiler", "2", "3")],
    "another old value is another cause": [ZLIB, ZLIB, cause("zlib", "version", "1", "3")],
    "another new value is another cause": [ZLIB, ZLIB, cause("zlib", "version", "2", "1")],
    "another way to it is the same cause": [
        cause("zlib", "version", "2", "3", "png"),
        cause("zlib", "version", "2", "3", "tiff"),
        cause("curl", "version", "2", "3"),
    ],
    "of as many specs the first by name": [cause("curl", "version", "2", "3"), ZLIB],
    "then the shorter way": [
        cause("zlib", "version", "2", "3", "tiff"),
        cause("zlib", "version", "2", "3", "a", "b"),
    ],
    "then the way by name": [
        cause("zlib", "version", "2", "3", "a"),
        cause("zlib", "version", "2", "3", "b"),
    ],
    "then what is used where the spec runs": [
        ZLIB,
        cause("zlib", "version", "2", "3", build_only=True),
    ],
}


@pytest.mark.parametrize("name", MAIN)
def test_the_main_cause_of_a_package(name: str) -> None:
    causes = MAIN[name]
    for seed in range(4):
        mixed = random.Random(seed).sample(causes, len(causes))  # noqa: S311 - an order, no secret
        changes = [Change(Kind.REBUILT, "app", None, None, cause=one) for one in mixed]
        assert main_causes(changes) == {"app": causes[0]}


def test_a_package_without_a_rebuilt_spec_has_no_cause() -> None:
    changes = [Change(Kind.RECONFIGURED, "app", None, None, cause=None)]
    assert main_causes(changes) == {}
