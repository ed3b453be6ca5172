"""What environments lack, as people read it: like specs of all of them on one line."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Literal, NamedTuple, get_args

from snapdiff.model.specs import EMPTY_PART
from snapdiff.reports.moves.places import Place, Places
from snapdiff.reports.names import short_hash, short_patches, side_name
from snapdiff.reports.outline.groups import FEW_QUIET
from snapdiff.result.questions import MissingSpec, MissingSpecs
from snapdiff.spack import NO_COMPILER, parse_version

How = Literal["nowhere", "elsewhere", "version", "configuration", "hash"]
"""What is there in place of a missing spec, from nothing at all to one with another hash only.

`elsewhere` are builds for other machines, which are never paired with it.
"""

Role = Literal["specs", "products", "dependencies", "needed there"]
"""What a spec is to its environment: `specs` are those of which nothing says it."""

_FEW = 20
"""How many packages of one class are listed before others are folded or counted."""

Name = tuple[str, str, str, int]
"""A package, a version, the beginning of a hash where that is told, and how many specs these are.

The latter is 0 where each environment has one.
"""

Words = tuple[str, ...]
"""A version, variants and the like in Spack's notation."""


class MissingLine(NamedTuple):
    """Specs of which the same is said, and in which environments.

    `own` is what they have and the nearest has not, `there` what that has in its place.
    """

    names: tuple[Name, ...]
    own: Words
    there: Words
    place: Place


class MissingClass(NamedTuple):
    """The missing specs of one part for which the same sort of build is there, and their number."""

    how: How
    specs: int
    lines: tuple[MissingLine, ...]

    @property
    def packages(self) -> int:
        """How many packages these are."""
        return len({package for line in self.lines for package, *_ in line.names})

    @property
    def is_long(self) -> bool:
        """Whether so many packages are better folded; what is not there in any form is news."""
        return self.packages > _FEW and self.how in ("configuration", "hash")


def missing_values(found: MissingSpecs, *, detail: bool, on_terminal: bool) -> dict[str, Any]:
    """Return what the template asks for; with `detail` each spec has a line, with its hash."""
    places = Places(dict.fromkeys(found.environments, "changed"))
    numbers = Counter(map(_how, found.missing))
    only = found.environments[0] if len(found.environments) == 1 else EMPTY_PART
    is_said = only in (EMPTY_PART, *found.wanted[0].source.split("/"))
    return {
        "only_environment": "" if is_said else only,
        "wanted": list(map(side_name, found.wanted)),
        "catalog": side_name(found.catalog),
        "numbers": [(how, numbers[how]) for how in get_args(How) if how in numbers],
        "parts": list(_parts(found, places, detail=detail)),
        "can_fold": not on_terminal,
        "lists_all": detail,
        "most_names": FEW_QUIET if on_terminal and not detail else len(found.missing),
    }


def _how(missing: MissingSpec) -> How:
    if missing.nearest is None:
        return "elsewhere" if missing.package_there else "nowhere"
    names = {field.name for field in missing.nearest.fields}
    return "version" if "version" in names else "configuration" if names else "hash"


def _parts(
    found: MissingSpecs, places: Places, *, detail: bool
) -> Iterator[tuple[Role, list[MissingClass]]]:
    """Yield the classes of missing specs by what these are to their environments."""
    by_class: dict[tuple[Role, How], list[MissingSpec]] = {}
    for missing in found.missing:
        is_known = missing.environment not in found.without_roots
        about: Role = "needed there" if missing.needed_there else "dependencies"
        about = ("products" if missing.asked_for else about) if is_known else "specs"
        by_class.setdefault((about, _how(missing)), []).append(missing)
    for about in get_args(Role):
        some = [(how, by_class.get((about, how), [])) for how in get_args(How)]
        classes = [
            MissingClass(how, len(specs), tuple(_lines(specs, places, detail=detail)))
            for how, specs in some
            if specs
        ]
        if classes:
            yield about, classes


def _lines(specs: Iterable[MissingSpec], places: Places, *, detail: bool) -> list[MissingLine]:
    """Return specs of one class as lines: what is alike in several environments, then in words."""
    alike: dict[tuple[tuple[str, str, str], Words, Words], list[str]] = {}
    by_name = sorted(
        specs, key=lambda it: (it.package, parse_version(it.spec.version), it.spec.hash)
    )
    for missing in by_name:
        spec = missing.spec
        name = missing.package, spec.version, short_hash(spec.hash) if detail else ""
        told = name, *_difference(missing, detail=detail)
        alike.setdefault(told, []).append(missing.environment)
    lines: dict[tuple[Words, Words, Place, str], list[Name]] = {}
    for (name, own, there), environments in alike.items():
        # Of several packages nobody would know of which the other version is.
        package = name[0] if there and not own else ""
        number = len(environments) if len(environments) > len({*environments}) else 0
        line = lines.setdefault((own, there, places.place(environments), package), [])
        line.append((*name, number))
    return [MissingLine(tuple(names), *told[:3]) for told, names in lines.items()]


def _difference(missing: MissingSpec, *, detail: bool) -> tuple[Words, Words]:
    """Return what a spec has that the nearest has not, and what that has in its place."""
    if missing.nearest is None:
        return (), ()
    fields = missing.nearest.fields
    versions = tuple(field for field in fields if field.name == "version")
    told = fields if detail else versions or fields  # another version is enough
    own = chain.from_iterable(_words(it.name, it.old) for it in told if it.name != "version")
    there = chain.from_iterable(_words(it.name, it.new) for it in told)
    spec_hash = [short_hash(missing.nearest.spec.hash)] if detail else []
    return tuple(own), (*spec_hash, *there)


def _words(name: str, value: str | tuple[str, ...]) -> Words:
    """Return a field in Spack's notation: `+mpi`, `%gcc@13.1.0`, `os=ubuntu22.04`."""
    if isinstance(value, tuple):
        return tuple(map(short_patches, value))
    if name == "compiler" and value == NO_COMPILER:
        return ()  # the compiler may be a dependency there
    return ({"version": "", "compiler": "%"}.get(name, f"{name}=") + value,)
