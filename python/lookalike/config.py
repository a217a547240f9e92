"""The settings that functions and classes take as keywords.

Names and defaults are those of the core; `default_config()` returns the defaults.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Literal, TypedDict


class Folds(TypedDict, total=False):
    """Differences to ignore when comparing tokens, in addition to case, width, punctuation and white space."""

    simplified: bool
    """Treat traditional Chinese characters and their simplified forms as equal."""
    accents: bool
    """Treat Latin, Greek and Cyrillic letters with and without accents as equal."""
    marks: bool
    """Treat Arabic, Hebrew and Syriac with and without vowel marks as equal."""
    digits: bool
    """Treat all digits as equal."""


class Rabin(TypedDict):
    """Rabin's fingerprint, with a polynomial drawn from the seed (Broder 1997, section 4)."""

    kind: Literal["rabin"]
    degree: int
    """Bits of a fingerprint, 16 to 64."""


class Fixed(TypedDict):
    """One shingle in 2^level is sampled."""

    kind: Literal["fixed"]
    level: int


class Growing(TypedDict):
    """The sample of a long text is expected to contain at least `least`, and at most 2 × `least`, shingles."""

    kind: Literal["growing"]
    least: int


class Capped(TypedDict):
    """As `Growing`, but the sample never becomes sparser than one shingle in 2^level."""

    kind: Literal["capped"]
    least: int
    level: int


Modulus = Fixed | Growing | Capped
"""How many of a text's shingles are sampled."""


class _Kind(TypedDict):
    kind: str


class Bands(_Kind, total=False):
    """Candidates are texts that share a band of their MinHash signatures: `{"kind": "bands", …}`, the default."""

    bands: int | None
    """b, the number of bands; given together with `rows`, or determined by the threshold and the recall."""
    rows: int | None
    """r, the number of rows in a band."""
    permutations: Literal["one", "many"]
    """How many random permutations make a signature."""


class SimHashBy(_Kind, total=False):
    """Candidates are texts whose SimHashes differ in few bits: `{"kind": "simhash", …}`."""

    bits: Literal[64, 128]
    features: Literal["shingles", "tokens"]
    distance: int | None
    """The number of bits that may differ; determined by the threshold if the features are shingles."""
    blocks: int | None
    """The number of blocks that a hash is split into; it must be greater than the distance."""


class Sentences(_Kind, total=False):
    """Candidates are texts whose longest sentences are the same: `{"kind": "sentences", …}`."""

    longest: int
    """How many of the longest sentences must be the same."""
    digest: Literal["xxh3", "md5"]
    """The hash of these sentences."""


class Shared(_Kind, total=False):
    """Candidates are texts that share enough sampled shingles: `{"kind": "shared", …}`; the default for containment."""

    modulus: Modulus | None
    """Which shingles are sampled; determined by the measure, the threshold and the recall unless given."""
    common: int
    """Shingles that occur in more documents than this are excluded."""
    super_shingles: bool
    """Whether texts are candidates when they share a single run of sampled shingles (a super-shingle)."""
    run: int | None
    """The number of shingles in a run."""


class GreedyBy(TypedDict, total=False):
    """The settings of greedy clusters."""

    representative: Literal["firstmember", "popular"]
    """Which document represents a cluster."""
    sample: int
    """s, the number of fingerprints in a sketch."""


class Greedy(TypedDict):
    """Broder's greedy clusters of sketches, by estimates alone (1997, section 4.4)."""

    greedy: GreedyBy


