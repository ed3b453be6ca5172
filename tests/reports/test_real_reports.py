"""Reports of real releases: how long they are, what their first lines say, how they are built."""

import re
from typing import get_args

import pytest

from snapdiff import render_report
from snapdiff.reports import GroupBy, ReportOptions
from tests.reports.test_escaping import Tree
from tests.reports.test_words import NEVER_SAID
from tests.support.helpers import run_cli
from tests.support.html_reports import SNAPSHOTS, snapshots_diff
from tests.support.real_catalogs import (
    DATA,
    DERECHO,
    derecho_diff,
    e4s_diff,
    e4s_report,
    needs_real_catalogs,
)

pytestmark = needs_real_catalogs

WEEKS = ("develop-2025-03-23", "develop-2025-03-30")


NEWS = """\
**All 5 environments**: `cuda-aarch64`, `cuda-ppc64le`, `cuda-x86_64`, `oneapi-x86_64`, \
`rocm-x86_64`
**Lost**
- gone from `oneapi-x86_64`: `libcatalyst` `2.0.0-rc3`, `libpressio` `0.95.1`
- no build with `cuda_arch=90` left: `adios2`, `vtk-m`, `zfp` (`cuda-x86_64`)
- options turned off: `lbann` `~al` (all 5); `paraview` `~raytracing` (`cuda-x86_64`, \
`rocm-x86_64`); `ascent` `~fortran` (`oneapi-x86_64`)
- options gone: `adios2` `+ssc` (all 5); `adios2` `+libcatalyst` (`oneapi-x86_64`)
- dependency versions gone: `openssl` `1.1.1v` (only `3.1.3` now), in all 5; `python` `3.7.17` \
(highest now `3.11.6`), in `cuda-ppc64le`, `cuda-x86_64`, `rocm-x86_64`; `hdf5` `1.12.2` (still \
elsewhere), in `cuda-ppc64le`, `rocm-x86_64`
- dependency options turned off: `dihydrogen` `~al`, `hydrogen` `~al` (all 5); `visit` `~gui`, \
`vtk` `~qt` (`cuda-ppc64le`, `cuda-x86_64`, `rocm-x86_64`)
- dependencies beside the toolchain: 3 downgraded (`py-typeguard`, `blt`, `py-pandas`), 50 gone, \
10 more from some environments, 29 lost versions or builds; 28 of the 50 because of `visit` (now \
`~gui`), 7 because of `py-cinemasci` `1.7.0` → `1.3`
**`ecp-data-vis-sdk` `1.0` is new in `cuda-aarch64`, `oneapi-x86_64` and needs older versions**
- downgraded in both: `py-cinemasci` `1.7.0` → `1.3`
- downgraded in `cuda-aarch64`: `vtk-m`: 1 of 4 builds `2.0.0` → `1.9.0` (the one with \
`~cuda`); `zfp`: 3 of 4 builds `1.0.0` → `0.5.5` (those that use `cuda`)
- downgraded in `oneapi-x86_64`: `vtk-m` `2.0.0` → `1.9.0`, `adios2` `2.9.1` → `2.8.3`, \
`ascent` `0.9.2` → `0.9.1`
- older versions added for it: `hdf5` `1.12.2` (both); `ascent` `0.9.1`, `freetype` `2.10.2` \
(`cuda-aarch64`)
**`exago` `1.6.0` is new in all but `oneapi-x86_64`**: older `camp` `0.2.3`, `raja` `0.14.0`, \
`umpire` `6.0.0` added for it
**Now only dependencies**
- `cuda-aarch64`, `cuda-x86_64`, `oneapi-x86_64`: `vtk-m`, `zfp`
- `cuda-aarch64`, `oneapi-x86_64`: `darshan-runtime`, `darshan-util`, `faodel`, `hdf5`, \
`parallel-netcdf`, `py-cinemasci`, `sz`, `unifyfs`, `veloc`
- `cuda-aarch64`, `cuda-x86_64`: `adios2`
- `cuda-aarch64`: `libcatalyst`; `paraview` (still a root spec elsewhere)
- `oneapi-x86_64`: `ascent` (still a root spec elsewhere)
**Also in more environments**: `cusz` `0.3.1` (`cuda-aarch64`); `py-torch` `2.1.0` \
(`cuda-ppc64le`)
**Upgraded to another major version**: `py-libensemble` `0.10.2` → `1.0.0`, `tasmanian` `7.9` → \
`8.0` (all 5)
**Upgraded**
- all 5: `amrex` `23.08` → `23.11`, `axom` `0.7.0` → `0.8.1`, `butterflypack` `2.2.2` → `2.4.0`, \
`cabana` `0.5.0` → `0.6.0`, `charliecloud` `0.33` → `0.34`, `datatransferkit` `3.1-rc3` → \
`3.1.1`, `flux-core` `0.53.0` → `0.55.0`, `hdf5` `1.14.2` → `1.14.3` (dependency), `heffte` \
`2.3.0` → `2.4.0`, `mercury` `2.3.0` → `2.3.1`, `mfem` `4.5.2` → `4.6.0`, `openmpi` `4.1.5` → \
`4.1.6`, `openpmd-api` `0.15.1` → `0.15.2` (dependency in `oneapi-x86_64`), `petsc` `3.19.4` → \
`3.20.1`, `plasma` `22.9.29` → `23.8.2`, `pumi` `2.2.7` → `2.2.8`, `py-petsc4py` `3.19.4` → \
`3.20.1`, `slate` `2022.07.00` → `2023.08.25`, `slepc` `3.19.1` → `3.20.0`, `strumpack` `7.1.3` → \
`7.2.0`, `sundials` `6.5.1` → `6.6.1`, `tau` `2.32.1` → `2.33`, `umpire` `2022.03.1` → \
`2022.10.0`, `veloc` `1.6` → `1.7` (dependency), `xyce` `7.6.0` → `7.7.0`
- all but `oneapi-x86_64`: `alquimia` `1.0.10` → `1.1.0`, `hpctoolkit` `2023.03.01` → \
`2023.08.1`, `magma` `2.7.1` → `2.7.2`, `paraview` `5.11.1` → `5.11.2` (dependency in \
3 of them)
- all but `cuda-ppc64le`: `phist` `1.11.2` → `1.12.0`
- the 3 `cuda-*`: `nvhpc` `23.7` → `23.9`
- the 3 `*-x86_64`: `variorum` `0.6.0` → `0.7.0`
- `cuda-aarch64`: `flecsi` `2.1.0` → `2.2.1`
- named above: `libcatalyst` `2.0.0-rc3` → `2.0.0-rc4` (dependency), in all but `oneapi-x86_64`; \
`py-torch` `2.0.1` → `2.1.0` (`cuda-x86_64`)
**With more versions or builds**
- `trilinos` `13.0.1` added beside the newer `14.4.0` (all 5); `mgard` (1 new build with \
`+timing`), now a root spec (`oneapi-x86_64`)
- also upgraded: `cabana` (2 new builds: 1 with `cuda_arch=80`, 1 with `cuda_arch=90`), in \
`cuda-aarch64`; `cabana` (1 new build with `cuda_arch=90`), in `cuda-x86_64`; `petsc` (1 new \
build with `kokkos` `4.0.00`), `slate` (1 new build with `~sycl`), `sundials` (1 new build with \
`+sycl`), in `oneapi-x86_64`
**Reconfigured**: `hypre` (new `~magma`), `lbann` `~al` (new `+shared`), `papi` (new `~debug`), \
`precice` (new `~checked` `~debug_log`), `raja` (new `+plugins`), in all 5; `faodel` `+hdf5` \
`network=libfabric`, `sz` `+fortran` `+hdf5` `+random_access` (1 of 2 builds), in `cuda-aarch64`, \
`oneapi-x86_64`; `py-warpx` (3 builds merged into 1), in `cuda-aarch64`
**With another version scheme**: `bricks` `r0.1` → `2023.08.25` (all 5)
**Toolchain**
- os `ubuntu20.04` → `ubuntu22.04` (`oneapi-x86_64`)
- `zlib` `1.2.13` replaced by `zlib-ng` `2.1.4` (all 5)
- `openmpi` `4.1.5` → `4.1.6` (all 5)
- `openblas` `0.3.23` → `0.3.24` (all 5)
- `cuda` `12.1.1` → `12.2.1`, still has `11.8.0` (`cuda-aarch64`, `cuda-x86_64`); `11.8.0` new \
(`rocm-x86_64`), because of `exago`; still `11.4.4` (`cuda-ppc64le`)
- `python` `3.11.6` new, `3.10.12` → `3.10.13` (all but `oneapi-x86_64`); `3.8.17` → `3.8.18` \
(all 5); `3.7.17` gone (`cuda-ppc64le`, `cuda-x86_64`, `rocm-x86_64`)
- same versions as before: `gcc` `11.4.0` (all but `cuda-ppc64le`), `9.4.0` (`cuda-ppc64le`), \
`intel-oneapi-compilers` `2023.2.1`, `mpich` `4.1.2`, `intel-oneapi-mkl` `2023.2.0`, `hip` \
`5.4.3`
""".splitlines()


