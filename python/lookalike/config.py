"""The settings that functions and classes take as keywords.

Names and defaults are the core's; `default_config()` gives the latter.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Literal, TypedDict


class Folds(TypedDict, total=False):
    """What is made alike before tokens are compared, beyond what always is (case, width, punctuation, white space)."""

    simplified: bool
    """Traditional Chinese characters and their simplified forms."""
    accents: bool
    """Letters with and without accents, Latin, Greek and Cyrillic."""
    marks: bool
    """Arabic, Hebrew and Syriac with and without vowel marks."""
    digits: bool
    """All digits."""


class Rabin(TypedDict):
    """Rabin's fingerprint, by a polynomial drawn from the seed (Broder 1997, section 4)."""

    kind: Literal["rabin"]
    degree: int
    """Bits of a fingerprint, 16 to 64."""


class Fixed(TypedDict):
    """One shingle in 2^level is sampled."""

    kind: Literal["fixed"]
    level: int


class Growing(TypedDict):
    """From `least` to twice as many shingles are expected in the sample of a long text."""

    kind: Literal["growing"]
    least: int


class Capped(TypedDict):
    """As growing, but never fewer than one shingle in 2^level."""

    kind: Literal["capped"]
    least: int
    level: int


Modulus = Fixed | Growing | Capped
"""How many of a text's shingles are sampled."""


class _Kind(TypedDict):
    kind: str


class Bands(_Kind, total=False):
    """Texts that share a band of their MinHash signatures: `{"kind": "bands", …}`, the default."""

    bands: int | None
    """b; given together with `rows`, or left to the threshold and the recall."""
    rows: int | None
    """r."""
    permutations: Literal["one", "many"]
    """How many random permutations make a signature."""


class SimHashBy(_Kind, total=False):
    """Texts whose SimHashes differ in few bits: `{"kind": "simhash", …}`."""

    bits: Literal[64, 128]
    features: Literal["shingles", "tokens"]
    distance: int | None
    """The bits that may differ; left to the threshold where shingles vote."""
    blocks: int | None
    """Blocks that a hash is cut into, more than the distance."""


class Sentences(_Kind, total=False):
    """Texts whose longest sentences are the same: `{"kind": "sentences", …}`."""

    longest: int
    digest: Literal["xxh3", "md5"]


class Shared(_Kind, total=False):
    """Texts that share enough of their sampled shingles: `{"kind": "shared", …}`; the default where containment is measured."""

    modulus: Modulus | None
    """Which shingles are sampled; left to the measure, the threshold and the recall."""
    common: int
    """Shingles of more documents than these are set aside."""
    super_shingles: bool
    """Whether runs of sampled shingles are shared, and a single one suffices."""
    run: int | None
    """Shingles in a run."""


class GreedyBy(TypedDict, total=False):
    """What greedy clusters are made of."""

    representative: Literal["firstmember", "popular"]
    """What stands for a cluster."""
    sample: int
    """s, the fingerprints of a sketch."""


class Greedy(TypedDict):
    """Broder's greedy clusters of sketches, by estimates alone (1997, section 4.4)."""

    greedy: GreedyBy


class ShinglesConfig(TypedDict, total=False):
    """What decides the shingles of a text, and with a seed the sketch of them."""

    preset: Literal["quotations"] | None
    """Settings for a kind of texts; keywords given beside it win. `"quotations"` is for texts of one or two sentences:
    `shingle=2, threshold=0.5`."""
    tokens: Literal["auto", "words", "chars", "lines", "jieba", "items"]
    """What a token is: by script (the default), words everywhere, characters, lines (for code and logs), or words of a Chinese
    dictionary. Or documents are sets, and tokens their items: strings and numbers, compared as they are."""
    fold: str | Sequence[str]
    """Differences that are ignored, by the command's names such as `"accents"`: several with commas, or in a list."""
    folds: Folds
    """The same as a dictionary."""
    shingle: int | None
    """k, the tokens in a shingle, 1 to 64; 5 unless given, of lines 2, with anchors 3, of sets 1."""
    anchors: str | Sequence[str]
    """Languages, such as `["en"]`: only shingles that begin with one of their stop words. Articles have many, menus few.
    A text with few stop words is compared by all its shingles."""
    occurrences: Literal["once", "labelled"]
    """Whether a shingle that stands in a text several times counts once (Broder's option B, the default) or each time (A)."""
    fingerprint: Literal["rolling", "rabin"] | Rabin
    """How a shingle becomes a number of up to 64 bits."""
    degree: int | None
    """For `fingerprint="rabin"`: its bits, 16 to 64."""
    seed: int
    """Seed of all that is drawn at random, 0 up to 2^64; 1 unless given."""


