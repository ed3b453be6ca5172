"""In which fields two specs differ; the only home of DeepDiff, none of whose objects leave it."""

from functools import lru_cache

from snapdiff.model import Build
from snapdiff.result import Field

_MACHINE_FIELDS = ("compiler", "os", "platform", "target")
"""The fields of a configuration that hold one word, in the order in which a report names them."""

Machine = tuple[str, str, str, str]
"""The values of these fields."""


def differing_fields(old: Build, new: Build) -> tuple[Field, ...]:
    """Return the fields in which two builds differ, in the common notation.

    Whether their versions do, Spack's order decides.
    """
    if old is new:  # as most specs that were rebuilt: a reader shares the builds of both sides
        return ()
    before, after = old.configuration, new.configuration
    fields: list[Field] = []
    if old.version != new.version:
        fields.append(Field("version", old.version_text, new.version_text))
    if before != after:
        fields += machine_fields(before[:4], after[:4])
    if before.variants != after.variants:
        gone, come = before.variants - after.variants, after.variants - before.variants
        fields.append(Field("variants", tuple(sorted(gone)), tuple(sorted(come))))
    return tuple(fields)


@lru_cache(maxsize=4096)  # the same few changes of machine are there again and again, day after day
def machine_fields(old: Machine, new: Machine) -> tuple[Field, ...]:
    """Return those of compiler, os, platform and target that differ."""
    if old == new:
        return ()
    from deepdiff import DeepDiff  # late: a day of nothing but rebuilds does not need it

    # As literals, which have no line breaks: of text in lines DeepDiff makes a difference line by
    # line, and of two compilers of 3,000 lines that took 55 seconds.
    before = dict(zip(_MACHINE_FIELDS, map(repr, old), strict=True))
    after = dict(zip(_MACHINE_FIELDS, map(repr, new), strict=True))
    differing = DeepDiff(before, after).affected_root_keys
    return tuple(
        Field(name, mine, theirs)
        for name, mine, theirs in zip(_MACHINE_FIELDS, old, new, strict=True)
        if name in differing
    )