def seen(text: str) -> str:
    """What is outside all folds, with the summaries of these."""
    lines, depth = [], 0
    for line in text.splitlines():
        if not depth or (depth == 1 and line.startswith("<details>")):
            lines.append(line)
        depth += line.count("<details>") - line.count("</details>")
    return "\n".join(line for line in lines if line != "</details>")


@pytest.mark.slow
def test_the_notes_of_a_release_are_short_and_begin_with_its_products() -> None:
    text = e4s_report("markdown")
    assert len(text) <= 41_100
    assert len(text.splitlines()) <= 455
    lines = [line for line in text.splitlines() if line]
    assert lines[0] == "# Changes from `23.08` to `23.11`"
    assert lines[1] == (
        "Products (root specs) in 5 environments: 122 before, 110 now; 13 are only dependencies "
        "now, 1 is new. `libcatalyst` and `libpressio` are gone from `oneapi-x86_64`. In "
        "`cuda-x86_64` no build with `cuda_arch=90` is left of `adios2`, `vtk-m`, `zfp`. Where "
        "`ecp-data-vis-sdk` is new (`cuda-aarch64`, `oneapi-x86_64`), 5 are downgraded in one or "
        "both: `py-cinemasci`, `vtk-m`, `zfp`, `adios2`, `ascent`."
    )
    assert lines[2:4] == [
        (
            "`exago` is new, 3 are now in more environments (`ecp-data-vis-sdk`, `cusz`, "
            "`py-torch`), 35 are upgraded (2 to another major version), 15 others changed less. 5 "
            "more only have another hash, 57 more have another os (`oneapi-x86_64`)."
        ),
        (
            "Toolchain: `gcc` and `intel-oneapi-compilers` as before, `cuda` `12.1.1` → `12.2.1` "
            "(`cuda-aarch64`, `cuda-x86_64`), `zlib` replaced by `zlib-ng`, os `ubuntu20.04` → "
            "`ubuntu22.04` (`oneapi-x86_64`)."
        ),
    ]
    why = lines.index("## Products (root specs)") - 3
    assert lines[why].startswith("<details><summary>Why 1,992 builds of 438 packages in all but ")
    assert lines[why + 1].startswith("`python` in other versions (1,003); `gmake` is a dependency ")
    del lines[why : why + 3]
    assert [
        re.sub(r"\[(`[^`]*`)\]\([^)]*\)", r"\1", line) for line in lines[4 : 4 + len(NEWS)]
    ] == NEWS
    assert lines[4 + len(NEWS)] == "## Products (root specs)"
    assert lines[6 + len(NEWS)] == (
        "· at most another hash, os, compiler or target; empty: not there; ″ the same as on the "
        "left; in brackets: only a dependency there; “and more”: `--detail` lists each spec"
    )
    assert len([line for line in seen(text).splitlines() if line]) <= 56
    assert "| `·` |" not in text
    # Nobody asks for adios2 in oneapi-x86_64, and of py-h5py one root is there as before.
    assert "| (`2.9.1` → `2.8.3`) |" in text
    assert "| 1 of 4 builds gone (`1.0.0`, with `cuda_arch=90`), now only a dependency |" in text
    differs = "new variants `+blosc2` `~kokkos` `~rocm`, variants `+blosc` `+ssc` gone"
    assert f"`2.9.1` reconfigured: {differs}, now only a dependency | (`2.9.1`" in text
    no_root = "now only a dependency, needed by `ecp-data-vis-sdk`"
    assert f"| {no_root} | (·) | (·) | {no_root} | (·) |" in text
    assert "| variants `network=nnti` `~hdf5` → `network=libfabric` `+hdf5`, now only a dep" in text
    assert "`py-h5py` `3.8.0` reconfigured" not in text
    row = next(line for line in text.splitlines() if line.startswith("| [`libcatalyst`]"))
    assert " | (`2.0.0-rc3` → `2.0.0-rc4`) | ″ | gone | " in row
    row = next(line for line in text.splitlines() if line.startswith("| [`hpctoolkit`"))
    assert row.split(" | ")[4] == "", "it is not there, on either side"
    # All that was there before was built with zlib and on that os: no build is told by these.
    assert "with `zlib" not in text
    assert "for `ubuntu" not in text
    assert text.count("| Product |") == 1
    assert re.findall(r"(?m)^\| \*\*(.*)\*\*", text) == [
        *("Gone from `oneapi-x86_64`", "New, or now in more environments"),
        "Downgraded in `cuda-aarch64` or `oneapi-x86_64`",
        *("Upgraded to another major version", "Upgraded", "With more versions or builds"),
        *("Reconfigured", "Now only dependencies (no other news)"),
        "With another version scheme",
    ]
    folds = re.findall(r"<details><summary>(.*)</summary>", text)
    oneapi = "<code>oneapi-x86&#95;64</code>"
    assert folds == [
        f"Why 1,992 builds of 438 packages in all but {oneapi} have another hash",
        "61 products, each with what happened to it by environment",
        f"57 products with another os ({oneapi}), 5 only have another hash",
        (
            "Dependencies beside the toolchain: 50 packages gone, 10 more from some "
            "environments, "
            "29 lost versions or builds, 11 new, 15 now in more environments, 3 downgraded, 82 "
            "upgraded (8 to another major version), 332 others"
        ),
        (
            "Each package, product or dependency, in each of its environments, by the worst that "
            "happened to it there"
        ),
    ]
    assert "\n| `cuda-aarch64` | 15 | 78 | 4 | 105 | 85 | 287 | 8 | 582 | 901 → 1,063 |\n" in text
    assert "; 46 other causes (308) (`--detail` lists them); " in text
    assert text.count("`--detail` lists them") == 2, "what is only counted says where it is"
    # In cuda-aarch64 ascent 0.9.2 is still there.
    because = "because of `ascent` `0.9.1` (new)"
    assert f"- `fides`\n  - `cuda-aarch64`: `1.2.0` new, {because}\n" in text
    assert text.index("## Products (root specs)") < text.index("<summary>Dependencies beside ")
    assert "\n| [`amrex`](" in text
    tree = Tree(text)
    assert tree.open_folds == 0
    links = [link for link in tree.links if link.startswith("https://packages.spack.io")]
    assert len(links) == len(set(links))  # each package is linked once


