"""The inputs of the action and of the component: the same names, the same meaning."""

import os
from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from snapdiff.errors import SnapdiffError

_PREFIX = "SNAPDIFF_"


class CommentMode(StrEnum):
    """When a pull or merge request gets a comment."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"
    REQUIRED = "required"


class Inputs(Struct, frozen=True, kw_only=True):
    """What somebody asked for; every input may be empty.

    `old` and `new` are revisions, `repo` is the folder of the clone. `tags`, `stacks`, `packages`,
    `kinds` and `fail_on` are the options of these names, with commas or a line for each.
    """

    old: str = ""
    new: str = ""
    repo: str = ""
    tags: str = ""
    stacks: str = ""
    packages: str = ""
    kinds: str = ""
    fail_on: str = ""
    config: str = ""
    comment: CommentMode = CommentMode.AUTO
    marker: str = ""

    @property
    def directory(self) -> str:
        """Where the clone is."""
        return self.repo or os.curdir

    def options(self) -> list[str]:
        """Return the options of `snapdiff diff` that the inputs mean."""
        given = {
            "tag": self.tags,
            "stack": self.stacks,
            "package": self.packages,
            "kind": self.kinds,
            "fail-on": self.fail_on,
            "config": self.config,
            "marker": self.marker,
        }
        # A name and its value are one argument: a value that begins with a dash is no option.
        return [
            f"--{name}={line.strip()}"
            for name, text in given.items()
            for line in text.splitlines()
            if line.strip()
        ]


def read_inputs(variables: Mapping[str, str]) -> Inputs:
    """Return the inputs from the variables SNAPDIFF_OLD, SNAPDIFF_NEW and so on.

    Raises SnapdiffError where `comment` is no mode, or `new` is given alone.
    """
    values = {
        name: variables.get(_PREFIX + name.upper(), "").strip() for name in Inputs.__struct_fields__
    }
    mode = values.pop("comment") or CommentMode.AUTO
    if mode not in list(CommentMode):
        raise SnapdiffError(f"comment: {mode!r} is not known; there are {', '.join(CommentMode)}")
    if values["new"] and not values["old"]:
        raise SnapdiffError(f"new: {values['new']} is given without old; give both, or neither")
    return Inputs(comment=CommentMode(mode), **values)
