"""The plans of runs on Spark."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from typing import Any, Unpack

from lookalike.config import CollectionConfig, DedupOptions, PairsOptions
from lookalike.errors import ConfigError
from lookalike.keywords import check
from lookalike.running import plain
from lookalike.spark import kernels
from lookalike.spark.checkpoint import Checkpoint
from lookalike.spark.kernels import DECISIONS, DOCUMENT, PAIRS, REFERENCE, Job
from lookalike.spark.packing import PACKED

_KEYWORDS = ["threshold", *CollectionConfig.__annotations__, "html", "memory", "temp_dir"]
"""The keywords that tasks understand; the others are for files, or for a run on one machine."""

_ID = "lookalike_id"
"""The name of the ids of the decisions while they are joined with the rows of a DataFrame."""

_UNORDERED = ("array", "map", "struct", "variant", "void")
"""The beginnings of the names of types whose values have no order."""

_OWN = {"dedup": ["keep", "cluster", "against_only", "drop_holders"], "pairs": ["nearest"]}


class Result:
    """What `dedup` decided about a DataFrame. All its DataFrames are computed when they are used."""

    def __init__(self, df: Any, id: str, measure: str, decisions: Any) -> None:
        self._df = df
        self._id = id
        self._measure = measure
        self.decisions = decisions
        """One row per document, in no order: id, verdict (kept, dropped), reason (unique, representative, empty; exact, near,
        contained), representative, resemblance, containment, containment_of_representative, cluster_size and estimated, as in
        `lookalike.Report.decisions`; with `against` also reference, whether the representative is a reference."""

    @property
    def kept(self) -> Any:
        """The kept rows with all their columns, in no order."""
        from pyspark.sql import functions

        dropped = self.decisions.where("verdict = 'dropped'").select(functions.col("id").alias(_ID))
        return self._df.join(dropped, on=functions.col(self._id) == functions.col(_ID), how="left_anti")

    def labelled(self, prefix: str = "") -> Any:
        """Return all rows with four more columns: cluster, verdict, representative and similarity.

        The cluster is the id of the kept document of the group. With `against`, this can be the id of a reference, and a document
        may have the same id.
        """
        from pyspark.sql import functions

        names = {
            "cluster": functions.coalesce("representative", "id"),
            "verdict": functions.col("verdict"),
            "representative": functions.col("representative"),
            "similarity": functions.col(self._measure),
        }
        # Spark does not distinguish upper and lower case in names.
        own = {name.lower() for name in self._df.columns}
        taken = [prefix + name for name in names if (prefix + name).lower() in own]
        if taken:
            raise ConfigError(f"the DataFrame already has a column {taken[0]!r}; choose another prefix", option="prefix")
        labels = self.decisions.select(
            functions.col("id").alias(_ID), *(value.alias(prefix + name) for name, value in names.items())
        )
        return self._df.join(labels, on=functions.col(self._id) == functions.col(_ID), how="left").drop(_ID)

    def summary(self) -> dict[str, int]:
        """Return the numbers of documents, of kept and dropped documents, and of documents with each reason."""
        found = {"documents": 0, "kept": 0, "dropped": 0}
        # At most six rows.
        for row in sorted(self.decisions.groupBy("verdict", "reason").count().collect()):
            for name in ("documents", row["verdict"], row["reason"]):
                found[name] = found.get(name, 0) + row["count"]
        return found


def dedup(
    df: Any,
    text: str = "text",
    id: str = "id",
    threshold: float | None = None,
    *,
    order: str | Sequence[str] | None = None,
    against: Any = None,
    checkpoint: str | None = None,
    shards: int | None = None,
    **options: Unpack[DedupOptions],
) -> Result:
    """Keep one document from each group of near-duplicates of a Spark DataFrame, as `lookalike.dedup` does on one machine.

    `text` and `id` name columns, as in `functions.col`. Ids must be unique, and the DataFrame must have the same rows each time
    it is evaluated; tasks fail if they notice other rows.

    The rows of a DataFrame have no order, so `order` names the columns that define input order: the smallest value is first, and
    null is last. Documents that are equal in these columns, and all documents without `order`, are in the order of their ids.

    `against` is a DataFrame of references, such as a test set: they are always kept, and are first in keep order. It has the
    columns `text` and `id`; references with the same id are allowed.

    `checkpoint` names a folder that the driver and the executors reach, where each step is saved: the same call continues there
    after its driver was killed. Without it, nothing runs before a result is used, and each use runs everything again, unless
    the caller keeps it (`result.decisions.persist()`).

    The other keywords are those of `lookalike.dedup` that determine the answer, `keep` included; `memory` and `temp_dir` apply to
    each task. Methods whose candidates do not share a key of their sketches are refused: shared and super candidates (the
    default of `measure="containment"`), greedy clusters, and `method="shingle"`.

    The documents are divided into closed parts, which contain all candidates of each of their documents, and each part is decided
    by one task. The largest part is a limit: a task decides about 20,000 documents per second.

    Cost: texts are shuffled once, compressed to about 0.4 of their size, and those of candidates once more; each document also
    costs about 250 bytes. A task holds the documents of its share, compressed and decompressed. `shards` is the number of shares;
    None means `spark.sql.shuffle.partitions`, of which Spark may merge small ones.

    Raises `ConfigError` for settings that cannot be used, before a task starts. Tasks fail with `RecordError` if a document has
    no text or no id, or if an id is used twice.

    >>> import lookalike.spark  # doctest: +SKIP
    >>> result = lookalike.spark.dedup(spark.read.parquet("crawl"), id="url", order="fetched", checkpoint="s3://bucket/run-1")
    >>> result.kept.write.parquet("kept")
    """
    run = _Run("dedup", df, text, id, order, against, shards, {"threshold": threshold, **options})
    saving = Checkpoint(df.sparkSession, checkpoint, run.description)
    decided = run.parts(saving).mapInArrow(partial(kernels.decided, run.job), run.schema(DECISIONS, "id"))
    decided = saving.saved("decisions", decided)
    measure = "containment" if options.get("measure") == "containment" else "resemblance"
    return Result(df, id, measure, decided if against is not None else decided.drop("reference"))


def pairs(
    df: Any,
    text: str = "text",
    id: str = "id",
    threshold: float = 0.5,
    *,
    order: str | Sequence[str] | None = None,
    against: Any = None,
    checkpoint: str | None = None,
    shards: int | None = None,
    **options: Unpack[PairsOptions],
) -> Any:
    """Find all pairs of similar documents of a Spark DataFrame, as `lookalike.pairs` does on one machine.

    Returns a DataFrame with one row per pair, in no order: a and b (ids, a before b in input order), resemblance, containment_ab,
    containment_ba, intersection, size_a and size_b. With `against`, a is the id of a reference. The keywords are those of `dedup`
    in this module, without what decides which document is kept, and `nearest`.
    """
    run = _Run("pairs", df, text, id, order, against, shards, {"threshold": threshold, **options})
    saving = Checkpoint(df.sparkSession, checkpoint, run.description)
    found = run.parts(saving).mapInArrow(partial(kernels.paired, run.job), run.schema(PAIRS))
    return saving.saved("pairs", found)


class _Run:
    """The plan of a run, up to the parts."""

    def __init__(
        self,
        of: str,
        df: Any,
        text: str,
        id: str,
        order: str | Sequence[str] | None,
        against: Any,
        shards: int | None,
        options: dict[str, Any],
    ) -> None:
        from pyspark.sql import functions

        check(f"spark.{of}", options, [*_KEYWORDS, *_OWN[of]], ())
        options = plain(options)
        by, _, keep = str(options.get("keep", "")).partition(":")
        if keep:
            options["keep"] = f"{by}:keep"
        if shards is not None and shards < 1:
            raise ConfigError("shards= must be 1 or more", option="shards")
        # Without a given number, Spark may merge small partitions.
        self._divided: Any = (shards, "shard") if shards else ("shard",)
        shards = shards or _partitions(df.sparkSession)
        orders = [order] if isinstance(order, str) else list(order or [])
        self.job = Job(options, len(orders), shards, options.get("tokens") == "items", against is not None)
        kernels.refuse(of, self.job, bool(keep))

        # The columns that tasks read, under fixed names.
        others = {f"order{at}": name for at, name in enumerate(orders)} | ({"keep": keep} if keep else {})
        columns = {"id": functions.col(id), "text": functions.col(text), "reference": functions.lit(False)}
        columns |= {name: functions.col(column) for name, column in others.items()}
        self._documents = _named(df, columns, DOCUMENT)
        schema = self._documents.schema
        for name, column in others.items():
            of = schema[name].dataType.simpleString()
            if of.startswith(_UNORDERED):
                option = "keep" if name == "keep" else "order"
                raise ConfigError(f"column {column!r} is {of}, whose values have no order; name another column", option=option)
        self._id_type = schema["id"].dataType.simpleString()
        if against is not None:
            columns["reference"] = functions.lit(True)
            for name, column in others.items():
                # References may lack the columns that define input order, and are never dropped.
                if name == "keep" or not _has(against, column):
                    columns[name] = functions.lit(None).cast(schema[name].dataType)
            references = _named(against, columns, REFERENCE)
            for name in ("id", "text", *(name for name in others if name != "keep")):
                own, other = schema[name].dataType.simpleString(), references.schema[name].dataType.simpleString()
                if own != other:
                    column = {"id": id, "text": text, **others}[name]
                    words = f"column {column!r} is {own} in the documents, but {other} in the references; cast one of the two"
                    raise ConfigError(words, option="against")
            self._documents = self._documents.union(references)
        # Settings that change no decision may change when a run continues.
        kept = {name: value for name, value in options.items() if name not in ("memory", "temp_dir")}
        asked = {"run": of, "text": text, "id": id, "others": others, "options": kept, "shards": shards}
        data = [one.schema.simpleString() for one in (df, against) if one is not None]
        self.description = json.dumps({"version": version("lookalike"), **asked, "data": data}, default=str)

    def schema(self, columns: dict[str, str | None], *first: str) -> str:
        """Return the columns of a result in Spark's words; columns without a type have the type of the ids."""
        types = {"double": "double", "string": "string", "bool": "boolean", "int64": "bigint", None: self._id_type}
        named = {**dict.fromkeys(first), **columns}
        return ", ".join(f"{name} {types[of]}" for name, of in named.items())

    def parts(self, saving: Checkpoint) -> Any:
        """Find the closed parts, and bring the documents of each part together."""
        rows = self._documents.select("key", "text").mapInArrow(partial(kernels.sketched, self.job), PACKED)
        links = saving.saved("links", rows.repartition(*self._divided).mapInArrow(kernels.linked, PACKED))
        nodes = links.repartition(1).mapInArrow(partial(kernels.joined, self.job.shards), PACKED)
        documents = self._documents.mapInArrow(partial(kernels.placed, self.job), PACKED)
        parts = nodes.union(documents).repartition(*self._divided).mapInArrow(partial(kernels.parted, self.job), PACKED)
        return parts.repartition(*self._divided)


def _named(df: Any, columns: dict[str, Any], kind: str) -> Any:
    """Return these columns of a DataFrame under these names, with the key that identifies a document in the whole run."""
    from pyspark.sql import functions

    # A reference may have the id of a document.
    key = functions.concat(functions.lit(kind), columns["id"].cast("string"))
    return df.select(key.alias("key"), *(column.alias(name) for name, column in columns.items()))


def _has(df: Any, column: str) -> bool:
    """Return whether a DataFrame has a column, as Spark understands names."""
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions

    try:
        return bool(df.select(functions.col(column)).columns)
    except AnalysisException:
        return False


def _partitions(spark: Any) -> int:
    """Return the number of partitions of a shuffle; on Databricks it may be the word `auto`."""
    words = spark.conf.get("spark.sql.shuffle.partitions", "200")
    return int(words) if words.isdigit() and int(words) else 200