@pytest.mark.slow
def test_a_comment_on_a_release_is_a_page_to_look_at() -> None:
    text = e4s_report("comment")
    # What the fold below has line by line, each once.
    assert "\n<details><summary>123 products, each with what happened to it</summary>\n" in text
    in_sight = seen(text)
    assert "## Products" not in text  # the fold says what it has
    assert "\n**Upgraded**\n\n- all 5: `amrex` `23.08` → `23.11`, `axom` `0.7.0` → " in in_sight
    # Also where it is a dependency.
    assert "`magma` `2.7.1` → `2.7.2`, `paraview` `5.11.1` → `5.11.2` (dependency in" in in_sight
    assert "\n**With another version scheme**: `bricks` `r0.1` → `2023.08.25` (all 5)\n" in in_sight
    more = "- `trilinos` `13.0.1` added beside the newer `14.4.0` (all 5); `mgard` (1 new"
    assert f"\n**With more versions or builds**\n\n{more}" in in_sight
    assert len([line for line in in_sight.splitlines() if line]) <= 55
    assert (
        "- [`zfp`](https://packages.spack.io/package.html?name=zfp)\n"
        "  - `cuda-aarch64`: 3 of 4 builds `1.0.0` → `0.5.5` (those that use `cuda`), "
        "now only a dependency\n"
        "  - `cuda-x86_64`: 1 of 4 builds gone (`1.0.0`, with `cuda_arch=90`), "
        "now only a dependency\n"
        "  - `oneapi-x86_64`: now only a dependency, needed by `ecp-data-vis-sdk`\n"
    ) in text
    short = render_report(e4s_diff(), "comment", ReportOptions(max_length=5000))
    assert 4_000 <= len(short) <= 5_000
    shorter = render_report(e4s_diff(), "comment", ReportOptions(max_length=2500))
    assert len(shorter) <= 2_500
    assert "**Downgraded**: `py-cinemasci` `1.7.0` → `1.3` (`cuda-aarch64`, " in shorter


