"""In what two specs differ; the only home of DeepDiff, none of whose objects leave it."""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile
from typing import Any

import msgspec
from msgspec import Raw

from snapdiff.model.specs import Build
from snapdiff.result.causes import What
from snapdiff.result.packages import Field
from snapdiff.spack import canonical_variant

_MACHINE_FIELDS = ("compiler", "os", "platform", "target")
"""The fields of a configuration that hold one word, in the order in which a report names them."""


def differing_fields(old: Build, new: Build) -> tuple[Field, ...]:
    """Return the fields in which two builds differ in the common notation, the values as written.

    Whether their versions do, Spack's order decides.
    """
    if old is new:  # as most specs that were rebuilt: a reader shares the builds of both sides
        return ()
    before, after = old.configuration, new.configuration
    fields: list[Field] = []
    if old.version != new.version:
        fields.append(Field("version", old.version_text, new.version_text))
    fields += [
        Field(name, getattr(old, name), getattr(new, name))
        for name, mine, theirs in zip(_MACHINE_FIELDS, before, after, strict=False)
        if mine != theirs
    ]
    if before.variants != after.variants:
        gone = _written(old, before.variants - after.variants)
        come = _written(new, after.variants - before.variants)
        fields.append(Field("variants", gone, come))
    return tuple(fields)


def common_differences(old: Sequence[Build], new: Sequence[Build]) -> tuple[Field, ...]:
    """Return the version and variants that all builds of one side have, and none of the other."""
    if not old or not new:
        return ()
    fields = []
    before, after = ({build.version: build.version_text for build in side} for side in (old, new))
    if len(before) == len(after) == 1 and before.keys() != after.keys():
        fields.append(Field("version", *before.values(), *after.values()))
    mine, theirs = ([build.configuration.variants for build in side] for side in (old, new))
    gone = frozenset.intersection(*mine).difference(*theirs)
    came = frozenset.intersection(*theirs).difference(*mine)
    if gone or came:
        fields.append(Field("variants", _written(old[0], gone), _written(new[0], came)))
    return tuple(fields)


def _written(build: Build, variants: frozenset[str]) -> tuple[str, ...]:
    """Return some variants of a build, given in the common notation, as its document has them."""
    found = (variant for variant in build.variants if canonical_variant(variant) in variants)
    return tuple(sorted(found, key=canonical_variant))


_NEVER_TOLD = frozenset(["name", "hash", "build_hash", "full_hash", "dependencies"])
"""What is not compared: hashes differ wherever anything does, and so do edges, which are events.

A node's name is inside of it or is its key, by the version of the document.
"""

_TOLD_BY: Mapping[What, tuple[tuple[str, ...], ...]] = {
    "version": (("version",), ("package_hash",)),
    "compiler": (("compiler",),),
    "compilers": (("compiler",),),
    "os": (("arch", "platform_os"),),
    "platform": (("arch", "platform"),),
    "target": (("arch", "target"),),
    "variants": (("parameters",), ("patches",)),
    "external": (("external", "path"), ("external", "module")),
    "namespace": (("namespace",),),
    "recipe": (("package_hash",),),
}
"""The keys of nodes that events tell of; another version implies another recipe."""

_HASHES = re.compile(r"\['(hash|build_hash|full_hash)'\]$")

_MOST_LOOKED_INTO = 20_000
"""How many bytes of text are compared in detail: of more, the outermost keys are named."""

_LONGEST_VALUE = 200


def other_differences(
    old: Mapping[str, Raw], new: Mapping[str, Raw], told: Collection[What] = ()
) -> list[tuple[str | None, str | None]]:
    """Return in which keys two nodes differ, in the order of the keys, less what events `told`.

    A key inside of others is written with them: `external.extra_attributes.compilers.c=/bin/cc`.
    """
    known = {path for what in told for path in _TOLD_BY.get(what, ())}
    if "external" in told and ("external" in old) != ("external" in new):
        known.add(("external",))  # all of it came, or went, with the path
    keys = [
        key
        for key in (old.keys() | new.keys()) - _NEVER_TOLD
        if old.get(key) != new.get(key) and (key,) not in known
    ]
    if "package_hash" in old.keys() ^ new.keys():  # documents before 2022 do not have it
        keys = [key for key in keys if key != "package_hash"]
    if not keys:
        return []
    before, after = (
        {key: msgspec.json.decode(side[key]) for key in keys if key in side} for side in (old, new)
    )
    size = sum(len(bytes(side.get(key, b""))) for side in (old, new) for key in keys)
    find = _differing_keys if size > _MOST_LOOKED_INTO else _differing_paths
    return [
        (_key_and_value(before, path), _key_and_value(after, path))
        for path in sorted(find(before, after))
        if path[:2] not in known
    ]


def _differing_paths(old: Any, new: Any) -> set[tuple[str, ...]]:
    """Return the keys that lead to what differs; of a list that differs, those that lead to it."""
    from deepdiff import DeepDiff  # late: only what nothing else explains needs it

    try:
        found = DeepDiff(
            old,
            new,
            zip_ordered_iterables=True,  # else it looks for the best way to pair what lists hold
            exclude_regex_paths=[_HASHES],
            threshold_to_diff_deeper=0,  # else values with few keys in common differ as a whole
            view="tree",
        )
    except RecursionError:
        return _differing_keys(old, new)
    return {
        tuple(takewhile(lambda key: isinstance(key, str), level.path(output_format="list")))
        for levels in found.values()
        for level in levels
    }


def _differing_keys(old: dict[str, Any], new: dict[str, Any]) -> set[tuple[str, ...]]:
    """Return the outermost keys whose values differ."""
    return {
        (key,)
        for key in {*old, *new}
        if not (key in old and key in new and _json(old[key]) == _json(new[key]))
    }


def _json(value: Any) -> str:
    """Return a value as JSON text; the order of its keys says nothing, and is always the same."""
    return msgspec.json.encode(value, order="sorted").decode("utf-8")


def _key_and_value(side: Any, path: tuple[str, ...]) -> str | None:
    """Return a key and its value as text, cut where it is long; None where a side has no such."""
    for key in path:
        if not isinstance(side, dict) or key not in side:
            return None
        side = side[key]
    value = side if isinstance(side, str) else _json(side)
    cut = value if len(value) <= _LONGEST_VALUE else f"{value[:_LONGEST_VALUE]}…"
    return f"{'.'.join(path)}={cut}"
