"""A second reading of the specification (sections 3 to 6), to hold the product against.

Slow and plain on purpose: every rule is here as the specification words it, every admissible
pair is built and ranked, and nothing is shared with the product. Where the two disagree, one of
them misread the specification.
"""

import functools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import archspec.cpu  # type: ignore[import-untyped, unused-ignore]

Record = dict[str, Any]
"""A spec as on a page, plus `tag` and `package`: hash, versions (a list of one), compiler, os,
platform, target, variants (a list), stacks (a list)."""

Change = tuple[str, str, str | None, str | None, str | None, str | None]
"""package, kind, old hash, new hash, old version, new version; None on a side without a spec."""

KINDS = ("added", "removed", "upgraded", "downgraded", "rebuilt", "reconfigured", "unchanged")


# --- Section 5: version order ---

INFINITY_WORDS = ["stable", "nightly", "trunk", "head", "master", "main", "develop"]
PRE_RELEASE_WORDS = ["alpha", "beta", "rc"]


@dataclass(frozen=True)
class ParsedVersion:
    """What section 5 sees in a version text."""

    release: list[str]
    """The tokens, without the pre-release."""
    pre_word: str | None
    """`alpha`, `beta`, `rc`, or None for a version that is no pre-release."""
    pre_number: str | None
    """The digits after the word, or None."""
    git_ref: str | None
    """REF of `git.REF=1.2`, the sha of `<sha>=1.2`, or None for a plain version."""


def parse_version(text: str) -> ParsedVersion:
    """The parts of a version that its order depends on; any text at all is accepted."""
    number, git_ref = text, None
    # The last `=`: a git ref may hold one, a version number does not.
    before, equals, after = text.rpartition("=")
    if equals and before.startswith("git."):
        number, git_ref = after, before.removeprefix("git.")
    elif equals and re.fullmatch("[0-9a-f]{40}", before):
        number, git_ref = after, before

    tokens: list[str] = re.findall("[0-9]+|[A-Za-z]+", number)
    if len(tokens) >= 3 and tokens[-2] in PRE_RELEASE_WORDS and is_integer(tokens[-1]):
        return ParsedVersion(tokens[:-2], tokens[-2], tokens[-1], git_ref)
    # A lone `rc` stays an ordinary word, as in Spack: cutting it off would leave no version.
    if len(tokens) >= 2 and tokens[-1] in PRE_RELEASE_WORDS:
        return ParsedVersion(tokens[:-1], tokens[-1], None, git_ref)
    return ParsedVersion(tokens, None, None, git_ref)


def is_integer(token: str) -> bool:
    """Whether a token is a run of digits."""
    return token[0] in "0123456789"


def compare_text(a: str, b: str) -> int:
    """-1, 0 or 1, by code point."""
    return (a > b) - (a < b)


def compare_numbers(a: int, b: int) -> int:
    """-1, 0 or 1."""
    return (a > b) - (a < b)


def compare_digits(a: str, b: str) -> int:
    """-1, 0 or 1, as integers; by hand, as `int` refuses more than 4,300 digits."""
    a, b = a.lstrip("0"), b.lstrip("0")
    if len(a) != len(b):
        return compare_numbers(len(a), len(b))
    return compare_text(a, b)


def token_rank(token: str) -> int:
    """0 for a plain string, 1 for an integer, 2 for an infinity word."""
    if is_integer(token):
        return 1
    return 2 if token in INFINITY_WORDS else 0


def compare_tokens(a: str, b: str) -> int:
    """-1, 0 or 1, by rank, then within the rank."""
    if token_rank(a) != token_rank(b):
        return compare_numbers(token_rank(a), token_rank(b))
    if is_integer(a):
        return compare_digits(a, b)
    if a in INFINITY_WORDS:
        return compare_numbers(INFINITY_WORDS.index(a), INFINITY_WORDS.index(b))
    return compare_text(a, b)


def compare_token_lists(a: list[str], b: list[str]) -> int:
    """-1, 0 or 1, token by token; a proper prefix is smaller."""
    for token_a, token_b in zip(a, b, strict=False):
        result = compare_tokens(token_a, token_b)
        if result != 0:
            return result
    return compare_numbers(len(a), len(b))