def test_a_comment_on_one_upgrade_has_no_fold() -> None:
    text = run_cli(*DERECHO, "-f", "comment", "--package-url", "").out
    assert "<details" not in text
    lines = [line for line in text.splitlines() if line]
    assert len(lines) <= 30
    both = "`openmpi` `5.0.0rc16` and `cce` `16.0.1`"
    lost = f"11 others lost builds that used it. 5 of them also lost builds with {both}"
    why = "as `openmpi`, now `5.0.0`, is no longer built with `cce` `16.0.1`"
    # Of compilers nothing is said where builds with one are lost.
    left = "`esmf` `8.5.0` has no build with `openmpi` any more (the new `8.6.0` has)"
    assert lines[2:4] == [
        f"Of 106 products before, `mvapich` is gone, {lost}, {why}. {left}.",
        "**Gone**: `mvapich` `3.0b`",
    ]
    builds = "**Builds**: 649 → 627, 578 as before, 40 with another hash, 31 gone, 9 new"
    assert f"{builds} (a build that changed its version counts as gone and as new)" in lines

    those = "3 with `openmpi` `5.0.0rc16`, 1 with `mvapich` `3.0b`"
    new = "6 builds: 3 with `cray-mpich` `8.1.27`, 3 with `openmpi` `5.0.0`"
    because = "because of `openmpi` `5.0.0rc16` → `5.0.0`"
    rebuilt = "**With another hash**: 40 builds of 14 packages, "
    assert any(line.startswith(f"{rebuilt}{because}: `darshan-runtime`, ") for line in lines)
    lost = "1 of 4 builds gone (no longer with `cce` `16.0.1`)"
    assert "**Gone**: `mvapich` `3.0b`" in lines
    one = "one each with `mvapich` `3.0b`"
    # Of parallelio there are other versions.
    every = (
        "`darshan-runtime`, `fftw`, `gptl`, `hdf5`, `netcdf`, `osu-micro-benchmarks`, "
        "`parallel-netcdf`, `parallelio` `2.6.2`, `parallelio1`, `superlu-dist`"
    )
    two = "`fftw`, `hdf5`, `netcdf`, `parallel-netcdf`, `parallelio1`"
    told = lines.index("**Lost builds**")
    assert lines[told + 1 : told + 5] == [
        f"- {one}: {every}",
        f"- one each with {both}: {two}",
        f"- `esmf`: 4 of 12 builds of `8.5.0` gone ({those}), `8.6.0` new ({new})",
        f"**Upgraded**: `openmpi` `5.0.0rc16` → `5.0.0`, {lost}",
    ]
    netcdf = "`netcdf-c`, `netcdf-cxx4`, `netcdf-fortran`"
    assert f"- {one}: {netcdf}, `parmetis`" in lines
    assert f"- one each with {both}: {netcdf}" in lines
    # Why hashes differ is no news: it is below, and above only where lines of these packages are.
    detailed = run_cli(*DERECHO, "--detail", "--package-url", "").out.split("\n\n")
    for some, parts in (
        (lines, ("**Gone**", "**Dependencies", rebuilt, "**Builds**")),
        (detailed, (rebuilt, "**Gone**", "**Builds**")),
    ):
        found = [next(n for n, it in enumerate(some) if it.startswith(part)) for part in parts]
        assert found == sorted(found)