class ShinglesConfig(TypedDict, total=False):
    """The settings that determine the shingles of a text and, with the seed, its sketch."""

    preset: Literal["quotations"] | None
    """Settings for a kind of text; explicit keywords override them. `"quotations"` is for texts of one or two sentences:
    `shingle=2, threshold=0.5`."""
    tokens: Literal["auto", "words", "chars", "lines", "jieba", "items"]
    """What a token is: chosen by the script of the text (the default), words everywhere, characters, lines (for code and logs),
    or words of a Chinese dictionary. With `"items"`, documents are sets and tokens are their items: strings and numbers, compared
    as they are."""
    fold: str | Sequence[str]
    """Differences to ignore, by the command's names such as `"accents"`: comma-separated, or in a list."""
    folds: Folds
    """The same as `fold`, as a dictionary."""
    shingle: int | None
    """k, the number of tokens in a shingle, 1 to 64; by default 5, except for lines (2), with anchors (3) and for sets (1)."""
    anchors: str | Sequence[str]
    """Languages, such as `["en"]`: use only shingles that begin with one of their stop words. Articles have many stop words, and
    menus have few. A text with few stop words is compared by all its shingles."""
    occurrences: Literal["once", "labelled"]
    """Whether a shingle that occurs several times in a text counts once (Broder's option B, the default) or each time (A)."""
    fingerprint: Literal["rolling", "rabin"] | Rabin
    """How a shingle is mapped to a number of up to 64 bits."""
    degree: int | None
    """For `fingerprint="rabin"`: the bits of a fingerprint, 16 to 64."""
    seed: int
    """The seed of everything that is drawn at random, from 0 to below 2^64; 1 unless given."""


class _Finding(ShinglesConfig, total=False):
    """The command's flags for finding candidates by bands, SimHash and sentences; an alternative to `candidates={"kind": …}`."""

    method: Literal["minhash", "simhash", "sentences", "exact", "shingle"]
    """How documents that may be similar are found."""
    bands: int | None
    """For MinHash: b, the number of bands; given together with `rows`, or determined by the threshold and the recall."""
    rows: int | None
    """For MinHash: r, the number of rows in a band."""
    permutations: Literal["one", "many"] | None
    """For MinHash: how many random permutations make a signature."""
    bits: Literal[64, 128] | None
    """For SimHash: the number of bits in a hash."""
    features: Literal["shingles", "tokens"] | None
    """For SimHash: the features that are hashed."""
    distance: int | None
    """For SimHash: the number of bits that may differ."""
    blocks: int | None
    """For SimHash: the number of blocks that a hash is split into."""
    longest: int | None
    """For sentences: how many of the longest sentences must be the same."""
    digest: Literal["xxh3", "md5"] | None
    """For sentences: the hash of the longest sentences."""


class Config(_Finding, total=False):
    """The settings of an index: how shingles are made, and which texts are similar."""

    threshold: float
    """t, the lowest similarity of two near-duplicates, above 0 and at most 1; 0.8 unless given."""
    recall: float
    """The share of the pairs at the threshold that must be found, between 0 and 1; 0.99 unless given."""
    candidates: Literal["bands", "simhash", "sentences"] | Bands | SimHashBy | Sentences
    """How candidates are found; the name of a kind alone selects its defaults."""
    verify: Literal["exact", "sketch", "none"] | None
    """What counts as similar: the exact measure of the two sets, the estimate from the sketches, or being a candidate."""


class CollectionConfig(_Finding, total=False):
    """The settings, in addition to the threshold, that determine which documents of a collection are similar."""

    modulus: int | None
    """For shared and super: m, a power of two; one shingle in m is sampled."""
    common: int | None
    """For shared and super: shingles that occur in more documents than this are excluded."""
    run_length: int | None
    """For super: the number of sampled shingles in a super-shingle."""

    measure: Literal["resemblance", "containment"]
    """What is measured: shared shingles divided by all shingles of both texts, or by the shingles of the text that may be
    dropped."""
    recall: float
    """The share of the pairs at the threshold that must be found, between 0 and 1; 0.99 unless given."""
    candidates: (
        Literal["bands", "shared", "super", "simhash", "sentences", "exact", "all"]
        | Bands
        | Shared
        | SimHashBy
        | Sentences
        | _Kind
    )
    """How candidates are found; the name of a kind alone selects its defaults. "all" finds all pairs exactly, in memory."""
    verify: Literal["exact", "sketch", "none"] | None
    """What counts as similar: the exact measure of the two sets, the estimate from the sketches, or being a candidate."""


