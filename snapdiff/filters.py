"""What a report is narrowed to: tags, stacks, packages and kinds by glob."""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase, translate
from functools import cache, lru_cache

from msgspec import UNSET
from msgspec.structs import replace

from snapdiff.errors import FilterError, SnapdiffError
from snapdiff.result.changes import CatalogDiff, Filters, StackDiff, Summary
from snapdiff.result.packages import Kind, PackageChange

GLOBS = ("tag", "stack", "package", "kind", "because")
"""The filters that are globs."""

NEAREST = 3
"""How many of the nearest names an error offers."""

_FEW = 10
"""How many names are all told where none is near."""

_LEAVES_OUT = re.compile(r":(?=/*[!^])[/!^]+:?")
"""What a path begins with that leaves files out, as git writes it; a `/` is for the top."""

_BLANKS = re.compile(r"^\s*(!?)\s*|\s+$")
"""What stands around a glob in a list that somebody wrote with blanks: `*, !hdf5`."""


def split_globs(values: Iterable[str]) -> tuple[str, ...]:
    """Return the globs that some values hold: `e4s,hep` are two, and so are `e4s, hep`."""
    return tuple(_BLANKS.sub(r"\1", glob) for value in values for glob in value.split(","))


def by_sign(globs: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the globs that let names in, and those that leave names out, without their `!`."""
    globs = list(globs)
    wanted = [glob for glob in globs if not glob.startswith("!")]
    return wanted, [glob[1:] for glob in globs if glob.startswith("!")]


@lru_cache(64)
def name_filter(globs: tuple[str, ...]) -> Callable[[str], bool]:
    """Return what says whether globs let a name in; one with a leading `!` leaves names out."""
    let_in, left_out = by_sign(globs)
    wanted, unwanted = _any_of(let_in or ["*"]), _any_of(left_out)
    # The same names come again, in the next section of a changelog too.
    return cache(lambda name: bool(wanted.match(name)) and not unwanted.match(name))


class Scope:
    """Says which tags, packages and stacks of two catalogs are compared.

    `has_package` and `has_stack` say it of a name, and `is_wanted_cause` whether what was rebuilt
    or lost because of a package is reported.
    """

    def __init__(self, filters: Filters) -> None:
        """Take globs; none means everything.

        Raises FilterError where a glob matches no kind of change, or all leave none, or one is not
        UTF-8 and so matches nothing that a page can hold: it can only be a slip.
        """
        self.filters = filters
        for option in GLOBS:
            for glob in getattr(filters, option):
                if any("\ud800" <= char <= "\udfff" for char in glob):
                    message = f"{glob}: is not UTF-8, and nothing in a catalog is called so"
                    raise FilterError(option, message)
        for glob in filters.kind:
            if not any(_matches(kind.value, glob) for kind in Kind):
                message = f"{glob}: {no_kind(glob)}"
                raise FilterError("kind", message)
        if not wanted_kinds(filters):
            raise FilterError("kind", f"{','.join(filters.kind)}: leaves no kind of change")
        let_in, left_out = by_sign(filters.tag)
        self._lets_tag_in, self._leaves_tag_out = _any_of(let_in or ["*"]), _any_of(left_out)
        self.has_stack = name_filter(filters.stack)
        self.has_package = name_filter(filters.package)
        self.is_wanted_cause = name_filter(filters.because)

    def has_tag(self, *names: str | None) -> bool:
        """Return whether tags of these names, which are compared with each other, are.

        One name is enough to let them in, and one to leave them out.
        """
        known = [name for name in names if name is not None]
        is_let_in = any(map(self._lets_tag_in.match, known))
        return is_let_in and not any(map(self._leaves_tag_out.match, known))

    def stacks(self, stacks: frozenset[str]) -> frozenset[str]:
        """Return those of some stacks that are compared."""
        if not self.filters.stack:
            return stacks
        return frozenset(stack for stack in stacks if self.has_stack(stack))


def printable_filters(filters: Filters) -> Filters:
    r"""Return filters as a report names them: a byte of a path that is not UTF-8 is `\xff`."""
    if not filters.path:
        return filters
    return replace(filters, path=tuple(map(_printable, filters.path)))


def paths_by_sign(paths: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the paths that let files in, and those that leave files out, without their `:!`."""
    found = [(_printable(path), _LEAVES_OUT.match(path)) for path in paths]
    wanted = [path for path, sign in found if not sign]
    return wanted, [path[sign.end() :] for path, sign in found if sign]


def _printable(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def wanted_kinds(filters: Filters) -> frozenset[Kind]:
    """Return the kinds of change that are reported."""
    return frozenset(filter(name_filter(filters.kind), Kind))


def reports_all(filters: Filters) -> bool:
    """Return whether all that happened to what is compared is reported, whatever kind it is of."""
    is_narrowed = filters.explicit or filters.because
    return not is_narrowed and len(wanted_kinds(filters)) == len(Kind)


def narrowed_to_kinds(diff: CatalogDiff) -> CatalogDiff:
    """Return a diff with nothing but the kinds of change that its filters ask for.

    `changes` and `package_changes` are narrowed each by its own kind, `removed` with what lost a
    build all the same; a tag in which neither is left is left out. What is not of another kind
    (names, sizes, unchanged specs) stays.
    """
    kinds = wanted_kinds(diff.filters)
    if len(kinds) == len(Kind):
        return diff
    tags = []
    for tag in diff.tags:
        if tag.status != "changed":
            tags += [tag] if Kind(tag.status) in kinds else []
            continue
        stacks = tuple(_narrowed_stack(stack, kinds) for stack in tag.stacks)
        has_changes = any(it.changes or it.package_changes or it.asked_for for it in stacks)
        if has_changes or tag.hash_conflicts is not UNSET:
            tags.append(replace(tag, stacks=with_changes_elsewhere(stacks)))
    summary = Summary.total(stack.summary for tag in tags for stack in tag.stacks)
    return replace(diff, tags=tuple(tags), summary=summary)


def with_changes_elsewhere(stacks: Collection[StackDiff]) -> tuple[StackDiff, ...]:
    """Return the stacks of a tag, `still_there` with what something happened to in any of them."""
    changed = {change.package for stack in stacks for change in stack.package_changes}
    for roots in filter(None, (stack.asked_for for stack in stacks)):
        changed.update(roots.now, roots.no_longer)
    return tuple(_there_alone(stack, changed.intersection(stack.still_there)) for stack in stacks)


def _there_alone(stack: StackDiff, names: Collection[str]) -> StackDiff:
    """Return a stack in which some packages, and what is known of them, are `still_there`."""
    versions = stack.versions_there or {}
    known = {name: versions[name] for name in sorted(names) if name in versions}
    return replace(
        stack,
        still_there=tuple(sorted(names)),
        versions_there=known or UNSET,
        roots_there=stack.roots_there and tuple(it for it in stack.roots_there if it in names),
    )


def _narrowed_stack(stack: StackDiff, kinds: frozenset[Kind]) -> StackDiff:
    changes = tuple(change for change in stack.changes if change.kind in kinds)
    packages = tuple(
        change for change in stack.package_changes if not kinds.isdisjoint(change.kinds)
    )
    others = [it for it in stack.package_changes if not (it.whole or it in packages)]
    stack = _with_others_there(stack, others)
    asked_for = stack.asked_for if Kind.RECONFIGURED in kinds else None
    has_none_left = stack.status == "changed" and not (changes or packages or asked_for)
    return replace(
        stack,
        status="unchanged" if has_none_left else stack.status,
        summary=Summary(
            unchanged=stack.summary.unchanged,
            **{kind.value: stack.summary.count(kind) for kind in kinds},
        ),
        asked_for=asked_for,
        package_changes=packages,
        changes=changes,
        builds_apart=UNSET,
    )


def _with_others_there(stack: StackDiff, others: Collection[PackageChange]) -> StackDiff:
    """Return a stack in which packages are still there of which changes are not reported."""
    roots = [it.package for it in others if it.asked_for and it.asked_for.new]
    versions = {it.package: it.versions_now for it in others}
    there = stack.roots_there
    return replace(
        stack,
        still_there=tuple(sorted({*stack.still_there, *versions})),
        versions_there=(stack.versions_there or {}) | versions,
        roots_there=UNSET if there is UNSET else tuple(sorted({*there, *roots})),
    )


def unmatched(filters: Filters, seen: Mapping[str, Collection[str]]) -> Iterator[tuple[str, str]]:
    """Yield each glob that matches no name, behind `tag`, `stack` or `package`.

    Globs that leave no name at all, as `e4s` and `!e4s` or as `!*`, are one.
    """
    for noun, names in seen.items():
        globs: tuple[str, ...] = getattr(filters, noun)
        for glob in globs:
            if not any(_matches(name, glob) for name in names):
                yield noun, glob
        if globs and not any(map(name_filter(globs), names)):
            yield noun, ",".join(globs)


def require_matches(
    filters: Filters, seen: Mapping[str, Collection[str]], nouns: Mapping[str, str] = {}
) -> None:
    """Raise FilterError where a glob, or all of them together, match no name on either side.

    `seen` has the names there are, under `tag`, `stack` and `package`, and `nouns` what is called
    otherwise: a `stack` may be an environment. The error names the nearest names. Where there is
    no name at all, there is nothing to compare, and no glob has a slip in it.
    """
    for option, glob in unmatched(filters, seen):
        if seen[option]:
            called, noun = glob or "an empty glob", nouns.get(option, option)
            noun = "tag of the catalog" if noun == "tag" else noun  # not one of git
            is_one = glob in getattr(filters, option)
            leaves_none = not is_one or any(_matches(name, glob) for name in seen[option])
            nearest = nearest_names(glob, seen[option])
            if (name := glob.removeprefix("!")) in seen[option]:
                from glob import escape  # late: only a name with brackets needs it

                nearest = f"the name itself is written {escape(name)}"
            wrong = f"leaves no {noun}" if leaves_none else f"matches no {noun}; {nearest}"
            raise FilterError(option, f"{called}: {wrong}")


def require_causes(filters: Filters, known: Collection[str]) -> None:
    """Raise SnapdiffError where a wanted cause matches no package, or no cause can be known.

    Those `known` differ in documents that tell causes, or are a dependency there.
    """
    if filters.because and not known:
        raise SnapdiffError(
            f"--because {filters.because[0]}: what differs has no dependencies on both sides, so "
            "no cause is known; compare locks, indexes or databases"
        )
    require_matches(filters, {"because": known}, {"because": "package that differs"})


def require_mapped_stacks(filters: Filters, old: Iterable[str], new: Iterable[str]) -> None:
    """Raise SnapdiffError where a stack to be compared under another name is not as it should be.

    `old` and `new` are the names of the stacks of each side, before anything is renamed.
    """
    before, after = set(old), set(new)
    for from_name, to_name in filters.stack_names:
        given = f"--map-stack {from_name}={to_name}"
        for side, name, names in (("old", from_name, before), ("new", to_name, after)):
            if name not in names:
                hint = nearest_names(name, names)
                raise SnapdiffError(f"{given}: the {side} side has no stack {name}; {hint}")
        if from_name in after:
            raise SnapdiffError(f"{given}: both sides have {from_name}; leave the option out")


_WORDS_OF_REPORTS = {"gone": Kind.REMOVED, "lost": Kind.REMOVED, "new": Kind.ADDED}


def no_kind(word: str) -> str:
    """Return what is said of a word that is no kind of change; reports say `gone` of a removed one.

    >>> no_kind("gone")
    'not a kind of change; did you mean removed?'
    """
    meant = _WORDS_OF_REPORTS.get(word)
    way_out = f"did you mean {meant}?" if meant else f"the kinds are {', '.join(Kind)}"
    return f"not a kind of change; {way_out}"


def nearest_names(word: str, names: Iterable[str]) -> str:
    """Return which of some names are nearest to a word, case aside: `the nearest: a, b`.

    Of a word like none of them a few names are all told.
    """
    from difflib import get_close_matches  # late: only a slip needs it

    known = sorted(set(names))
    if known == ["."]:
        return "there is only one: leave the option out"
    by_letters = {name.casefold(): name for name in known}
    letters = re.split("[@+~%^ ]", word.lstrip("!").replace("*", ""))[0].casefold()
    near = [name for name in by_letters if letters and letters in name]
    near.sort(key=lambda name: (not name.startswith(letters), len(name), name))
    near += get_close_matches(letters, by_letters, NEAREST, cutoff=0.6)
    if near:
        some = list(dict.fromkeys(near))[:NEAREST]
        return f"the nearest: {', '.join(by_letters[item] for item in some)}"
    if len(known) > _FEW:
        return f"there are {len(known):,}, from {known[0]} to {known[-1]}"
    told = [". (the top folder)" if name == "." else name for name in known]
    return f"there {'are' if len(known) > 1 else 'is'} {', '.join(told) or 'none'}"


def _matches(name: str, glob: str) -> bool:
    return fnmatchcase(name, glob.removeprefix("!"))


def _any_of(globs: Iterable[str]) -> re.Pattern[str]:
    """Return what matches any of some globs; without one it matches nothing."""
    return re.compile("|".join(map(translate, globs)) or r"(?!)")