def test_a_compiler_that_is_new_beside_another_is_told_though_some_builds_moved_to_it() -> None:
    one, other = (next((DATA / "locks" / "derecho").glob(f"{it}-*")) for it in ("063", "069"))
    new, gone = (
        " ".join(run_cli(*sides, "-f", "text").out.split("\n\n")[1:4]).replace("\n", " ")
        for sides in ((one, other), (other, one))
    )
    assert re.search(r"first builds with cce 16\.0\.1\.", new)
    assert ", 18 others lost builds with cce 16.0.1, or with intel-oneapi-mkl 2023.2" in gone
    assert gone.count("no build with cce is left") == 1


def test_no_pair_of_locks_of_a_site_has_a_sentence_that_ends_in_nothing() -> None:
    """Of more than are named the sentence says not of each what it has no build with any more."""
    locks = sorted((DATA / "locks" / "derecho").glob("*.lock"))
    for one, other in ((locks[1], locks[7]), (locks[0], locks[9]), (locks[9], locks[3])):
        above = run_cli(one, other, "--package-url", "").out.partition("\n**")[0]
        assert not re.search(r"[:,;] ?\.|\.\.|  ", above), above


def test_of_a_version_of_which_builds_went_and_came_both_numbers_are_told() -> None:
    locks = DATA / "locks" / "derecho"
    for sides, words in (
        (("063", "069"), "10 → 8 builds of `8.5.0`, no longer with `mvapich` `3.0b`"),
        (("067", "060"), "8 → 7 builds of `8.5.0`"),
    ):
        text = run_cli(*(next(locks.glob(f"{it}-*.lock")) for it in sides)).out
        assert words in text
        if sides[0] == "063":
            assert "`mvapich` is gone, 11 others lost builds that used it" in text


def test_an_environment_that_moved_to_another_target_is_not_a_loss_alone() -> None:
    sides = (next((DATA / "locks" / "v2").glob(f"{it}-*")) for it in ("005", "006"))
    _, sentence, lines, *_ = run_cli(*sides, "-f", "text").out.split("\n\n")
    assert sentence.endswith(" lost builds for skylake and have new ones for aarch64.")
    each = "the build for skylake gone, 1 new each (for aarch64)"
    assert lines == f"Lost builds: {each}: py-numpy, py-pip, python, tcl"


def test_site_data_that_says_why_is_not_said_to_hide_it() -> None:
    """It is the project's own."""
    sides = [SNAPSHOTS / "site" / day for day in ("2025-06-29", "2025-07-06")]
    out = run_cli(*sides, "-f", "text").out
    assert "6 more were only rebuilt." in out
    assert "\nRebuilt: 6 builds, because of hwloc 2.11.1 → 2.12.0\n" in out


def test_the_first_sentence_is_the_same_stack_by_stack() -> None:
    for diff in (e4s_diff(), derecho_diff(), snapshots_diff()):
        one, by_stack = (
            render_report(diff, "text", ReportOptions(group_by=by)).split("\n\n")[1]
            for by in get_args(GroupBy)
        )
        assert one.split() == by_stack.split()