class InputOptions(TypedDict, total=False):
    """How documents are read, by the names of the command's flags."""

    format: Literal["jsonl", "json", "csv", "text", "html", "warc", "parquet", "arrow"] | None
    """The format of all files, if their names and first bytes do not show it."""
    delimiter: str | None
    """The character between the fields of CSV."""
    encoding: str | None
    """The encoding of files that are not UTF-8."""
    input_command: str | Sequence[str] | None
    """Commands whose output is read after the other inputs; `data` may be None then."""
    gitignore: bool
    """Ignore the files of a folder that its .gitignore files exclude."""
    all_splits: bool
    """Read all splits of a dataset in a folder, or of a `DatasetDict`, such as train and test, as one collection."""
    html: Literal["text", "main"] | None
    """Parse texts as HTML pages, and compare this part of them."""
    skip_bad: str | PathLike[str] | bool | None
    """A file to which skipped bad lines are written; True skips and counts them without writing them."""
    threads: int
    """The number of threads; 0 for one per core. The answer is the same for any number."""
    memory: int | str | None
    """The memory limit in bytes, or as a size such as "8G"; half of the free memory unless given."""
    temp_dir: str | PathLike[str] | None
    """The folder for temporary files."""
    progress: bool | None
    """Whether a progress bar is shown."""


class ReadOptions(InputOptions, total=False):
    """How a collection is read and processed, by the names of the command's flags."""

    allow_repeated_ids: bool
    """Allow several documents to have the same id."""
    set_field: str | None
    """The field that contains the sets: the same as `text` with `tokens="items"`."""


class OutputOptions(TypedDict, total=False):
    """How records are written. The number of a file is {} in the name of the output, or {:05} with five digits."""

    output_format: Literal["jsonl", "json", "csv", "parquet", "arrow"] | None
    """The format of the records; by the name of the output, or that of the input, unless given."""
    rows_per_file: int | None
    """The number of records in each file."""
    bytes_per_file: int | str | None
    """The size of each file before compression, in bytes or such as "500MB"; for tables, the approximate size of the rows in
    memory."""


class ApplyOptions(ReadOptions, OutputOptions, total=False):
    """The keywords of `apply` after the id."""

    threshold: float | None
    """Decide from pairs: the least similarity of those that count."""
    write_decisions: str | PathLike[str] | None
    """With `threshold`: a file for the command's decision lines."""
    drop: Literal["duplicates", "all"]
    """With `threshold`: which documents of a group are dropped: all except one, or all."""
    keep_per_group: int | None
    """With `threshold`: the number of documents that are kept of each group."""


class RunOptions(CollectionConfig, ReadOptions, total=False):
    """The keywords of a run over a collection: what determines the answer, and how the collection is read and processed."""

    report: str | PathLike[str] | None
    """An HTML file to look at: groups, pairs, texts side by side."""
    report_by: str | None
    """With `report`: a field by whose values documents are counted."""
    against_text_field: str | None
    """With `against`: the field or column of references with the text, if it has another name there."""


class PairsOptions(RunOptions, total=False):
    """The keywords of `pairs` after the threshold."""

    exact: bool
    """The same as `method="shingle"`: find all similar pairs exactly, with all sets in memory."""
    nearest: int | None
    """How many of the most similar matches of each document to list, the most similar first: a is the document, and b is its
    neighbour."""


class HistoryOptions(CollectionConfig, ReadOptions, total=False):
    """The keywords of `history` after the threshold."""

    by: str | None
    """How pages are grouped into sites: "host", "folder" or "field:NAME"; by default host for URLs, and folder for other ids."""
    depth: int
    """The number of outermost folders that identify a site."""
    fold_www: bool
    """Treat www.example.com and example.com as one host."""
    changed: bool | float | None
    """The lowest resemblance in the second round, which pairs pages that changed a lot; True for 0.3."""


class MirrorsOptions(HistoryOptions, total=False):
    """The keywords of `mirrors` after the threshold."""

    share: float | None
    """The smallest share of a site's pages that have a match; 0.5 unless given."""
    share_of: Literal["both", "either", "a", "b"] | None
    """Which of the two sites must reach the share; both unless given."""
    common_sites: int | None
    """Pages with matches on more than this number of sites do not make pairs of sites."""
    all_pairs: bool
    """List all pairs of matching pages, not only one-to-one pairs."""
    report: str | PathLike[str] | None
    """An HTML file to look at: sites, and pages side by side."""


