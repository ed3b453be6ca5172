"""Why specs were rebuilt, lost, gone or new, in words: the one place for people."""

import re
from collections.abc import Collection, Iterable, Sequence
from string import digits

from msgspec import UNSET
from msgspec.structs import replace

from snapdiff.reports.names import Mark, joined, short_patches
from snapdiff.result.causes import Cause, Event, Trait, TraitCount, Value
from snapdiff.result.changes import Change
from snapdiff.result.packages import Because, Field
from snapdiff.spack import BLAS, COMPILERS, NO_COMPILER, canonical_compiler, is_patches

_MOST_SHOWN = 8
"""How many names of a path are written before its middle is counted."""

_LONGEST_VALUE = 60
"""How long a key with its value is that is written whole."""

_ALONE = {
    "added": "is a dependency now",
    "removed": "is no dependency any more",
    "compilers": "compilers became dependencies",
    "recipe": "recipe changed",
    "unlisted": "(not in the document)",
    "rehash": "another way of hashing",
}
"""What is said of events that have no values, where that is not their name."""

_CLAUSES = ("added", "removed", "compilers", "edge", "recipe")
"""The events that are told with a verb."""


def event_in_words(event: Event, mark: Mark) -> str:
    """Return what differs: `python 3.10.12 → 3.11.6`, `zlib replaced by zlib-ng`."""
    if event.what == "replaced":
        # That is all that a compiler provides of what such a library does.
        is_blas = event.old in BLAS and event.new in COMPILERS
        role = " for BLAS or LAPACK" if is_blas else ""
        return f"{_value(event.old, mark)} replaced by {_value(event.new, mark)}{role}"
    words = _what_differs(event, mark)
    if event.package is None:
        return words
    owner = "'s" if event.what == "recipe" else ""
    return f"{mark(event.package)}{owner} {words}"


def _step_in_words(field: Field, mark: Mark) -> str:
    """Return the versions of a reason: `1.0 → 1.1`; `1.1 (new)` where what was before stays."""
    if field.old and field.new:
        return f"{_value(field.old, mark)} → {_value(field.new, mark)}"
    return f"{_value(field.old or field.new, mark)} ({'gone' if field.old else 'new'})"


def events_in_words(package: str, events: Iterable[Event], mark: Mark) -> str:
    """Return all that differs in one package itself: `gcc target x86_64 → zen4, recipe changed`."""
    words = ", ".join(_what_differs(event, mark) for event in events)
    return f"{mark(package)} {words}" if words else mark(package)


def _what_differs(event: Event, mark: Mark) -> str:
    if event.what == "edge":
        old, new = (" and ".join(map(mark, types or ())) for types in (event.old, event.new))
        return f"is a dependency for {new} now, was for {old}"
    if event.what == "other" and (long := _long_key(event.old, event.new)):
        return f"{mark(long)} changed"
    if event.what in ("version", "other"):
        return f"{_value(event.old, mark)} → {_value(event.new, mark)}"
    if event.what == "variants":
        return _what_variants(event.old or (), event.new or (), mark)
    if event.old is None and event.new is None:
        return _ALONE.get(event.what, event.what)
    if event.what == "compiler":
        return _what_compiler(event.old, event.new, mark)
    return f"{event.what} {_value(event.old, mark)} → {_value(event.new, mark)}"


def _long_key(old: Value, new: Value) -> str:
    """Return the key of a value that is too long to be read beside others, or nothing."""
    values = [it for it in (old, new) if isinstance(it, str)]
    return values[0].partition("=")[0] if max(map(len, values), default=0) > _LONGEST_VALUE else ""


def _what_variants(old: Iterable[str], new: Iterable[str], mark: Mark) -> str:
    """Return which variants differ: `variant +al → ~al, new variants +shared ~test`."""
    before, after = _by_name(old), _by_name(new)
    if {*before, *after} - {"patches"}:  # whose hashes tell nobody anything
        before.pop("patches", None)
        after.pop("patches", None)
    changed = [name for name in before if name in after]
    if "patches" in changed:
        after["patches"] = "other patches"
    came = [name for name in after if name not in changed]
    gone = [name for name in before if name not in changed]
    told = []
    for names, sides, form in (
        (changed, (before, after), "{} {}"),
        (came, (after,), "new {} {}"),
        (gone, (before,), "{} {} gone"),
    ):
        if names:
            noun = "variant" if len(names) == 1 else "variants"
            values = (_value(tuple(map(side.__getitem__, names)), mark) for side in sides)
            told.append(form.format(noun, " → ".join(values)))
    return ", ".join(told)