def test_compilers_are_not_as_before_where_packages_lost_their_builds_with_one() -> None:
    locks = (next((DATA / "locks" / "derecho").glob(f"{it}-*.lock")) for it in ("062", "063"))
    out = run_cli(*locks, "-f", "text").out
    _, losses, news, *_ = (it.replace("\n", " ") for it in out.split("\n\n"))
    assert "Products (root specs)" not in out, "of one environment no heading is needed"
    assert losses == (
        "Of 103 products before, intel-oneapi-mkl is gone, 3 others lost builds that used it: "
        "esmf and superlu-dist have none with intel-oneapi-mpi any more, superlu and "
        "superlu-dist none with intel-oneapi-compilers."
    )
    assert news == (
        "openmpi is new, cray-libsci and cray-mpich have more versions, 11 others have more builds "
        "(with cray-mpich 8.1.27, 9 of them also with openmpi 5.0.0rc16)."
    )
    assert "No build left" not in out, "the sentence says it"
    lost = "3 of 8 builds gone (with intel-oneapi-mkl 2023.2.0; none left with intel-oneapi-mpi)"
    new = "5 new (3 with openmpi 5.0.0rc16, 2 with cray-mpich 8.1.27)"
    assert f"esmf 8.5.0: {lost}, {new} " in " ".join(out.split())
    assert "With another hash" not in out, "none of the three became one of the five"


def test_a_comment_on_two_weeks_says_what_changed_in_each_package() -> None:
    weeks = (DATA / "weeks" / "_cache" / name for name in WEEKS)
    text = run_cli(*weeks, "-f", "comment", "--package-url", "").out
    lines = [line for line in text.splitlines() if line]
    assert lines[2] == (
        "Of 13 packages compared, `gcc` is gone from 2 stacks, `compiler-wrapper` is new, 2 are "
        "reconfigured (no compiler named any more; in Spack 1 compilers are dependencies). 9 more "
        "were only rebuilt (why is not known)."
    )
    tools = "`developer-tools-aarch64-linux-gnu`, `developer-tools-x86_64_v3-linux-gnu`"
    assert (
        f"**Gone from some stacks**: `gcc` `14.2.0` from {tools}; `tutorial` still has `12.4.0`"
        in lines
    )
    assert "**New**: `compiler-wrapper` `1.0` in all 25 stacks" in lines
    alike = "`alpgen` `2.1.4`, `ampt` `2.26-t9b_atlas`"
    assert f"**Reconfigured**: {alike}: compiler `gcc@=11.4.0` → no compiler named (`hep`)" in lines
    assert (
        "**9 more only rebuilt (same version, compiler, os, target and variants)**: "
        "`comgr` (`e4s`, `hep`, `ml-linux-x86_64-rocm`); `charliecloud`, `gptune` (`e4s`, "
        "`e4s-oneapi`); `hipblas`, `rocblas` (`e4s`, `ml-linux-x86_64-rocm`); `acts` (`hep`); "
        "`composable-kernel`, `rccl` (`ml-linux-x86_64-rocm`); `cusz` (`e4s`)"
    ) in lines
    assert "**Also rebuilt**: `gcc` (`tutorial`)" in lines
    what, _, names = lines[-2].rpartition(": ")
    assert what == (
        "**18 stacks that had none of these packages before, now with `compiler-wrapper` alone**"
    )
    assert names.count("`, `") == 17  # whoever reads a comment cannot ask for more of them


@pytest.mark.parametrize("width", [80, 120])
def test_on_a_terminal_signs_stand_before_specs_alone_and_are_explained_once(width: int) -> None:
    text, every = (
        render_report(derecho_diff(), "text", ReportOptions(width=width, detail=it))
        for it in (False, True)
    )
    for it in (text, every):
        assert max(map(len, it.splitlines())) <= width
    above, _, specs = every.partition("\nevery spec: ")
    assert re.findall("(?m)^ *([−+↑↓≠=]) ", text + above) == []
    assert set(re.findall("(?m)^  ([−+↑↓≠=]) ", specs)) == set("−+↑=")
    legend = "− gone, + new, ↑ upgraded, = with another hash"
    assert " ".join(every.split()).endswith(legend)
    assert every.count("↑ upgraded") == 1


def test_no_word_is_left_that_nobody_would_say() -> None:
    for name in ("markdown", "text", "comment"):
        for text in (e4s_report(name), render_report(derecho_diff(), name)):
            for words in NEVER_SAID:
                assert words not in text