class _Finding(ShinglesConfig, total=False):
    """The command's flags that say how candidates are found by bands, SimHash and sentences; `candidates={"kind": …}` instead."""

    method: Literal["minhash", "simhash", "sentences", "exact", "shingle"]
    """How documents that may be similar are found."""
    bands: int | None
    """For MinHash: b; given together with `rows`, or left to the threshold and the recall."""
    rows: int | None
    """For MinHash: r."""
    permutations: Literal["one", "many"] | None
    """For MinHash: how many random permutations make a signature."""
    bits: Literal[64, 128] | None
    """For SimHash: bits of a hash."""
    features: Literal["shingles", "tokens"] | None
    """For SimHash: what votes for the bits."""
    distance: int | None
    """For SimHash: bits that may differ."""
    blocks: int | None
    """For SimHash: blocks that a hash is cut into."""
    longest: int | None
    """For sentences: how many of the longest must be the same."""
    digest: Literal["xxh3", "md5"] | None
    """For sentences: the hash of the longest."""


class Config(_Finding, total=False):
    """What decides an index: the shingles, and which texts are similar."""

    threshold: float
    """t, the similarity from which two texts are roughly the same, above 0 up to 1; 0.8 unless given."""
    recall: float
    """The share of the pairs at the threshold that must be found, between 0 and 1; 0.99 unless given."""
    candidates: Literal["bands", "simhash", "sentences"] | Bands | SimHashBy | Sentences
    """How candidates are found; a kind by its name alone has its defaults."""
    verify: Literal["exact", "sketch", "none"] | None
    """What counts as similar: the exact measure of the two sets, what the sketches say, or being a candidate at all."""


class CollectionConfig(_Finding, total=False):
    """What decides which documents of a collection are similar, beside the threshold."""

    modulus: int | None
    """For shared and super: one shingle in so many is sampled, a power of two."""
    common: int | None
    """For shared and super: shingles of more documents than these are set aside."""
    run_length: int | None
    """For super: sampled shingles in a super-shingle."""

    measure: Literal["resemblance", "containment"]
    """What is measured of two texts: shared shingles divided by all, or by those of the text that may go."""
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
    """How candidates are found; a kind by its name alone has its defaults. "all" joins all sets exactly, in memory."""
    verify: Literal["exact", "sketch", "none"] | None
    """What counts as similar."""


class ReadOptions(TypedDict, total=False):
    """How a collection is read and worked on, by the names of the command's flags."""

    format: Literal["jsonl", "json", "csv", "text", "html", "warc", "parquet", "arrow"] | None
    """What all files hold, where their names and first bytes do not say it."""
    delimiter: str | None
    """The character between the fields of CSV."""
    encoding: str | None
    """The encoding of files that is not UTF-8."""
    input_command: str | Sequence[str] | None
    """Commands whose output is read after the other inputs; `data` may be None then."""
    gitignore: bool
    """Of folders, leave out what .gitignore files say."""
    all_splits: bool
    """Read all splits of a data set that a folder holds, such as train and test, as one collection."""
    allow_repeated_ids: bool
    """Let several documents have the same id."""
    set_field: str | None
    """The field of sets: as `text` with `tokens="items"`."""
    html: Literal["text", "main"] | None
    """Take texts for pages of HTML, and compare this of them."""
    skip_bad: str | PathLike[str] | bool | None
    """A file to set bad lines aside in; True skips and counts them."""
    threads: int
    """One a core for 0. The answer is the same for any number."""
    memory: int | str | None
    """Bytes to take, or a size such as "8G"; half of what is free unless given."""
    temp_dir: str | PathLike[str] | None
    """The folder for temporary files."""
    progress: bool | None
    """Whether a bar is shown."""


class RunOptions(CollectionConfig, ReadOptions, total=False):
    """The keywords of a run over a collection: what decides the answer, and how the collection is read and worked on."""


class PairsOptions(RunOptions, total=False):
    """The keywords of `pairs` after the threshold."""

    exact: bool
    """As `method="shingle"`: join all sets exactly, in memory."""
    nearest: int | None
    """For each document its most similar matches only, this many: a is the document, b its neighbour, most similar first."""


class DedupOptions(RunOptions, total=False):
    """The keywords of `dedup` after the threshold."""

    cluster: Literal["law", "components", "greedy"] | Greedy
    """What a group is: a kept document and those similar to it, all that chains of similar pairs connect, or greedy clusters."""
    representative: Literal["first", "popular"] | None
    """For `cluster="greedy"`: the representative of a cluster."""
    sample: int | None
    """For `cluster="greedy"`: fingerprints in a sketch."""

    keep: str | None
    """Which document stays: first, longest (most characters of the text as it is; of sets most items), newest:FIELD, max:FIELD or
    min:FIELD; ties go to the first."""
    against_only: bool
    """Whether documents are compared with references only, and not with each other."""
    drop_holders: bool
    """Whether a document goes for a reference that it contains, and not for one that contains it."""
    dry_run: bool
    """Do everything except write files."""
    label: bool
    """Drop nothing: write all records to `output`, with the fields cluster, verdict, representative and similarity."""
    label_prefix: str
    """What the names of these four begin with, such as "dup_"."""
    decisions: str | PathLike[str] | None
    """A file for the command's decision lines."""
    resume: str | PathLike[str] | None
    """A folder to keep what is done in, so that the same call goes on from there."""
