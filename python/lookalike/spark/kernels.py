"""The functions that Spark's tasks call, each from Arrow batches to Arrow batches.

The collection is divided into closed parts: a part contains all candidates of each of its documents, so the decisions about it
do not depend on the rest (`lookalike_engine::parts` in the Rust sources explains why). `sketched`, `linked` and `joined` find the
parts. `placed` and `parted` bring the documents of a part together, and `decided` decides each part like a run on one machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from lookalike import _lookalike
from lookalike.errors import InputError, RecordError
from lookalike.kinds import Wanted, kind_of
from lookalike.running import dedup, pairs
from lookalike.spark.packing import by_kind, columns, numbers, pack, packed, pieces, split, unpack, unpacked

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    _Batches = Iterator[pa.RecordBatch]

ROWS, LINKS, DOCUMENTS, ALONE, SEEN = range(5)
"""What packed rows are: rows of keys, joined nodes, documents, the ids of documents without candidates, and what was sketched."""

DOCUMENT, REFERENCE = "d ", "r "
"""The first characters of a key; the rest is the id."""

_LINKS = 4096
"""The nodes in a packed row of links. Spark puts 10,000 rows in a batch, which must stay below 2 GB."""

DECISIONS: dict[str, str | None] = {
    "verdict": "string",
    "reason": "string",
    "representative": None,
    "resemblance": "double",
    "containment": "double",
    "containment_of_representative": "double",
    "cluster_size": "int64",
    "estimated": "bool",
    "reference": "bool",
}
"""The columns of the decisions after the id, and their types; None is the type of the ids."""

PAIRS: dict[str, str | None] = {
    "a": None,
    "b": None,
    "resemblance": "double",
    "containment_ab": "double",
    "containment_ba": "double",
    "intersection": "int64",
    "size_a": "int64",
    "size_b": "int64",
}
"""The columns of pairs, and their types."""


class Job(NamedTuple):
    """What all tasks of a run know."""

    options: dict[str, Any]
    """The keywords of `dedup`."""
    orders: int
    """The number of columns that define input order."""
    shards: int
    """The number of shards into which keys, nodes and parts are divided."""
    sets: bool
    """Whether documents are sets."""
    against: bool
    """Whether there are references."""

    @property
    def reference_side(self) -> str:
        """Which document of a pair is the reference."""
        return "b" if "nearest" in self.options else "a"

    def read(self, table: pa.Table) -> list[str]:
        """Name the columns that the engine reads."""
        return [name for name in ("text", "keep") if name in table.column_names]

    def of_keys(self) -> dict[str, Any]:
        """Return the keywords for the sketches, which do not depend on what is kept."""
        left_out = {"keep", "nearest", "against_only", "drop_holders", "memory", "temp_dir"}
        options = {name: value for name, value in self.options.items() if name not in left_out}
        return {**options, "text": "text", "id": "key", "threads": 1}

    def texts(self, table: pa.Table) -> tuple[str, _lookalike.Texts]:
        """Pass the texts and ids of a table to the engine."""
        refuse_nulls(table, "key", "text")
        return "DataFrame", kind_of(table).texts(Wanted("DataFrame", "text", ["key"], None, sets=self.sets))


def sketched(job: Job, batches: _Batches) -> _Batches:
    """Sketch documents (columns key, text), and return the rows of their keys, and checksums of the documents."""

    def rows() -> Iterator[tuple[int, int, bytes]]:
        options = job.of_keys()
        for table in pieces(batches):
            found = _lookalike.part_keys(job.texts(table), options, job.shards)
            yield from ((shard, ROWS, data) for shard, data in enumerate(found) if data)
            nodes = _lookalike.part_nodes(table.select(["key"]))
            sums = checksums(table, nodes, job.shards)
            yield from ((shard, SEEN, sums[shard].tobytes()) for shard in range(job.shards) if sums[shard].any())

    return packed(rows())


def checksums(table: pa.Table, nodes: NDArray[np.uint64], shards: int) -> NDArray[np.uint64]:
    """Return the number of documents of each shard, and a sum that changes if their ids or the lengths of their texts change."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    text = table.column("text")
    lengths = (
        pc.list_value_length(text) if pa.types.is_list(text.type) or pa.types.is_large_list(text.type) else pc.binary_length(text)
    )
    # An odd multiplier, so that no bit is lost; the sum is modulo 2^64.
    mixed = (
        (nodes + np.uint64(1))
        * np.uint64(0x9E37_79B9_7F4A_7C15)
        * (lengths.to_numpy().astype(np.uint64) * np.uint64(2) + np.uint64(1))
    )
    sums = np.zeros((shards, 2), np.uint64)
    own = nodes % np.uint64(shards)
    np.add.at(sums[:, 0], own, np.uint64(1))
    np.add.at(sums[:, 1], own, mixed)
    return sums