class AuditOptions(ShinglesConfig, ReadOptions, total=False):
    """The keywords of `audit` after the kind."""

    measure: Literal["resemblance", "containment"]
    """What is measured: shared shingles divided by all shingles of both texts, or by the shingles of the removed text."""
    result_id: str | None
    """The column of the result with the ids; the name of `id`, doc_id and similar names are recognised."""
    cluster_field: str | None
    """The column of the result with the clusters; cluster, group and similar names are recognised."""
    kept_field: str | None
    """The column of the result that is true if the document was kept."""
    duplicate_of_field: str | None
    """The column of the result with the document that is kept instead."""
    by_position: bool
    """Whether the result numbers documents by position, from 0."""
    sample: int
    """The number of random kept documents that are compared with all documents; 1,000 unless given."""
    recheck: int
    """The largest number of removed documents that are compared with all documents, if candidates show no similar kept document;
    10,000 unless given. If there are more, a sample is compared."""
    worst: int
    """The number of worst cases of each kind in the summary; 3 unless given."""


class CutOptions(InputOptions, OutputOptions, total=False):
    """The keywords of `cut` after the id."""

    against_text_field: str | None
    """With `against`: the field or column of references with the text, if it has another name there."""
    unit: Literal["runs", "lines", "paragraphs", "sentences"]
    """What is compared and cut."""
    window: int | None
    """The number of units in the shortest passage that is cut; by default 50 for runs, else 1."""
    more_than: int
    """The number of earlier documents that must contain a passage for it to be cut; 1 unless given."""
    within: str
    """Which documents are compared: "all", "document" (only parts of the same document) or "group:FIELD"."""
    min_tokens: int | None
    """The smallest number of tokens in a passage; by default 5, and no minimum for runs."""
    min_left: int
    """A document from which something was cut is dropped if fewer tokens are left; 1 unless given."""
    verbatim: bool
    """Cut only if the original bytes are equal too."""
    whole_lines: bool
    """With runs: cut only lines that are completely in repeated runs."""
    keep: str | None
    """Which copy is kept: that of the first document in this order, which is first, longest, newest:FIELD, max:FIELD or
    min:FIELD."""
    tokens: Literal["auto", "words", "chars", "jieba"]
    """What a token is."""
    fold: str | Sequence[str]
    """Differences to ignore, by the command's names such as `"accents"`: comma-separated, or in a list."""
    folds: Folds
    """The same as `fold`, as a dictionary."""
    allow_repeated_ids: bool
    """Allow several documents to have the same id."""
    mark: bool
    """Cut nothing: write all records to `output`, with the fields cut_verdict and cut_spans."""
    mark_prefix: str
    """The prefix of the names of the two fields that `mark` adds; "cut_" unless given."""
    cuts: str | PathLike[str] | None
    """A file for the command's lines, one for each document."""
    dolma: str | PathLike[str] | None
    """A file for the cuts as attributes of Dolma."""
    report: str | PathLike[str] | None
    """An HTML file to look at: the passages that were cut most, and documents with their cuts in place."""
    resume: str | PathLike[str] | None
    """A folder for saved progress, from which the same call continues after an interruption."""


class LinkOptions(TypedDict, total=False):
    """The keywords of `suggest_link` after the id: how records are read."""

    labels: str | None
    """The column or field that is equal in records of the same thing, for evaluation or labelled weights. It is not compared."""
    format: Literal["jsonl", "json", "csv", "parquet", "arrow"] | None
    """The format of all files, if their names and first bytes do not show it."""
    delimiter: str | None
    """The character between the fields of CSV."""
    encoding: str | None
    """The encoding of files that are not UTF-8."""
    all_splits: bool
    """Read all splits of a dataset in a folder, such as train and test, as one collection."""
    threads: int
    """The number of threads; 0 for one per core. The answer is the same for any number."""
    memory: int | str | None
    """The memory limit in bytes, or as a size such as "8G"; half of the free memory unless given."""
    temp_dir: str | PathLike[str] | None
    """The folder for temporary files."""
    progress: bool | None
    """Whether a progress bar is shown."""


class LinkRunOptions(LinkOptions, total=False):
    """The keywords of `link` after the configuration and the id."""

    one_to_one: bool | Literal["auto"] | None
    """Whether each record is in at most one pair; "auto": if neither of two collections seems to contain duplicates."""
    matches_only: bool
    """Leave out possible matches."""
    truth: str | PathLike[str] | None
    """A file of labelled pairs, for evaluation or labelled weights: JSON Lines with two ids, and perhaps `"match": false`."""
    right_by: str | None
    """A date or number that is not compared, from which the share of right pairs is estimated."""
    allow_repeated_ids: bool
    """Allow several records of a collection to have the same id."""
    report: str | PathLike[str] | None
    """An HTML file to look at: pairs field by field."""