def compare_pre_releases(a: ParsedVersion, b: ParsedVersion) -> int:
    """-1, 0 or 1: alpha < beta < rc < none, then no number < a number, then the numbers."""
    words = [*PRE_RELEASE_WORDS, None]
    if a.pre_word != b.pre_word:
        return compare_numbers(words.index(a.pre_word), words.index(b.pre_word))
    if a.pre_number is None or b.pre_number is None:
        return compare_numbers(int(a.pre_number is not None), int(b.pre_number is not None))
    return compare_digits(a.pre_number, b.pre_number)


def compare_versions(a: str, b: str) -> int:
    """-1, 0 or 1: whether version `a` is lower than, the same as, or higher than version `b`."""
    parsed_a, parsed_b = parse_version(a), parse_version(b)
    result = compare_token_lists(parsed_a.release, parsed_b.release)
    if result != 0:
        return result
    result = compare_pre_releases(parsed_a, parsed_b)
    if result != 0:
        return result
    if parsed_a.git_ref is None or parsed_b.git_ref is None:
        return compare_numbers(int(parsed_a.git_ref is not None), int(parsed_b.git_ref is not None))
    return compare_text(parsed_a.git_ref, parsed_b.git_ref)


def leading_tokens_in_common(a: str, b: str) -> int:
    """How many tokens of the two release parts are equal, up to the first that is not."""
    count = 0
    for token_a, token_b in zip(parse_version(a).release, parse_version(b).release, strict=False):
        if compare_tokens(token_a, token_b) != 0:
            break
        count += 1
    return count


# --- Section 4: one notation ---

COMPILER_NAMES_OF_TODAY = {
    "clang": "llvm",
    "oneapi": "intel-oneapi-compilers",
    "rocmcc": "llvm-amdgpu",
    "intel": "intel-oneapi-compilers-classic",
    "arm": "acfl",
}


def canonical_compiler(compiler: str) -> str:
    """The compiler under the name it has today, its version after a plain `@`."""
    name, at, version = compiler.partition("@")
    return COMPILER_NAMES_OF_TODAY.get(name, name) + at + version.removeprefix("=")


def canonical_variant(variant: str) -> str:
    """The variant as `key=value`, without quotes around the value; `+x` and `~x` as they are."""
    key, equals, value = variant.partition("=")
    if not equals:
        return variant
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        value = value[1:-1]
    return key.removesuffix(":") + "=" + value


# --- Section 3: stacks ---


def counting_stacks(record: Record) -> set[str]:
    """The stacks a spec counts in: all but `root`, or `root` alone where there is no other."""
    stacks = set(record.get("stacks") or []) - {"root"}
    return stacks or {"root"}


# --- Section 6: what happened to a spec ---


@dataclass(frozen=True)
class Spec:
    """A spec in the common notation; its version as written."""

    hash: str
    version: str
    compiler: str
    os: str
    platform: str
    target: str
    variants: frozenset[str]

    def configuration(self) -> tuple[str, str, str, str, frozenset[str]]:
        """What the specification calls the configuration."""
        return (self.compiler, self.os, self.platform, self.target, self.variants)

    def configuration_text(self) -> str:
        """The configuration as the text that settles ties."""
        first = [self.compiler, self.os, self.platform, self.target]
        return " ".join(first + sorted(self.variants))


Pair = tuple[Spec, Spec]


@dataclass(frozen=True)
class StackReading:
    """What happened in one stack of one tag."""

    counts: dict[str, int]
    """How many of each of the seven kinds; all seven are present."""
    changes: list[Change]
    """One entry a change, sorted; what is unchanged is only counted."""
    old_total: int
    new_total: int


def spec_of(record: Record) -> Spec:
    """The record in the common notation."""
    versions = record["versions"]
    return Spec(
        hash=record["hash"],
        version=versions[0] if versions else "",
        compiler=canonical_compiler(record["compiler"]),
        os=record["os"],
        platform=record["platform"],
        target=record["target"],
        variants=frozenset(canonical_variant(variant) for variant in record["variants"]),
    )