def test_a_site_that_got_more_reads_which_mpi_it_lost_and_what_is_new() -> None:
    old, new = (next((DATA / "locks" / "derecho").glob(f"{it}-*.lock")) for it in ("060", "069"))
    lines = run_cli(old, new, "--package-url", "").out.splitlines()
    assert lines[2] == (
        "Of 106 products (root specs), `esmf` and `superlu-dist` lost builds with "
        "`intel-oneapi-mpi` `2021.10.0` (none left), 5 are new, `cray-libsci` and `cray-mpich` "
        "have more versions, 19 others have more builds. `esmf` also has `8.6.0` now. "
        "`intel-oneapi-mkl` has another hash and no other change."
    )
    assert "- one each with `cray-mpich` `8.1.27`: `cp2k`, `mpifileutils`" in lines
    # Each of these has four with it, of which one is with cce.
    same = "`fftw`, `hdf5`, `netcdf`, `parallel-netcdf`, `parallelio1`"
    assert f"- 4 each with `cray-mpich` `8.1.27`: {same}" in lines
    # The one with intel-oneapi-mpi is paired with the newer one of that with cray-mpich.
    why = "7 builds of 6 packages, because of `cray-mpich` `8.1.25` → `8.1.27` (`esmf`, "
    assert any(it.startswith(f"**With another hash**: {why}") for it in lines)
    assert (
        "- `esmf` `8.6.0` added beside `8.5.0`, 1 of 7 builds gone (no longer with "
        "`intel-oneapi-mpi` `2021.10.0`), 11 new (9 of `8.6.0`, 2 of `8.5.0`; 5 with "
        "`cray-mpich` `8.1.27`, 3 with `openmpi` `5.0.0`, 3 with `~mpi`)"
    ) in lines


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("hdf5cxx", "hdf5 1.14.3 is reconfigured: variant ~cxx → +cxx."),
        ("rootdown", "hdf5 1.14.3 → 1.12.3, downgraded."),
    ],
)
def test_what_follows_from_one_change_is_in_its_sentence(name: str, sentence: str) -> None:
    folder = DATA / "real-spack" / "0.23"
    text = run_cli("-C", folder, "base", name, "-f", "text").out
    follower = "netcdf-c has another hash, because of it."
    assert text == f"Changes from base to {name}\n\n{sentence} {follower}\n"
    # Of many, and of what has other causes as well, there are lines.
    assert "because of it" not in run_cli("-C", folder, "base", "zlibver", "-f", "text").out
    assert "because of it" not in run_cli("-C", folder, "base", "splice", "-f", "text").out


@pytest.mark.parametrize("options", [[], ["--stat"], ["--group-by", "stack"]])
def test_the_first_sentence_says_to_which_compiler_all_builds_moved(options: list[str]) -> None:
    folder = DATA / "real-spack" / "0.23"
    text = run_cli("-C", folder, "base", "clang", "-f", "text", *options).out
    assert text.split("\n\n")[1].replace("\n", " ") == (
        "gromacs is reconfigured; compiler gcc@12.2.0 → clang@14.0.6. 3 more have another compiler."
    )
    folder = DATA / "real-spack" / "1.2"
    text = run_cli("-C", folder, "base", "gcc11", "-f", "text").out
    assert text.split("\n\n")[1] == (
        "4 products have another compiler; compiler gcc@12.2.0 → gcc@11.3.0 (60 of 75 builds)."
    )


@pytest.mark.slow
def test_a_short_comment_on_a_release_keeps_what_was_lost_and_the_toolchain() -> None:
    text = render_report(e4s_diff(), "comment", ReportOptions(max_length=5700))
    assert 5_000 < len(text) <= 5_700
    left_out = "details of dependencies and hashes, new builds of upgraded products"
    assert f"\nOnly in the whole report: {left_out}, and more.\n" in text
    assert "still `11.4.4`" not in text, "a tool that is as before"
    assert " no build with `cuda_arch=90` is left of `adios2`, `vtk-m`, `zfp`." in text
    assert "\n- `openblas` `0.3.23` → `0.3.24` (all 5)\n" in text
    assert "\n- `cuda-aarch64`: `flecsi` `2.2.1`\n" in text
    assert "\n- all 5: `amrex` `23.11`, `axom` " in text, "each upgrade is named"
    assert "\n\n</details>" not in text.replace("more packages\n\n</details>", ""), "none is empty"
    for most in range(6000, 30_000, 8000):
        text = render_report(e4s_diff(), "comment", ReportOptions(max_length=most))
        says_each = "products, each with what happened to it</summary>" in text
        assert not (says_each and re.search("and [0-9]+ more packages\n", text))


def test_a_comment_of_5000_characters_names_each_upgrade_and_what_is_reconfigured() -> None:
    text = render_report(e4s_diff(), "comment", ReportOptions(max_length=5000))
    assert len(text) <= 5000
    assert "\n- all 5: `amrex` `23.11`, `axom` `0.8.1`, " in text
    assert "\n- named above: `libcatalyst` `2.0.0-rc4` (dependency), in all but `oneapi" in text
    assert "\n**Reconfigured**: `hypre` (new `~magma`), `lbann` `~al` (new `+shared`), " in text
    assert ", in all 5; `faodel` `+hdf5` `network=libfabric`, `sz` " in text
    assert "\n**Toolchain**" not in text, "what it begins with has its news"
    assert "another os" not in text.partition(" more have another os (")[2], "it is said once"


