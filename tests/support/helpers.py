"""Catalogs from short descriptions, as pages and folders; reports as rows; the command in-process.

A catalog is described by records, as the oracle takes them: what a page says of a spec, plus `tag`
and `package`. Pages, folders and expectations are all made from the same records.
"""

import contextlib
import gc
import io
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from snapdiff import Filters, diff_catalogs, load_catalog, render_report
from snapdiff.cli import commands as cli
from tests.support import oracle
from tests.support.oracle import Record

PROJECT = Path(__file__).resolve().parents[2]

Report = dict[str, Any]
"""A JSON report, parsed."""

Files = Mapping[str, str | bytes]
"""The content of files by path, `/` between its parts."""

# --- Records ---


def hash_of(name: str) -> str:
    """A valid hash that begins with `name`, so that hashes order as their names do."""
    assert re.fullmatch("[a-z2-7]{1,32}", name), name
    return name.ljust(32, "a")


def spec(
    name: str,
    version: str = "1.0",
    *,
    package: str = "zlib",
    tag: str = "develop",
    compiler: str = "gcc@12.3.0",
    os: str = "ubuntu22.04",
    platform: str = "linux",
    target: str = "x86_64_v3",
    variants: str = "",
    stacks: str = "e4s root",
) -> Record:
    """A record whose hash begins with `name`; variants and stacks are words."""
    return {
        "tag": tag,
        "package": package,
        "hash": hash_of(name),
        "versions": [version],
        "compiler": compiler,
        "os": os,
        "platform": platform,
        "target": target,
        "variants": variants.split(),
        "stacks": stacks.split(),
    }


# --- Pages ---

PageStyle = Callable[[Sequence[Record]], str]
"""Turns the records of one package into the text of its page."""


def entries_of(records: Sequence[Record]) -> list[Record]:
    """The records as `spec_details` has them."""
    return [
        {key: value for key, value in item.items() if key not in ("tag", "package")} | {"size": "-"}
        for item in records
    ]


def meta_of(records: Sequence[Record]) -> dict[str, Any]:
    """What the catalog's generator derives from the records of a page."""
    by_stack = Counter(stack for item in records for stack in item["stacks"])
    return {
        "compilers": sorted({item["compiler"] for item in records}),
        "num_specs": len(records),
        "num_specs_by_stack": dict(by_stack),
        "stacks": sorted(by_stack),
        "versions": sorted({item["versions"][0] for item in records}),
    }


def usual_page(records: Sequence[Record]) -> str:
    """The page as the catalog's generator writes it, without a line break at its end."""
    return page_around(
        json.dumps(entries_of(records), sort_keys=True),
        title=records[0]["package"],
        tag=records[0]["tag"],
        meta=json.dumps(meta_of(records), sort_keys=True),
    )


def page_around(
    details: str, *, title: str = "zlib", tag: str = "develop", meta: str = "{}"
) -> str:
    """The page in the usual form around any text as its `spec_details`."""
    return (
        f'---\ntitle: "{title}"\nlayout: cache\ncategories: [package, {tag}]\n'
        f"meta: {meta}\nspec_details: {details}\n---"
    )


def compact_page(records: Sequence[Record]) -> str:
    """The page with its JSON free of blanks, and its keys in the order of the records."""
    details = json.dumps(entries_of(records), separators=(",", ":"))
    return page_around(details, title=records[0]["package"], tag=records[0]["tag"])


def yaml_page(records: Sequence[Record]) -> str:
    """The page in YAML's block style."""
    fields = {
        "title": records[0]["package"],
        "layout": "cache",
        "categories": ["package", records[0]["tag"]],
        "meta": meta_of(records),
        "spec_details": entries_of(records),
    }
    return f"---\n{yaml.safe_dump(fields, default_flow_style=False, sort_keys=False)}---\n"


def shuffled_page(chance: random.Random) -> PageStyle:
    """A style that changes the order of all that has none, and leaves what pages say."""

    def style(records: Sequence[Record]) -> str:
        entries = [shuffled_entry(item, chance) for item in entries_of(records)]
        chance.shuffle(entries)
        fields = [
            f'title: "{records[0]["package"]}"',
            "layout: cache",
            f"categories: [package, {records[0]['tag']}]",
            f"meta: {json.dumps(meta_of(records))}",
            f"spec_details: {json.dumps(entries)}",
        ]
        chance.shuffle(fields)
        return "\n".join(["---", *fields, "---", ""])

    return style


def shuffled_entry(entry: Record, chance: random.Random) -> Record:
    """The same entry with its keys, variants and stacks in another order."""
    keys = list(entry)
    chance.shuffle(keys)
    other = {key: entry[key] for key in keys}
    for key in ("variants", "stacks"):
        other[key] = chance.sample(entry[key], len(entry[key]))
    return other


# --- Catalogs ---


def pages_of(records: Iterable[Record], style: PageStyle = usual_page) -> dict[str, str]:
    """The pages of a catalog by path: `_cache/<tag>/<package>/specs.md`."""
    by_page: dict[str, list[Record]] = {}
    for item in records:
        path = f"_cache/{item['tag']}/{item['package']}/specs.md"
        by_page.setdefault(path, []).append(item)
    return {path: style(items) for path, items in by_page.items()}