class MinutiaeOptions(TypedDict, total=False):
    """The keywords of `minutiae` after `first`."""

    within: str | None
    """The field that prints must share to be compared, such as the sensor."""
    labels: str | None
    """The field that identifies the finger, to evaluate the result."""
    columns: Sequence[str]
    """The values of a minutia, in order; `["x", "y", "angle"]` unless given. All others are ignored."""
    turn: float
    """A full turn in the unit of the angles; 256 unless given, and 360 for degrees."""
    upwards: bool
    """Whether y grows upwards."""
    nearest: int | None
    """For `by="aligned"` and `"reranked"`: how many nearest prints of each print are aligned."""
    common: int | None
    """Triangles that more than this number of prints have are ignored."""
    square: int
    """The side of a square, in pixels; 12 unless given."""
    margin: int
    """Minutiae within this number of pixels of a border count in both squares; 4 unless given."""
    sets: int | None
    """The number of random sets of squares that determine candidates; 0 compares all pairs."""
    members: int
    """The number of squares in a set; 3 unless given."""
    seed: int
    """The seed for all random choices."""
    format: Literal["jsonl", "json", "csv"] | None
    """The format of all files, if their names and first bytes do not show it."""
    delimiter: str | None
    """The character between the fields of CSV."""
    encoding: str | None
    """The encoding of files that are not UTF-8."""
    all_splits: bool
    """Read all splits of a dataset in a folder as one collection."""
    allow_repeated_ids: bool
    """Allow several prints to have the same id."""
    threads: int
    """The number of threads; 0 for one per core. The answer is the same for any number."""


class DedupOptions(RunOptions, OutputOptions, total=False):
    """The keywords of `dedup` after the threshold."""

    cluster: Literal["law", "components", "greedy"] | Greedy
    """What a group is: a kept document and those similar to it, documents connected by chains of similar pairs, or greedy
    clusters."""
    representative: Literal["first", "popular"] | None
    """For `cluster="greedy"`: the representative of a cluster."""
    sample: int | None
    """For `cluster="greedy"`: the number of fingerprints in a sketch."""

    keep: str | None
    """Which document is kept: first, longest (most characters of the unchanged text; for sets, most items), newest:FIELD,
    max:FIELD or min:FIELD; on a tie, the first."""
    min_containment: float | None
    """The least share of a dropped document's shingles that must be in its representative, in addition to the similarity."""
    and_field: str | Sequence[str]
    """Fields in which a dropped document must be similar too."""
    or_field: str | Sequence[str]
    """Fields in which a document may be similar instead."""
    drop: Literal["duplicates", "all"]
    """Which documents of a group are dropped: all except one, or all."""
    keep_per_group: int | None
    """The number of documents that are kept of each group: the first ones in keep order."""
    against_only: bool
    """Whether documents are compared with references only, and not with each other."""
    drop_holders: bool
    """Whether a document is dropped if it contains a reference, rather than if a reference contains it."""
    dry_run: bool
    """Do everything except write files."""
    label: bool
    """Drop nothing: write all records to `output`, with the fields cluster, verdict, representative and similarity."""
    label_prefix: str
    """The prefix of the names of the four fields that `label` adds, such as "dup_"."""
    decisions: str | PathLike[str] | None
    """A file for the command's decision lines."""
    report_floor: float | None
    """With `report`: the smallest threshold that can be tried in the page; 0.2 below `threshold` unless given."""
    resume: str | PathLike[str] | None
    """A folder for saved progress, from which the same call continues after an interruption."""


class IndexConfig(CollectionConfig, total=False):
    """The settings of a persistent index, in addition to what is stored and kept; they never change."""

    threshold: float | None
    """t, the lowest similarity of two near-duplicates, above 0 and at most 1; 0.8 unless given."""
    cluster: Literal["law"]
    """What a group is: a kept document and those similar to it. An index has no other groups."""
