"""One notation for what Spack wrote in several ways (specification, section 4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapdiff.spack import canonical_compiler, canonical_variant
from tests.support import oracle
from tests.support.helpers import report_of, spec

COMPILERS = [
    ("gcc@=11.4.0", "gcc@11.4.0"),
    ("gcc@11.4.0", "gcc@11.4.0"),
    ("gcc", "gcc"),
    ("none", "none"),
    ("", ""),
    ("clang@=15.0.0", "llvm@15.0.0"),
    ("clang@15.0.0", "llvm@15.0.0"),
    ("clang", "llvm"),
    ("llvm@15.0.0", "llvm@15.0.0"),
    ("oneapi@=2025.1.0", "intel-oneapi-compilers@2025.1.0"),
    ("intel-oneapi-compilers@2025.1.0", "intel-oneapi-compilers@2025.1.0"),
    ("rocmcc@=6.3.2", "llvm-amdgpu@6.3.2"),
    ("intel@2021.10.0", "intel-oneapi-compilers-classic@2021.10.0"),
    ("arm@23.04.1", "acfl@23.04.1"),
    ("acfl@23.04.1", "acfl@23.04.1"),
    # Only the name as a whole is another one today.
    ("apple-clang@=15.0.0", "apple-clang@15.0.0"),
    ("clang-ocl@5", "clang-ocl@5"),
    ("intel-oneapi-compilers-classic@2021.10.0", "intel-oneapi-compilers-classic@2021.10.0"),
    ("Clang@15", "Clang@15"),
    ("dpcpp@=2023", "dpcpp@2023"),
    ("gcc@git.main=13", "gcc@git.main=13"),
]

VARIANTS = [
    ("languages:='c,c++'", "languages=c,c++"),
    ("languages='c,c++'", "languages=c,c++"),
    ("languages=c,c++", "languages=c,c++"),
    ('languages:="c,c++"', "languages=c,c++"),
    ("recipe=XsftX", "recipe=XsftX"),
    ("build_type:=Release", "build_type=Release"),
    ("build_type=Release", "build_type=Release"),
    ("cuda_arch:=80,90", "cuda_arch=80,90"),
    ("+mpi", "+mpi"),
    ("~mpi", "~mpi"),
    ("", ""),
    ("patches:=", "patches="),
    ("cflags=''", "cflags="),
    ("cflags='-O2 -g'", "cflags=-O2 -g"),
    ("cflags='-DX=1'", "cflags=-DX=1"),
    # What is not around the whole value stays.
    ("cflags='-O2", "cflags='-O2"),
    ("cflags='-O2\"", "cflags='-O2\""),
    ("cflags='", "cflags='"),
    ("path=it's", "path=it's"),
    ("url=a:=b", "url=a:=b"),
]


@pytest.mark.parametrize(("written", "meant"), COMPILERS)
def test_a_compiler_has_one_spelling(written: str, meant: str) -> None:
    assert canonical_compiler(written) == meant
    assert oracle.canonical_compiler(written) == meant


@pytest.mark.parametrize(("written", "meant"), VARIANTS)
def test_a_variant_has_one_spelling(written: str, meant: str) -> None:
    assert canonical_variant(written) == meant
    assert oracle.canonical_variant(written) == meant


NAMES = st.sampled_from(
    ["gcc", "clang", "oneapi", "rocmcc", "intel", "arm", "llvm", "apple-clang", "none", "x"]
)
NUMBERS = st.text("0123456789.abz-", max_size=8)


@given(NAMES, st.sampled_from(["", "@", "@="]), NUMBERS)
def test_a_compiler_in_the_common_notation_stays_as_it_is(name: str, at: str, number: str) -> None:
    once = canonical_compiler(name + at + (number if at else ""))
    assert canonical_compiler(once) == once


@given(
    st.text("abc_", min_size=1, max_size=5),
    st.sampled_from(["=", ":="]),
    st.sampled_from(["", "'", '"']),
    st.text("abc,+-019. ", max_size=8),
)
def test_a_variant_in_the_common_notation_stays_as_it_is(
    key: str, sign: str, quote: str, value: str
) -> None:
    once = canonical_variant(key + sign + quote + value + quote)
    assert once == f"{key}={value}"
    assert canonical_variant(once) == once


def test_specs_that_differ_in_notation_alone_are_rebuilt_and_shown_as_written() -> None:
    old = spec("b", compiler="oneapi@=2025.1.0", variants="+mpi languages='c,c++'")
    new = spec("c", compiler="intel-oneapi-compilers@2025.1.0", variants="+mpi languages:=c,c++")
    [tag] = report_of([old], [new])["tags"]
    [change] = tag["stacks"][0]["changes"]
    assert (change["kind"], change["fields"]) == ("rebuilt", [])
    assert change["old"]["compiler"] == "oneapi@=2025.1.0"
    assert change["new"]["compiler"] == "intel-oneapi-compilers@2025.1.0"
    assert change["old"]["variants"] == ["+mpi", "languages='c,c++'"]
    assert change["new"]["variants"] == ["+mpi", "languages:=c,c++"]


def test_fields_that_differ_in_the_common_notation_are_told_as_written() -> None:
    old = spec("b", "1.02", compiler="clang@=15.0", variants="+mpi x:=1 ~cuda", os="rhel8")
    new = spec("c", "1.2", compiler="llvm@16.0", variants="~mpi x=1 +rocm ~cuda", target="zen4")
    [tag] = report_of([old], [new])["tags"]
    [change] = tag["stacks"][0]["changes"]
    assert change["kind"] == "reconfigured"
    assert change["fields"] == [
        {"name": "compiler", "old": "clang@=15.0", "new": "llvm@16.0"},
        {"name": "os", "old": "rhel8", "new": "ubuntu22.04"},
        {"name": "target", "old": "x86_64_v3", "new": "zen4"},
        {"name": "variants", "old": ["+mpi"], "new": ["+rocm", "~mpi"]},
    ]


def test_flags_keep_their_quotes() -> None:
    old = spec("b", variants="+mpi")
    new = spec("c") | {"variants": ["+mpi", 'cflags="-O3 -g"', "x='1'"]}
    [tag] = report_of([old], [new])["tags"]
    [change] = tag["stacks"][0]["changes"]
    assert change["fields"] == [
        {"name": "variants", "old": [], "new": ['cflags="-O3 -g"', "x='1'"]},
    ]


def test_the_version_is_told_as_written() -> None:
    [tag] = report_of([spec("b", "git.main=1.2")], [spec("c", "1.10")])["tags"]
    [change] = tag["stacks"][0]["changes"]
    assert change["kind"] == "upgraded"
    assert change["fields"] == [{"name": "version", "old": "git.main=1.2", "new": "1.10"}]