def linked(batches: _Batches) -> _Batches:
    """Join the documents that have a key in common, given all rows of some shards."""
    rows: list[bytes] = []
    seen: list[tuple[int, int, bytes]] = []
    for shard, kind, data in unpacked(batches):
        if kind == ROWS:
            rows.append(bytes(data))
        else:
            seen.append((shard, kind, bytes(data)))
    nodes, parts = _lookalike.part_links(rows)
    return packed(chain(seen, links_of(0, nodes, parts)))


def links_of(shard: int, nodes: NDArray[np.uint64], parts: NDArray[np.uint64]) -> Iterator[tuple[int, int, bytes]]:
    """Return packed rows of joined nodes."""
    for start in range(0, len(nodes), _LINKS):
        yield shard, LINKS, numbers(nodes[start : start + _LINKS], parts[start : start + _LINKS])


def joined(shards: int, batches: _Batches) -> _Batches:
    """Join the results of all shards, and divide them by node."""
    joining = _lookalike.PartJoin()
    seen: list[tuple[int, int, bytes]] = []
    for shard, kind, data in unpacked(batches):
        if kind == LINKS:
            joining.add(*columns([data], 2)[0])
        else:
            seen.append((shard, kind, bytes(data)))
    nodes, parts = joining.finish()
    of = (nodes % shards).astype("int64")
    order = of.argsort(kind="stable")
    starts = of[order].searchsorted(range(shards + 1))
    shares = ((shard, order[start:end]) for shard, (start, end) in enumerate(pairwise(starts)))
    return packed(chain(seen, *(links_of(shard, nodes[own], parts[own]) for shard, own in shares if len(own))))


def placed(job: Job, batches: _Batches) -> _Batches:
    """Divide documents by their nodes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    def rows() -> Iterator[tuple[int, int, bytes]]:
        for table in pieces(batches):
            refuse_nulls(table, "key", "text")
            if "keep" in table.column_names:
                refuse_nulls(table.filter(pc.invert(table.column("reference"))), "keep")
            nodes = _lookalike.part_nodes(table.select(["key"]))
            table = table.append_column("node", pa.array(nodes))
            if pa.types.is_string(table.schema.field("text").type):
                # The texts that a task decides may have more than 2 GB.
                at = table.schema.get_field_index("text")
                table = table.set_column(at, "text", table.column("text").cast(pa.large_string()))
            for shard, own in split(table, (nodes % job.shards).astype("int64")):
                yield shard, DOCUMENTS, pack(own)

    return packed(rows())


def parted(job: Job, batches: _Batches) -> _Batches:
    """Divide documents by their parts, given all joined nodes and all documents of some shards."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    found = by_kind(batches)
    links = columns(found.get(LINKS, []), 2)
    nodes = np.concatenate([np.empty(0, np.uint64), *(nodes for nodes, _ in links)])
    parts = np.concatenate([np.empty(0, np.uint64), *(parts for _, parts in links)])
    order = np.argsort(nodes)
    nodes, parts = nodes[order], parts[order]
    seen: list[pa.Table] = []
    sums = np.zeros(2, np.uint64)

    def tables() -> Iterator[pa.RecordBatch]:
        for data in found.get(DOCUMENTS, []):
            table = unpack(data)
            ids = table.select(["node", "id", "reference"])
            seen.append(ids.filter(pc.invert(ids.column("reference"))))
            sums[:] += checksums(table, table.column("node").to_numpy(), 1)[0]
            yield from table.to_batches()

    def rows() -> Iterator[tuple[int, int, bytes]]:
        for table in pieces(tables()):
            own = table.column("node").to_numpy()
            at = np.searchsorted(nodes, own)
            in_part = np.zeros(len(own), bool)
            within = at < len(nodes)
            in_part[within] = nodes[at[within]] == own[within]
            some = table.filter(pa.array(in_part)).drop_columns(["node", "key"])
            part = parts[at[in_part]]
            for shard, documents in split(some, (part % job.shards).astype("int64")):
                yield shard, DOCUMENTS, pack(documents)
            alone = ~in_part & ~table.column("reference").to_numpy()
            for shard, ids in split(table.filter(pa.array(alone)).select(["id"]), (own[alone] % job.shards).astype("int64")):
                yield shard, ALONE, pack(ids)
        refuse_repeated(seen)
        sketched = sum((np.frombuffer(one, np.uint64) for one in found.get(SEEN, [])), np.zeros(2, np.uint64))
        if not np.array_equal(sums, sketched):
            raise InputError(
                "the DataFrame had other rows when its documents were sketched; it must have the same rows each time it is "
                "evaluated, so write its rows to files first, or name another folder with checkpoint="
            )

    return packed(rows())