def write_files(folder: Path, files: Files) -> Path:
    """Write files below a folder, which is made if need be; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return folder


@contextlib.contextmanager
def catalog_folders(old: Files, new: Files) -> Iterator[tuple[Path, Path]]:
    """Two folders that hold some files for as long as the block runs."""
    with tempfile.TemporaryDirectory() as name:
        yield write_files(Path(name, "old"), old), write_files(Path(name, "new"), new)


def json_of(old: Files, new: Files, **filters: Any) -> str:
    """The JSON report of two catalogs, either of which may be empty."""
    with catalog_folders(old, new) as (before, after):
        found = diff_catalogs(
            load_catalog("old", repository=before.parent),
            load_catalog("new", repository=after.parent),
            filters=Filters(**filters),
            allow_empty=True,
        )
        return render_report(found, "json")


def report_of(old: Iterable[Record], new: Iterable[Record], **filters: Any) -> Report:
    """The JSON report, parsed, of two catalogs in the usual form."""
    report: Report = json.loads(json_of(pages_of(old), pages_of(new), **filters))
    return report


# --- Reports ---


def row_of(change: Mapping[str, Any]) -> oracle.Change:
    """A change of a report as the oracle tells it."""
    old, new = change["old"] or {}, change["new"] or {}
    return (
        change["package"],
        change["kind"],
        old.get("hash"),
        new.get("hash"),
        old.get("version"),
        new.get("version"),
    )


def without_revisions(report: Report) -> Report:
    """A report but for where its two sides are."""
    return {key: value for key, value in report.items() if key not in ("old", "new")}


def readings_of(report: Report) -> dict[tuple[str, str], oracle.StackReading]:
    """The compared tags of a report as the oracle tells them, by tag label and stack."""
    readings: dict[tuple[str, str], oracle.StackReading] = {}
    for tag in report["tags"]:
        if tag["status"] != "changed":
            continue
        label = tag["old"] if tag["old"] == tag["new"] else f"{tag['old']}..{tag['new']}"
        for stack in tag["stacks"]:
            changes = [row_of(change) for change in stack["changes"]]
            changes.sort(key=lambda change: [part or "" for part in change])
            readings[label, stack["stack"]] = oracle.StackReading(
                stack["summary"], changes, stack["specs"]["old"], stack["specs"]["new"]
            )
    return readings


def expected_readings(
    old: Iterable[Record], new: Iterable[Record]
) -> dict[tuple[str, str], oracle.StackReading]:
    """What the oracle finds, less the tags in which nothing changed: reports leave them out."""
    readings = oracle.read_catalogs(list(old), list(new))
    told = {label for (label, _), reading in readings.items() if reading.changes}
    return {key: reading for key, reading in readings.items() if key[0] in told}


def counts_by_stack(report: Report) -> dict[str, dict[str, int]]:
    """Of every stack of a report with one tag: specs old and new, and the kinds that are there."""
    [tag] = report["tags"]
    return {
        stack["stack"]: {
            "specs old": stack["specs"]["old"],
            "specs new": stack["specs"]["new"],
            **{kind: number for kind, number in stack["summary"].items() if number},
        }
        for stack in tag["stacks"]
    }


# --- The command ---


def words(value: object) -> str | None:
    """A readable id for a list of arguments in a table of tests."""
    return " ".join(value).replace("\0", "NUL") or "nothing" if isinstance(value, list) else None


class Result(NamedTuple):
    """What a run of the command left behind."""

    status: int
    out: str
    err: str


def run_cli(*arguments: str | Path) -> Result:
    """Run the command in this process."""
    out, err = io.BytesIO(), io.BytesIO()
    with (
        io.TextIOWrapper(out, "utf-8", newline="", write_through=True) as out_text,
        io.TextIOWrapper(err, "utf-8", newline="", write_through=True) as err_text,
    ):
        try:
            with contextlib.redirect_stdout(out_text), contextlib.redirect_stderr(err_text):
                status = cli.main([str(argument) for argument in arguments])
        finally:
            gc.enable()  # the command turns it off, as its process ends soon
        return Result(status, out.getvalue().decode("utf-8"), err.getvalue().decode("utf-8"))


def refused(*arguments: str | Path) -> str:
    """What a run says that ends with one line of an error, less the words before it."""
    status, out, err = run_cli(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1), (status, out, err)
    assert err.startswith("snapdiff: error: "), err
    assert err.rstrip("\n").isprintable(), err
    assert "internal fault" not in err, err
    return err.removeprefix("snapdiff: error: ")


def run_json(*arguments: str | Path) -> Report:
    """The JSON report of a run that has nothing else to say."""
    words = list(arguments)
    words.insert(words.index("--") if "--" in words else len(words), "--format=json")
    result = run_cli(*words)
    assert (result.status, result.err) == (0, ""), result
    report: Report = json.loads(result.out)
    return report