@functools.cache
def family(target: str) -> str:
    """The family archspec puts a target in; a target it does not know is a family of its own."""
    if target not in archspec.cpu.TARGETS:
        return target
    return str(archspec.cpu.TARGETS[target].family.name)


def may_pair(old: Spec, new: Spec) -> bool:
    """Whether the two are of one platform and one target family."""
    return old.platform == new.platform and family(old.target) == family(new.target)


def same_version(old: Spec, new: Spec) -> bool:
    """Whether the two versions are equal in section 5's order."""
    return compare_versions(old.version, new.version) == 0


def same_configuration(old: Spec, new: Spec) -> bool:
    """Whether the two differ at most in version and hash."""
    return old.configuration() == new.configuration()


def differences(old: Spec, new: Spec) -> int:
    """Compiler, os, target count one each, and so does every variant that only one side has."""
    return (
        int(old.compiler != new.compiler)
        + int(old.os != new.os)
        + int(old.target != new.target)
        + len(old.variants ^ new.variants)
    )


higher_version_first = functools.cmp_to_key(lambda a, b: compare_versions(str(b), str(a)))
"""A sort key for version texts: the highest comes first."""


def tie_break(old: Spec, new: Spec) -> tuple[Any, ...]:
    """The end of every ranking: the configurations as text, then the hashes."""
    return (old.configuration_text(), new.configuration_text(), old.hash, new.hash)


def rank_in_pass_1(old: Spec, new: Spec) -> tuple[Any, ...]:
    """Same version, same configuration: nothing but ties. Lowest is best, in every pass."""
    return tie_break(old, new)


def rank_in_pass_2(old: Spec, new: Spec) -> tuple[Any, ...]:
    """Most leading version tokens in common, then the higher old version, then the higher new."""
    return (
        -leading_tokens_in_common(old.version, new.version),
        higher_version_first(old.version),
        higher_version_first(new.version),
        *tie_break(old, new),
    )


def rank_in_pass_3(old: Spec, new: Spec) -> tuple[Any, ...]:
    """Fewest differences."""
    return (differences(old, new), *tie_break(old, new))


def rank_in_pass_4(old: Spec, new: Spec) -> tuple[Any, ...]:
    """As pass 2, with fewest differences right after the common tokens."""
    return (
        -leading_tokens_in_common(old.version, new.version),
        differences(old, new),
        higher_version_first(old.version),
        higher_version_first(new.version),
        *tie_break(old, new),
    )


def run_pass(
    old: list[Spec],
    new: list[Spec],
    admits: Callable[[Spec, Spec], bool],
    rank: Callable[[Spec, Spec], tuple[Any, ...]],
) -> list[Pair]:
    """The pairs of one pass, best first.

    All pairs that are admitted are ranked; going down the list, a pair is taken where both sides
    are still free.
    """
    candidates = [(o, n) for o in old for n in new if may_pair(o, n) and admits(o, n)]
    candidates.sort(key=lambda pair: rank(*pair))
    taken_old: set[str] = set()
    taken_new: set[str] = set()
    pairs: list[Pair] = []
    for o, n in candidates:
        if o.hash not in taken_old and n.hash not in taken_new:
            taken_old.add(o.hash)
            taken_new.add(n.hash)
            pairs.append((o, n))
    return pairs


def pair_up(old: list[Spec], new: list[Spec]) -> list[Pair]:
    """The pairs of all four passes; no hash may stand on both sides or twice on one."""
    pairs: list[Pair] = []
    for admits, rank in [
        (lambda o, n: same_version(o, n) and same_configuration(o, n), rank_in_pass_1),
        (same_configuration, rank_in_pass_2),
        (same_version, rank_in_pass_3),
        (lambda _o, _n: True, rank_in_pass_4),
    ]:
        found = run_pass(old, new, admits, rank)
        pairs += found
        paired_old = {o.hash for o, _ in found}
        paired_new = {n.hash for _, n in found}
        old = [spec for spec in old if spec.hash not in paired_old]
        new = [spec for spec in new if spec.hash not in paired_new]
    return pairs