def refuse_repeated(tables: list[pa.Table]) -> None:
    """Raise `RecordError` if two documents have the same id. Their nodes are equal, so they are in the same shard."""
    import numpy as np
    import pyarrow as pa

    if not tables:
        return
    table = pa.concat_tables(tables)
    own = table.column("node").to_numpy()
    nodes, counts = np.unique(own, return_counts=True)
    for found in table.filter(pa.array(np.isin(own, nodes[counts > 1]))).column("id").value_counts().to_pylist():
        if found["counts"] > 1:
            raise RecordError(f"{found['counts']} documents have the id {found['values']!r}; ids must be unique", field="id")


def decided(job: Job, batches: _Batches) -> _Batches:
    """Decide the documents of whole parts, given with the ids of documents that are in no part."""
    import pyarrow as pa

    found = by_kind(batches)
    for data in found.get(ALONE, []):
        ids = unpack(data).column("id")
        values = {"verdict": "kept", "reason": "unique", "cluster_size": 1, "estimated": False, "reference": False}
        yield from shaped(DECISIONS, [pa.array([values.get(name)] * len(ids)) for name in DECISIONS], ids)
    documents, references = sides(job, found)
    if not documents.num_rows:
        return
    against = {"against": references.select(["text"])} if job.against else {}
    made = dedup(documents.select(job.read(documents)), threads=1, progress=False, **against, **job.options)[1].decisions
    rows = made.column("representative_row")
    representatives = documents.column("id").take(rows)
    of_reference = pa.array([False] * documents.num_rows)
    if against:
        rows = made.column("reference_row")
        of_reference = rows.is_valid()
        representatives = (
            representatives.fill_null(references.column("id").take(rows)) if rows.null_count < len(rows) else representatives
        )
    special = {"representative": representatives, "reference": of_reference}
    columns = [special[name] if name in special else made.column(name) for name in DECISIONS]
    yield from shaped(DECISIONS, columns, documents.column("id"))


def paired(job: Job, batches: _Batches) -> _Batches:
    """Find the similar pairs of whole parts."""
    documents, references = sides(job, by_kind(batches))
    if not documents.num_rows:
        return
    against = {"against": references.select(["text"])} if job.against else {}
    found = pairs(documents.select(["text"]), threads=1, progress=False, **against, **job.options).table
    ids = [(references if against and side == job.reference_side else documents).column("id") for side in "ab"]
    ends = [own.take(found.column(f"row_{side}")) for own, side in zip(ids, "ab", strict=True)]
    yield from shaped(PAIRS, [*ends, *(found.column(name) for name in list(PAIRS)[2:])], None)


def sides(job: Job, found: dict[int, list[Any]]) -> tuple[pa.Table, pa.Table]:
    """Return the documents and the references of whole parts, each in input order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    tables = [unpack(data) for data in found.get(DOCUMENTS, [])]
    if not tables:
        return pa.table({}), pa.table({})
    table = pa.concat_tables(tables)
    # References with the same id are in the order of their texts; the order of sets does not change an answer.
    keys = [*(f"order{at}" for at in range(job.orders)), "id", *([] if job.sets else ["text"])]
    table = table.take(pc.sort_indices(table, [(key, "ascending") for key in keys]))
    of_reference = table.column("reference")
    return table.filter(pc.invert(of_reference)), table.filter(of_reference)


def shaped(types: dict[str, str | None], columns: list[Any], ids: Any) -> _Batches:
    """Return columns with the types that Spark expects, after the ids if these are given."""
    import pyarrow as pa

    of_id = columns[0].type if ids is None else ids.type
    fields = [(name, of_id if of is None else of) for name, of in types.items()]
    if ids is not None:
        fields, columns = [("id", of_id), *fields], [ids, *columns]
    schema = pa.schema(fields)
    yield from pa.table(columns, names=schema.names).cast(schema).to_batches()


def refuse_nulls(table: pa.Table, *names: str) -> None:
    """Raise `RecordError` if one of the columns has a null."""
    for name in names:
        if table.column(name).null_count:
            key = table.filter(table.column(name).is_null()).column("key")[0].as_py()
            if key is None:
                raise RecordError("a document or a reference has no id; leave out such rows", field="id")
            kind = "reference" if key.startswith(REFERENCE) else "document"
            what = {"text": "text", "keep": "value that decides which document is kept (keep=)"}[name]
            raise RecordError(f"the {kind} with the id {key[2:]!r} has no {what}; leave out such rows", field=name)


def refuse(of: str, job: Job, keep: bool) -> None:
    """Raise the errors about the configuration on the driver, before a task starts: run on a collection without documents."""
    import pyarrow as pa

    text = pa.array([], pa.list_(pa.string()) if job.sets else pa.string())
    table = pa.table({"text": text, "keep": pa.array([], pa.int64())} if keep else {"text": text})
    references = {"against": table.select(["text"])} if job.against else {}
    (dedup if of == "dedup" else pairs)(table, threads=1, progress=False, **references, **job.options)
    _lookalike.part_keys(job.texts(pa.table({"text": text, "key": pa.array([], pa.string())})), job.of_keys(), 1)
