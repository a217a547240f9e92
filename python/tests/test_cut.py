"""`lookalike cut` writes tables with the remaining texts, or with marks, and all other columns in the types that they had."""

import json
import re

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from conftest import ROOT

NOTICE = "No part of this page may be copied without asking."
TEXTS = [f"Rain. {NOTICE}", f"{NOTICE} Sun.", None, NOTICE, "Hail, é, 漢字."]
LEFT = [f"Rain. {NOTICE}", "Sun.", "Hail, é, 漢字."]
TYPES = {
    "string": pa.string(),
    "large_string": pa.large_string(),
    "string_view": pa.string_view(),
    "binary": pa.binary(),
    "large_binary": pa.large_binary(),
    "dictionary": pa.dictionary(pa.int8(), pa.string()),
    "dictionary of large strings": pa.dictionary(pa.uint32(), pa.large_string()),
}


def column(kind, texts=TEXTS):
    if pa.types.is_dictionary(kind):
        return pa.array(texts, kind.value_type).dictionary_encode().cast(kind)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return pa.array([text and text.encode() for text in texts], kind)
    return pa.array(texts, kind)


def table(kind):
    meta = pa.StructArray.from_arrays([column(kind), pa.array([1.5, None, 2, 3, 4])], ["body", "score"])
    numbers = pa.array([[1], [], None, [2, 3], [4]])
    all_columns = {"id": pa.array(range(5)), "text": column(kind), "meta": meta, "numbers": numbers}
    return pa.table(all_columns).replace_schema_metadata({"made": "by hand"})


@pytest.mark.parametrize("kind", TYPES.values(), ids=TYPES)
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_tables_keep_their_types_and_other_columns(command, tmp_path, kind, ending):
    made = table(kind)
    if ending == "parquet":
        pq.write_table(made, tmp_path / "in.parquet")
    else:
        pyarrow.feather.write_feather(made, tmp_path / "in.arrow", compression="zstd")
    for field in ("text", "meta.body"):
        out = tmp_path / f"out.{ending}"
        flags = ["--window", "5", "--text-field", field, "--skip-bad", "bad.jsonl", "-q"]
        ran = command("cut", f"in.{ending}", *flags, "-o", out.name)
        assert ran.returncode == 0, ran.stderr
        left = pq.read_table(out) if ending == "parquet" else pyarrow.feather.read_table(out)
        before = pq.read_table(tmp_path / "in.parquet") if ending == "parquet" else made
        assert left.schema.equals(before.schema, check_metadata=True), (left.schema, before.schema)
        assert left["id"].to_pylist() == [0, 1, 4]
        assert left["numbers"].to_pylist() == [[1], [], [4]]
        texts = left["text"].to_pylist() if field == "text" else [row["body"] for row in left["meta"].to_pylist()]
        assert [text.decode() if isinstance(text, bytes) else text for text in texts] == LEFT
        other = [row["score"] for row in left["meta"].to_pylist()]
        assert other == [1.5, None, 4]
        lines = command("cut", f"in.{ending}", *flags, "-o", "-").stdout.decode()
        assert lines.count("\n") == 3
        # JSON has binary values as hexadecimal digits.
        assert NOTICE in lines or NOTICE.encode().hex() in lines


def removed(text, spans):
    """Return a text without its spans."""
    for span in reversed(spans):
        text = text[: span["start"]] + (span["insert"] or "") + text[span["end"] :]
    return text


@pytest.mark.slow
@pytest.mark.parametrize("flags", [["--window", "12"], ["--unit", "lines", "--keep", "longest"]], ids=" ".join)
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_marks_give_the_remaining_texts(command, tmp_path, ending, flags):
    # Nothing is cut out of these licences, because too many of them would have to contain it.
    licences = ROOT / "testdata/licenses.jsonl.zst"
    assert command("cut", licences, "--more-than", 1_000_000, "-o", "all.jsonl").returncode == 0
    records = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().split("\n") if line]
    whole = pa.table({"number": range(len(records)), **{name: [record[name] for record in records] for name in ("id", "text")}})
    pq.write_table(whole, tmp_path / "in.parquet")
    pyarrow.feather.write_feather(whole, tmp_path / "in.arrow")

    def written(*others):
        ran = command("cut", f"in.{ending}", *flags, *others, "-o", f"out.{ending}", "-q")
        assert ran.returncode == 0, ran.stderr
        out = tmp_path / f"out.{ending}"
        return pq.read_table(out) if ending == "parquet" else pyarrow.feather.read_table(out)

    marked, clean = written("--mark", "--mark-prefix", ""), written()
    assert marked.select(whole.column_names) == whole
    item = marked.schema.field("spans").type.value_type
    names = ["start", "end", "insert", "tokens", "source", "source_start", "source_end"]
    assert [item.field(at).name for at in range(item.num_fields)] == names
    rows = [row for row in marked.to_pylist() if row["verdict"] != "dropped"]
    assert [removed(row["text"], row["spans"]) for row in rows] == clean["text"].to_pylist()
    assert [row["id"] for row in rows] == clean["id"].to_pylist()
    verdicts = marked["verdict"].to_pylist()
    assert verdicts.count("dropped") == len(whole) - len(clean) > 0 < verdicts.count("kept")
    # The words are equal in the text of the source.
    texts = dict(zip(whole["id"].to_pylist(), whole["text"].to_pylist(), strict=True))
    for row in rows[:200]:
        for span in row["spans"]:
            own = row["text"][span["start"] : span["end"]]
            other = texts[span["source"]][span["source_start"] : span["source_end"]]
            assert re.findall(r"\w+", own.lower()) == re.findall(r"\w+", other.lower())