def kind_of(old: Spec, new: Spec) -> str:
    """What became of a pair."""
    direction = compare_versions(old.version, new.version)
    if direction < 0:
        return "upgraded"
    if direction > 0:
        return "downgraded"
    return "rebuilt" if same_configuration(old, new) else "reconfigured"


def distinct_specs(records: Iterable[Record]) -> dict[str, Spec]:
    """The specs by hash; of several records with one hash the first stands."""
    specs: dict[str, Spec] = {}
    for record in records:
        specs.setdefault(record["hash"], spec_of(record))
    return specs


def read_package(
    package: str, old_records: list[Record], new_records: list[Record]
) -> tuple[list[Change], int, int, int]:
    """The changes of one package in one stack, then how many specs are unchanged, old and new."""
    old = distinct_specs(old_records)
    new = distinct_specs(new_records)
    old_only = [spec for spec in old.values() if spec.hash not in new]
    new_only = [spec for spec in new.values() if spec.hash not in old]
    pairs = pair_up(old_only, new_only)

    changes: list[Change] = [
        (package, kind_of(o, n), o.hash, n.hash, o.version, n.version) for o, n in pairs
    ]
    paired_old = {o.hash for o, _ in pairs}
    paired_new = {n.hash for _, n in pairs}
    changes += [
        (package, "removed", spec.hash, None, spec.version, None)
        for spec in old_only
        if spec.hash not in paired_old
    ]
    changes += [
        (package, "added", None, spec.hash, None, spec.version)
        for spec in new_only
        if spec.hash not in paired_new
    ]
    return changes, len(old) - len(old_only), len(old), len(new)


def read_stack(old_records: list[Record], new_records: list[Record]) -> StackReading:
    """What happened between the two sides of one stack of one tag."""
    counts = dict.fromkeys(KINDS, 0)
    changes: list[Change] = []
    old_total = new_total = 0
    for package in sorted({record["package"] for record in old_records + new_records}):
        package_changes, unchanged, package_old, package_new = read_package(
            package,
            [record for record in old_records if record["package"] == package],
            [record for record in new_records if record["package"] == package],
        )
        changes += package_changes
        counts["unchanged"] += unchanged
        old_total += package_old
        new_total += package_new
    for change in changes:
        counts[change[1]] += 1
    # None sorts as the empty text.
    changes.sort(key=lambda change: [part or "" for part in change])
    return StackReading(counts, changes, old_total, new_total)


def compared_tags(old: list[Record], new: list[Record]) -> list[tuple[str, str, str]]:
    """Label, old tag, new tag of every comparison (section 2)."""
    old_tags = {record["tag"] for record in old}
    new_tags = {record["tag"] for record in new}
    if len(old_tags) == 1 and len(new_tags) == 1:
        [old_tag], [new_tag] = old_tags, new_tags
        label = old_tag if old_tag == new_tag else f"{old_tag}..{new_tag}"
        return [(label, old_tag, new_tag)]
    return [(tag, tag, tag) for tag in sorted(old_tags & new_tags)]


def read_catalogs(old: list[Record], new: list[Record]) -> dict[tuple[str, str], StackReading]:
    """What the specification says happened, by (tag label, stack), for every tag of both sides.

    The label is the tag's name. Where a tag is compared with one of another name, the label is both
    names, `v0.21.2..v0.22.0`. Every stack that either side of a tag has is listed, changed or not.
    """
    readings: dict[tuple[str, str], StackReading] = {}
    for label, old_tag, new_tag in compared_tags(old, new):
        old_of_tag = [record for record in old if record["tag"] == old_tag]
        new_of_tag = [record for record in new if record["tag"] == new_tag]
        stacks = {stack for record in old_of_tag + new_of_tag for stack in counting_stacks(record)}
        for stack in sorted(stacks):
            readings[label, stack] = read_stack(
                [record for record in old_of_tag if stack in counting_stacks(record)],
                [record for record in new_of_tag if stack in counting_stacks(record)],
            )
    return readings