def common_difference(events: Collection[Event]) -> Event | None:
    """Return what all of some events have in common that differ in variants; of one it is all."""
    if not events or any(event.what != "variants" for event in events):
        return None
    sides = ([set(it.old or ()) for it in events], [set(it.new or ()) for it in events])
    old, new = (tuple(sorted(set.intersection(*side))) for side in sides)
    return Event(None, "variants", old, new) if old or new else None


def _by_name(variants: Iterable[str]) -> dict[str, str]:
    """Return variants by name; a second one of a name, which Spack has not, by all of it."""
    found: dict[str, str] = {}
    for variant in variants:
        name = variant.lstrip("+~-").partition("=")[0].removesuffix(":")
        found[variant if name in found else name] = "patches" if is_patches(variant) else variant
    return found


def _what_compiler(old: Value, new: Value, mark: Mark) -> str:
    """Return `compiler gcc@12 → gcc@13`; where a side names none, it may be a dependency there."""
    if old == NO_COMPILER:
        return f"no compiler named → compiler {_value(new, mark)}"
    after = "no compiler named" if new == NO_COMPILER else _value(new, mark)
    return f"compiler {_value(old, mark)} → {after}"


def _value(value: Value, mark: Mark) -> str:
    if isinstance(value, tuple):
        return " ".join(mark(short_patches(variant)) for variant in value) or "—"
    return mark(value) if value else "—"


def because_word(cause: Event | Because) -> str:
    """Return what goes before a cause behind what it explains: it may be a clause with a verb."""
    is_clause = isinstance(cause, Event) and cause.what in _CLAUSES
    return "because" if is_clause else "because of"


def cause_in_words(cause: Event | Because, mark: Mark) -> str:
    """Return why a spec was rebuilt, how it is reached and how many other packages are in reach.

    `autoconf 2.69 → 2.71 via openmpi > numactl > automake (build only, +3 more)`. Of what several
    specs share it is the event alone. Of what is gone, or new, it is the package that needed it.
    """
    if isinstance(cause, Because):
        return _package_in_words(cause, mark)
    words = event_in_words(cause, mark)
    if not isinstance(cause, Cause):
        return words
    if cause.path:
        path = list(map(mark, cause.path))
        if len(path) > _MOST_SHOWN:
            half = _MOST_SHOWN // 2
            path[half:-half] = [f"… {len(path) - _MOST_SHOWN:,} more …"]
        words += " via " + " > ".join(path)
    notes = ["build only"] if cause.build_only else []
    notes += [f"+{cause.others:,} more"] if cause.others else []
    return f"{words} ({', '.join(notes)})" if notes else words


MOST_NAMES = 3
"""How many variants are named of a package that is a reason, or dependencies."""


def _package_in_words(because: Because, mark: Mark) -> str:
    """Return what a package changed: `visit (now ~gui)`, `numpy 1.24 → 1.26`, `exago (new)`.

    Or `py-scipy (no longer depends on py-build)`, where its specs tell nothing else: `on it` where
    that is said behind its direct dependency alone.
    """
    package = mark(because.package)
    if because.status != "changed":
        return f"{package} ({'new' if because.status == 'added' else 'gone'})"
    versions = [_step_in_words(it, mark) for it in because.fields if it.name == "version"]
    variants = now_with_in_words(telling_variants(because), mark)
    if versions or variants or not because.fields:
        return " ".join(filter(None, [package, *versions, variants]))
    [field] = because.fields
    if field.name != "dependencies":
        return f"{package} {event_in_words(field.event(), mark)}"
    names = [*field.old, *field.new]
    words = "it" if because.direct and len(names) == 1 else joined(names, MOST_NAMES, mark=mark)
    return f"{package} ({'no longer' if field.old else 'now'} depends on {words})"


def now_with_in_words(variants: Iterable[str], mark: Mark) -> str:
    """Return what is said of variants that had another value: `(now ~gui +mpi)`, or nothing."""
    off_first = sorted(variants, key=lambda it: not it.startswith("~"))
    return f"(now {' '.join(map(mark, off_first))})" if off_first else ""


def telling_variants(because: Because) -> list[str]:
    """Return the variants that had another value, or else, if alone, those that are new and on."""
    sides = [(it.old, it.new) for it in because.fields if it.name == "variants"]
    other = [variant for old, new in sides for variant in other_values(old, new)]
    came = (variant for _, new in sides for variant in new if not is_patches(variant))
    is_alone = len(because.fields) == 1
    return other or [variant for variant in came if is_alone and not variant.startswith("~")]


