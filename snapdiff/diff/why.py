"""What changed below the specs of one package, beside the diff of everything (section 11)."""

from collections.abc import Iterable, Mapping

from msgspec.structs import astuple

from snapdiff.diff.causes import event_words
from snapdiff.diff.changed_pairs import ChangedPair, ChangedPairs, compare_nodes
from snapdiff.diff.dependencies import Graphs, is_build_only
from snapdiff.diff.tags import TagDiffs
from snapdiff.errors import BadPage, FormatError
from snapdiff.model.packages import Tags
from snapdiff.model.specs import edges_of
from snapdiff.result.causes import WHATS
from snapdiff.result.changes import Change
from snapdiff.result.packages import Kind
from snapdiff.result.questions import ChangeBelow, EventBelow, ExplainedSpec, Neighbour


def explain_change(
    packages: TagDiffs, tags: Tags, stack: str, change: Change, kinds: Mapping[str, Kind]
) -> ExplainedSpec:
    """Return a change of the package that is kept, with what changed below it as far as is known.

    Of an added or removed spec it is what it depends on, and what needs it; `kinds` says what
    happened to the changed specs of the stack, by hash. Raises BadPage where the document cannot be
    followed from dependency to dependency.
    """
    for pair in packages.kept.get(tags, ()):
        if not pair.graphs or not all(
            spec is None or (spec.hash in side and stack in side[spec.hash].stacks)
            for spec, side in ((change.old, pair.old), (change.new, pair.new))
        ):
            continue
        try:
            if not change.old or not change.new:
                return explain_one_sided(change, pair.graphs, kinds)
            changes = packages.graphs.changes(pair.graphs)
            below = changes_below(change.old.hash, change.new.hash, changes)
            return ExplainedSpec(change=change, below=below)
        except FormatError as error:
            raise BadPage(pair.document, "new" if change.new else "old", str(error)) from error
    return ExplainedSpec(change=change, below=())


def explain_one_sided(change: Change, graphs: Graphs, kinds: Mapping[str, Kind]) -> ExplainedSpec:
    """Return a spec of one side with what it depends on, and what needs it, by name and version.

    All nodes of the graph are looked at: an edge says only where it leads.
    """
    graph, other = graphs if change.old else reversed(graphs)
    [spec_hash] = (spec.hash for spec in change.specs)
    below = {(edge.hash, is_build_only(edge)) for edge in edges_of(graph, spec_hash)}
    above = {
        (key, is_build_only(edge))
        for key in graph.hashes
        for edge in edges_of(graph, key)
        if edge.hash == spec_hash
    }

    def in_order(found: Iterable[tuple[str, bool]]) -> tuple[Neighbour, ...]:
        neighbours = {
            (node.name, node.build.version, node_hash): Neighbour(
                package=node.name,
                version=node.build.version_text,
                build_only=build_only,
                stays=node_hash in other.hashes and node_hash not in kinds,
                kind=kinds.get(node_hash),
            )
            for node_hash, build_only in sorted(found, reverse=True)  # linked ones replace others
            if (node := graph.node(node_hash))
        }
        return tuple(neighbours[key] for key in sorted(neighbours))

    return ExplainedSpec(
        change=change, below=(), depends_on=in_order(below), needed_by=in_order(above)
    )


def changes_below(old: str, new: str, changes: ChangedPairs) -> tuple[ChangeBelow, ...]:
    """Return the pair of two hashes and all below it that changed, as the rows of a tree.

    Every pair of nodes is there once, on the shortest way that leads to it (linked and run
    dependencies before others, then by name), so all roots are there, near and far. Pairs are left
    out that differ in nothing but hashes and lead to nothing else. Raises FormatError where there
    are too many pairs.
    """
    [root] = changes.add([(old, new)])
    parents = _shortest_ways(root)
    kept = {root}
    for pair in reversed(parents):  # the farthest first, so that what is below is settled
        if pair.events or pair in kept:
            kept.update((pair, parents[pair]))
    children: dict[ChangedPair, list[ChangedPair]] = {pair: [] for pair in kept}
    for pair, parent in parents.items():
        if pair in kept and pair != root:
            children[parent].append(pair)
    rows: list[ChangeBelow] = []
    open_pairs = [(root, 0)]
    while open_pairs:
        pair, depth = open_pairs.pop()
        whole = ChangedPair(pair.hashes, pair.name)
        compare_nodes(whole, changes.graphs, all_of=True)
        events = [EventBelow(*astuple(it), build_only=alone) for it, alone in whole.events.items()]
        events.sort(key=lambda event: (WHATS.index(event.what), event_words(event)))
        before, after = pair.hashes
        rows.append(
            ChangeBelow(
                depth=depth,
                package=pair.name,
                old=before,
                new=after,
                build_only=pair != root and pair not in parents[pair].linked_below,
                events=tuple(events),
            )
        )
        open_pairs += [(child, depth + 1) for child in reversed(children[pair])]
    return tuple(rows)


def _shortest_ways(root: ChangedPair) -> dict[ChangedPair, ChangedPair]:
    """Return the pair above each pair, nearest first; the root is above itself."""
    parents = {root: root}
    level = [(root, True)]  # each with whether it is linked or run by the pair above it
    while level:
        steps = [(pair, it, True) for pair, used in level if used for it in pair.linked_below]
        steps += [(pair, it, False) for pair, _ in level for it in pair.below]
        level = []
        for parent, pair, used in steps:
            if pair not in parents:
                parents[pair] = parent
                level.append((pair, used))
    return parents
