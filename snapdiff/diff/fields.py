"""In which fields two specs differ; the only home of DeepDiff, none of whose objects leave it."""

from functools import lru_cache

from snapdiff.model import Build
from snapdiff.result import Field
from snapdiff.spack.notation import canonical_compiler, canonical_variant

_MACHINE_FIELDS = ("compiler", "os", "platform", "target")
"""The fields of a configuration that hold one word, in the order in which a report names them."""

Machine = tuple[str, str, str, str]
"""The values of these fields, as a document writes them."""


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
    if before[:4] != after[:4]:
        fields += machine_fields(_machine(old), _machine(new))
    if before.variants != after.variants:
        gone = _written(old, before.variants - after.variants)
        come = _written(new, after.variants - before.variants)
        fields.append(Field("variants", gone, come))
    return tuple(fields)


def _machine(build: Build) -> Machine:
    return build.compiler, build.os, build.platform, build.target


def _in_common_notation(machine: Machine) -> Machine:
    compiler, os, platform, target = machine
    return canonical_compiler(compiler), os, platform, target


def _written(build: Build, variants: frozenset[str]) -> tuple[str, ...]:
    """Return some variants of a build, given in the common notation, as its document has them."""
    found = (variant for variant in build.variants if canonical_variant(variant) in variants)
    return tuple(sorted(found, key=canonical_variant))


@lru_cache(maxsize=4096)  # the same few changes of machine are there again and again, day after day
def machine_fields(old: Machine, new: Machine) -> tuple[Field, ...]:
    """Return those of compiler, os, platform and target that differ in the common notation."""
    from deepdiff import DeepDiff  # late: a day of nothing but rebuilds does not need it

    # As literals, which have no line breaks: of text in lines DeepDiff makes a difference line by
    # line, and of two compilers of 3,000 lines that took 55 seconds.
    before, after = (
        dict(zip(_MACHINE_FIELDS, map(repr, _in_common_notation(side)), strict=True))
        for side in (old, new)
    )
    differing = DeepDiff(before, after).affected_root_keys
    return tuple(
        Field(name, mine, theirs)
        for name, mine, theirs in zip(_MACHINE_FIELDS, old, new, strict=True)
        if name in differing
    )