def other_values(old: Iterable[str], new: Iterable[str]) -> list[str]:
    """Return the variants but patches of the new side that had another value on the old one."""
    before, after = _by_name(old), _by_name(new)
    return [after[name] for name in after if name in before and name != "patches"]


def other_values_of_all(specs: Iterable[Change]) -> tuple[str, ...]:
    """Return the variants that have another value in every one of some pairs of specs."""
    every = [
        {it.name: other_values(it.old, it.new) for it in change.fields}.get("variants", [])
        for change in specs
    ]
    first, *others = every or [[]]
    return tuple(it for it in first if all(it in other for other in others))


_NO_LOSS = re.compile("(unit[-_])?tests?(ing)?|docs?|doxygen|examples")
"""What nobody misses who uses a package: variants that build its tests, documentation, examples."""


def off_or_gone(
    before: Iterable[Sequence[str]], now: Iterable[Sequence[str]]
) -> tuple[list[str], list[str]]:
    """Return what is on in all variants of builds before, and off now in all; and what is gone.

    Those are left out that nobody misses, and what is on under another number (blosc, blosc2). They
    are in the order of versions, the first one last.
    """
    old, new = ([_by_name(variants) for variants in some] for some in (before, now))
    if not (old and new):
        return [], []
    on = set.intersection(*({name for name in it if it[name].startswith("+")} for it in old))
    left = {name for it in new for name in it}
    others = {name.rstrip(digits) for it in new for name in it if it[name].startswith("+")}
    lost = sorted((it for it in on if not _NO_LOSS.fullmatch(it)), reverse=True)
    off = [f"~{it}" for it in lost if all(side.get(it) == f"~{it}" for side in new)]
    return off, [f"+{it}" for it in lost if it not in left and it.rstrip(digits) not in others]


SAME_TO_USE = "link and run dependencies unchanged"
"""What is said of a spec that only what builds it has changed: nothing changes for its users."""


# --- What tells lost or gained builds from others ---


def traits_in_words(part: TraitCount, mark: Mark) -> str:
    """Return what tells builds: `with mvapich 3.0b and cce 16.0.1`, `of 8.5.0 with openmpi`."""
    of_version = f"of {mark(part.version)} " if part.version else ""
    words = f"{of_version}{trait_in_words(part.trait, mark)}"
    also = trait_in_words(part.also, mark).removeprefix("with ") if part.also else ""
    return f"{words} and {also}" if also else words


def each_in_words(parts: Collection[TraitCount], mark: Mark) -> str:
    """Return what tells which builds: `3 with openmpi 5.0.0rc16, 1 with mvapich 3.0b`.

    What all have beside that is said once: `with gcc 12.2.0: 1 with openmpi 5.0, 1 with ~mpi`.
    """
    most_first = sorted(parts, key=lambda part: -part.specs)
    also = {part.also for part in parts if len(parts) > 1}
    if len(also) == 1 and (shared := also.pop()):
        alone = [replace(part, also=UNSET) for part in most_first]
        return f"{trait_in_words(shared, mark)}: {each_in_words(alone, mark)}"
    return ", ".join(f"{it.specs:,} {traits_in_words(it, mark)}" for it in most_first)


def trait_in_words(trait: Trait, mark: Mark) -> str:
    """Return what builds have in common: `with mvapich 3.0b`, `for zen4`, `with +cuda`."""
    value = mark(trait.value) if trait.value is not None else ""
    if is_patches(trait.value or ""):
        return "with certain patches"
    if trait.what == "dependency":
        return f"with {mark(trait.name or '')}{f' {value}' if value else ''}"
    if trait.what == "dependency variant":
        return f"with {mark(f'^{trait.name} {trait.value}')}"
    if trait.what == "compiler":
        words = compiler_in_words(trait.value or "", mark)
        return "without a compiler" if trait.value == NO_COMPILER else f"with {words}"
    return f"{'for' if trait.what in ('target', 'os') else 'with'} {value}"


def compiler_in_words(compiler: str, mark: Mark) -> str:
    """Return a compiler as a dependency is written: `gcc 12.2.0` for `gcc@=12.2.0`."""
    return " ".join(map(mark, filter(None, canonical_compiler(compiler).split("@", 1))))