def test_of_some_kinds_alone_a_new_root_is_not_called_new_and_nothing_is_told_twice() -> None:
    folder = DATA / "locks" / "e4s" / "environments"
    fell = run_cli(folder / "23.08", folder / "23.11", "-k", "downgraded").out
    place = "`cuda-aarch64`, `oneapi-x86_64`"
    assert f"\n**`ecp-data-vis-sdk` is now a root spec in {place}**: older versions" in fell
    assert "**: older versions for it: `py-cinemasci` `1.3` (both); " in fell
    back = run_cli(folder / "23.11", folder / "23.08").out
    assert back.count("`hdf5` `1.12.2` (highest now `1.14.2`)") == 1
    assert "`trilinos` `13.0.1` (highest now `14.4.0`), in all 5" in back
    assert "`vtk-m` `~shared` (`cuda-aarch64`, `oneapi-x86_64`)" in back, "all builds were on"
    # Of the products that lost something some were dependencies alone before.
    back = run_cli(folder / "23.11", folder / "23.08", "-s", "cuda-aarch64").out
    assert "\nOf 121 products, 3 are gone (" in back
    lost = run_cli(folder / "23.11", folder / "23.08", "-k", "removed").out
    assert "no build with `openblas` left: `conduit` (" in lost, "it is a root on both sides"
    lost = run_cli(folder / "23.08", folder / "23.11", "-k", "removed").out
    assert lost.count("\n**Reconfigured**: `py-warpx`") == 1


def test_on_a_terminal_products_stand_above_why_hashes_differ() -> None:
    lines = e4s_report("text").splitlines()
    [why] = [at for at, line in enumerate(lines) if line.startswith("With another hash: 1,992 ")]
    below = lines.index("Dependencies beside the toolchain")
    assert lines.index("Products (root specs)") < why < below
    lost = "  29 lost versions or builds: py-gevent, hypre, py-pillow, "
    [at] = [at for at, line in enumerate(lines) if line.startswith(lost)]
    assert at > below
    assert lines[lines.index("  3 downgraded:") + 1] == "    - py-typeguard 3.0.2 → 2.13.3 (all 5)"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["markdown", "text", "comment"])
def test_all_details_of_a_release_are_reported(name: str) -> None:
    text = render_report(e4s_diff(), name, ReportOptions(detail=True, max_length=10_000_000))
    stacks = (stack for tag in e4s_diff().tags for stack in tag.stacks)
    specs = (spec for stack in stacks for change in stack.changes for spec in change.specs)
    hashes = {spec.hash[:7] for spec in specs}
    assert len(hashes) > 5_000
    assert [it for it in hashes if it not in text] == []


def test_the_first_sentence_says_once_what_was_replaced() -> None:
    folder = DATA / "real-spack" / "0.23"
    out = run_cli("-C", folder, "base", "mpich", "-f", "text").out
    why = "because of openmpi replaced by mpich"
    assert out.split("\n\n")[1] == f"3 products only have another hash, {why}; gcc as before."
    assert "\n  openmpi 5.0.5 replaced by mpich 4.2.3\n" in out
    assert "mpich 4.2.3 new" not in out
    out = run_cli("-C", folder, "base", "splice", "-f", "text").out
    said = "3 products only have another hash; gcc as before, openmpi replaced by mpich."
    assert out.split("\n\n")[1] == said


def test_the_sentence_names_all_that_have_no_build_left_though_one_alone_lost_builds() -> None:
    folder = DATA / "locks" / "e4s" / "environments"
    out = run_cli(folder / "23.08", folder / "23.11", "-s", "cuda*").out
    assert "`adios2` lost a build with `cuda_arch=90`. In `cuda-x86_64` no build " in out
    ledger = "122 before, 110 now; 13 are only dependencies now, 1 is new"
    assert f"\nProducts (root specs) in these environments: {ledger}. `adios2` lost a " in out
    stat = run_cli(folder / "23.08", folder / "23.11", "-s", "cuda*", "--stat").out
    for text in (out, stat):
        assert " no build with `cuda_arch=90` is left of `adios2`, `vtk-m`, `zfp`." in text
    assert "\n- no build with `cuda_arch=90` left: `adios2`, `vtk-m`, `zfp` (`cuda-x86_64`)" in out


def test_an_equal_build_that_is_lost_as_well_is_not_still_there() -> None:
    old, new = (next((DATA / "locks" / "v2").glob(f"{it}-*")) for it in ("002", "005"))
    lines = run_cli(old, new, "--package-url", "").out.splitlines()
    assert "- `python` `3.8.7`: 1 of 1 build gone, 1 new (for `skylake`)" in lines
