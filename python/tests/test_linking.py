"""Record linkage: frames, tables, lists and datasets give the pairs and clusters of the command."""

from __future__ import annotations

import datetime
import decimal
import json
import os
import random
import signal
import threading
import time

import datasets
import lookalike
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from lookalike import errors
from lookalike.keywords import _TAKES

CONFIG = {
    "match": 0.85,
    "possible": 0.6,
    "field": [
        {"name": "name", "type": "name"},
        {"name": "born", "type": "date"},
        {"name": "city", "type": "name", "from": "home.city"},
        {"name": "income", "type": "number", "within": 50},
    ],
    "block": [{"equal": ["born"]}, {"equal": ["city", {"field": "name", "take": "first-word", "prefix": 2}]}],
}
TOML = """match = 0.85
possible = 0.6

[[field]]
name = "name"
type = "name"

[[field]]
name = "born"
type = "date"

[[field]]
name = "city"
type = "name"
from = "home.city"

[[field]]
name = "income"
type = "number"
within = 50

[[block]]
equal = ["born"]

[[block]]
equal = ["city", { field = "name", take = "first-word", prefix = 2 }]
"""
FIRST, LAST = ("Ann", "Mary", "John", "Élise", "Peter", "Ruth"), ("Miller", "Smith", "O'Brien", "Baker", "李", "Lee")


def people(count, seed, prefix="r"):
    """Return records of people, about half of whom occur several times, with other spellings and missing values."""
    draw = random.Random(seed)
    records = []
    for number in range(count):
        if records and draw.random() < 0.5:
            record = {**draw.choice(records), "id": f"{prefix}{number}"}
            if draw.random() < 0.5:
                record["name"] = record["name"].replace("e", "a", 1)
            if draw.random() < 0.2:
                record["born"] = None
            if draw.random() < 0.2:
                record["home"] = {"city": "Hull", "zip": 7}
        else:
            record = {
                "id": f"{prefix}{number}",
                "name": f"{draw.choice(FIRST)} {draw.choice(LAST)}",
                "born": f"19{draw.randrange(60, 64)}-0{draw.randrange(1, 10)}-1{draw.randrange(10)}",
                "home": {"city": draw.choice(["Leeds", "York", "Bath"]), "zip": draw.randrange(99)},
                "income": draw.choice([None, 12.5, 99.25, 1000.0]),
                "who": number,
            }
        records.append(record)
    return records


def write(path, records):
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


def table(records):
    return pa.Table.from_pylist(records)


def split(data):
    """Return a table in several batches."""
    return pa.concat_tables([data.slice(at, 7) for at in range(0, data.num_rows, 7)])


KINDS = {
    "list": lambda records: records,
    "tuple": tuple,
    "pandas": lambda records: pd.DataFrame(records),
    "pandas of arrow": lambda records: table(records).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda records: pl.DataFrame(records),
    "table": lambda records: split(table(records)),
    "batch": lambda records: table(records).combine_chunks().to_batches()[0],
    "reader": lambda records: split(table(records)).to_reader(),
    "dataset": datasets.Dataset.from_list,
    "selected dataset": lambda records: datasets.Dataset.from_list(records + records).select(range(len(records))),
    "iterable dataset": lambda records: datasets.Dataset.from_list(records).to_iterable_dataset(),
}


def pairs_of(found):
    """Return the pairs of a result of any kind as a pandas frame."""
    if isinstance(found, list):
        named = [{**{f"points.{name}": points for name, points in pair.pop("points").items()}, **pair} for pair in found]
        return pd.DataFrame(named)
    if isinstance(found, datasets.Dataset):
        return found.to_pandas()
    return found if isinstance(found, pd.DataFrame) else pa.table(found).to_pandas()


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """Return the output of the command for one collection and for two, and the folder."""
    from conftest import run_command

    folder = tmp_path_factory.mktemp("linking")
    write(folder / "a.jsonl", people(60, 1))
    write(folder / "b.jsonl", people(50, 2, "s"))
    (folder / "link.toml").write_text(TOML)
    outputs = []
    for inputs in (["a.jsonl"], ["a.jsonl", "b.jsonl"]):
        ran = run_command(folder, "link", *inputs, "--config", "link.toml", "--clusters", "clusters.jsonl")
        assert ran.returncode == 0, ran.stderr
        outputs.append((ran.stdout, (folder / "clusters.jsonl").read_bytes()))
    assert all(pairs.count(b"\n") > 20 for pairs, _ in outputs)
    return outputs, folder


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_gives_the_lines_of_the_command(kind, expected):
    (one, two), folder = expected
    made = KINDS[kind]
    links = lookalike.link(made(people(60, 1)), config=CONFIG)
    assert (links.json(), links.clusters_json()) == one
    links = lookalike.link(made(people(60, 1)), made(people(50, 2, "s")), folder / "link.toml")
    assert (links.json(), links.clusters_json()) == two
    lines = [json.loads(line) for line in two[0].splitlines()]
    found = pairs_of(links.pairs)
    assert found["a"].tolist() == [line["a"] for line in lines]
    assert found["verdict"].tolist() == [line["verdict"] for line in lines]
    for name in ("name", "born", "city", "income"):
        points = [line["points"][name] for line in lines]
        assert np.array_equal(found[f"points.{name}"].to_numpy(float), np.array(points, float), equal_nan=True)
    assert [pair["score"] for pair in links] == [line["score"] for line in lines] == found["score"].tolist()
    assert len(links) == len(lines)
    assert links.summary["records"] == 110


def test_results_are_of_the_kind_of_the_data():
    first, second = people(30, 1), people(20, 2, "s")
    for made, own in (
        (KINDS["list"], list),
        (KINDS["pandas"], pd.DataFrame),
        (KINDS["polars"], pl.DataFrame),
        (KINDS["table"], pa.Table),
        (KINDS["reader"], pa.Table),
        (KINDS["dataset"], datasets.Dataset),
    ):
        links = lookalike.link(made(first), second, CONFIG)
        assert type(links.pairs) is own
        assert type(links.clusters) is own
        assert len(links.clusters) == 50
        assert isinstance(links.to_pandas(), pd.DataFrame)
    # In pairs, each column of ids has the type of its collection.
    numbered = [{**record, "id": number} for number, record in enumerate(second)]
    pairs = lookalike.link(pl.DataFrame(first), numbered, CONFIG).pairs
    assert (pairs.schema["a"], pairs.schema["b"]) == (pl.String, pl.Int64)
    clusters = lookalike.link(pl.DataFrame(first), second, CONFIG).clusters
    assert clusters.columns == ["id", "of", "representative", "representative_of", "size"]
    assert clusters["of"].to_list() == ["a"] * 30 + ["b"] * 20
    assert lookalike.link(pl.DataFrame(first), config=CONFIG).clusters.columns == ["id", "representative", "size"]


def test_files_of_all_formats_and_mixtures(expected, tmp_path):
    (one, two), folder = expected
    first, second = table(people(60, 1)), table(people(50, 2, "s"))
    pa.parquet.write_table(first, tmp_path / "a.parquet", row_group_size=17)
    pa.feather.write_feather(second, tmp_path / "b.feather")
    for name in (folder / "a.jsonl", tmp_path / "a.parquet"):
        links = lookalike.link(name, config=CONFIG)
        assert (links.json(), links.clusters_json()) == one
        assert isinstance(links.pairs, pa.Table)
    for a, b in (
        (tmp_path / "a.parquet", tmp_path / "b.feather"),
        (str(folder / "a.jsonl"), second),
        (first.to_pandas(), folder / "b.jsonl"),
        (people(60, 1), pl.DataFrame(people(50, 2, "s"))),
    ):
        links = lookalike.link(a, b, CONFIG, threads=2)
        assert (links.json(), links.clusters_json()) == two
    # Several files are one collection.
    pa.parquet.write_table(first.slice(0, 20), tmp_path / "0.parquet")
    pa.parquet.write_table(first.slice(20), tmp_path / "1.parquet")
    links = lookalike.link(lookalike.Files(tmp_path / "0.parquet", tmp_path / "1.parquet"), config=CONFIG)
    assert (links.json(), links.clusters_json()) == one


def test_options_are_the_flags_of_the_command(expected, command, tmp_path):
    _, folder = expected
    for keywords, flags in (
        ({"one_to_one": True}, ["--one-to-one"]),
        ({"one_to_one": False}, ["--one-to-one", "no"]),
        ({"one_to_one": "auto"}, ["--one-to-one", "auto"]),
        ({"matches_only": True}, ["--matches-only"]),
        ({"labels": "who"}, ["--label", "who"]),
        ({"right_by": "who"}, ["--right-by", "who"]),
        ({"id": "name", "allow_repeated_ids": True}, ["--id-field", "name", "--allow-repeated-ids"]),
        ({"memory": "64M", "threads": 1}, ["--memory", "64M", "--threads", "1"]),
    ):
        ran = command("link", folder / "a.jsonl", folder / "b.jsonl", "--config", folder / "link.toml", "--json", *flags)
        assert ran.returncode == 0, ran.stderr
        links = lookalike.link(pd.DataFrame(people(60, 1)), folder / "b.jsonl", CONFIG, **keywords)
        assert links.json() == ran.stdout
        theirs = json.loads(ran.stderr)
        for name in ("records", "records_a", "matches", "candidates", "clusters", "blocks", "judged", "right"):
            assert links.summary.get(name) == theirs.get(name), name
    truth = tmp_path / "truth.jsonl"
    truth.write_text('{"a": "r1", "b": "s1"}\n')
    links = lookalike.link(people(60, 1), people(50, 2, "s"), CONFIG, truth=truth, report=tmp_path / "report.html")
    assert links.summary["judged"]["truth"] == 1
    assert (tmp_path / "report.html").stat().st_size > 1000


def many(count=400):
    """Return enough records to learn weights from."""
    draw = random.Random(5)
    records = []
    for number in range(count):
        first, last = draw.choice(FIRST) + draw.choice("abcdefgh"), draw.choice(LAST) + draw.choice("abcdefgh")
        born = datetime.date(1950 + draw.randrange(50), 1 + draw.randrange(12), 1 + draw.randrange(28))
        record = {"name": f"{first} {last}", "born": born.isoformat(), "street": f"{number} {draw.choice(LAST)} Street"}
        records.append(record)
        if draw.random() < 0.5:
            records.append({**record, "name": record["name"].replace("a", "e", 1)})
    draw.shuffle(records)
    return records


@pytest.mark.slow
def test_without_a_configuration_one_is_suggested_and_its_weights_are_learned(command, tmp_path):
    records = [{"id": number, **record} for number, record in enumerate(many())]
    write(tmp_path / "in.jsonl", records)
    ran = command("link", "in.jsonl", "--suggest", "-o", "link.toml")
    assert ran.returncode == 0, ran.stderr
    config = lookalike.suggest_link(pl.DataFrame(records))
    assert config.toml.encode() == (tmp_path / "link.toml").read_bytes()
    assert config["weights"] == "learned"
    expected = command("link", "in.jsonl", "--config", "link.toml").stdout
    links = lookalike.link(pl.DataFrame(records))
    assert links.json() == expected == lookalike.link(pl.DataFrame(records), config=config).json()
    assert links.pairs.columns[:5] == ["a", "b", "probability", "verdict", "bits"]
    assert all(column.startswith("weights.") for column in links.pairs.columns[5:])
    line = json.loads(expected.splitlines()[0])
    assert links.pairs.row(0)[:5] == tuple(line[name] for name in ("a", "b", "probability", "verdict", "bits"))
    assert lookalike.link(pl.DataFrame(records), config=links.config).json() == expected
    # The configuration can be changed.
    config["match"] = 0.999999
    assert lookalike.link(pl.DataFrame(records), config=config).summary["matches"] < links.summary["matches"]
    # The label is not compared.
    labelled = [{**record, "who": record["born"]} for record in records]
    assert all(field["name"] != "who" for field in lookalike.suggest_link(labelled, labels="who")["field"])
    assert lookalike.link(labelled, labels="who").summary["judged"]["precision"] > 0.5


def test_records_without_ids_are_identified_by_their_rows(tmp_path):
    frame = pd.DataFrame({"name": ["Ann Lee", "Mary Cook", "Ann Lee"]}, index=[7, 8, 9])
    config = {"field": [{"name": "name", "type": "name"}]}
    links = lookalike.link(frame, config=config)
    assert links.pairs[["a", "b"]].values.tolist() == [[0, 2]]
    assert links.clusters["representative"].tolist() == [0, 1, 0]
    frame.to_csv(tmp_path / "in.csv", index=False)
    pa.parquet.write_table(pa.Table.from_pandas(frame), tmp_path / "in.parquet")
    for name in ("in.csv", "in.parquet"):
        pair = next(iter(lookalike.link(tmp_path / name, config=config)))
        assert pair["a"].startswith(f"{tmp_path / name}:")
    # A missing id is the name of the row.
    pair = next(iter(lookalike.link(frame.assign(id=["x", None, None]), config=config)))
    assert (pair["a"], pair["b"]) == ("x", "DataFrame row 2")


def test_values_of_all_types_are_those_of_json():
    rows = [
        {
            "date": datetime.date(1998, 3, 12),
            "time": datetime.datetime(1998, 3, 12, 7, 30),
            "price": decimal.Decimal("12.50"),
            "flag": True,
            "n": np.int64(7),
            "x": np.float32(0.5),
            "text": b"caf\xc3\xa9".decode(),
            "mixed": value,
            "home": {"city": city, "tags": ["a", 1, None], "list": np.array([1, 2])},
        }
        for value, city in ((1, "York"), ("1", "York"), (None, "York"), (float("nan"), None))
    ]
    kinds = {
        "date": "date", "time": "date", "price": "number", "flag": "exact", "n": "number", "x": "number", "text": "text",
        "mixed": "exact", "home.city": "name",
    }  # fmt: skip
    fields = [{"name": name, "type": kind} for name, kind in kinds.items()]
    config = {"field": fields, "block": [{"equal": "text"}]}
    for data in (rows, pd.DataFrame(rows)):
        links = lookalike.link(data, config=config)
        points = {(pair["a"], pair["b"]): pair["points"] for pair in links}
        assert points[0, 1] == dict.fromkeys(kinds, 100.0)
        assert points[0, 2] == {**dict.fromkeys(kinds, 100.0), "mixed": None}
        assert points[0, 3] == {**dict.fromkeys(kinds, 100.0), "mixed": None, "home.city": None}
    # Ids of several types remain distinct.
    ids = [{"id": own, "text": "same"} for own in (1, "1", 1.5)]
    links = lookalike.link(ids, config={"field": [{"name": "text", "type": "text"}]})
    assert [(pair["a"], pair["b"]) for pair in links] == [(1, "1"), (1, 1.5), ("1", 1.5)]


def test_empty_collections():
    for empty in ([], pd.DataFrame({"name": []}), pl.DataFrame({"name": []}), pa.table({"name": pa.array([], pa.string())})):
        links = lookalike.link(empty, config={"field": [{"name": "name", "type": "name"}]})
        assert len(links) == len(links.pairs) == len(links.clusters) == links.summary["records"] == 0
    links = lookalike.link([], people(20, 1), CONFIG)
    assert (len(links), links.summary["records"], links.summary["records_a"]) == (0, 20, 0)


def test_errors_name_the_place_and_the_remedy(tmp_path):
    records = people(20, 1)
    config = {"field": [{"name": "name", "type": "name"}]}
    frame = pd.DataFrame(records)
    broken = tmp_path / "link.toml"
    broken.write_text('[[field]]\nname = "name"\n')
    deep = {"name": "x"}
    for _ in range(200):
        deep = {"name": deep}
    for run, error, parts in (
        (lambda: lookalike.link(frame, config={"fields": []}), errors.ConfigError, ["config= unknown field `fields`"]),
        (
            lambda: lookalike.link(frame, config={"field": [{"name": "name"}]}),
            errors.ConfigError,
            ["config= missing field `type`"],
        ),
        (lambda: lookalike.link(frame, config={}), errors.ConfigError, ["field"]),
        (lambda: lookalike.link(frame, config=3), errors.ConfigError, ["config= takes the path of a TOML file"]),
        (lambda: lookalike.link(frame, config=broken), errors.ConfigError, ["link.toml:1: missing field `type` of the field"]),
        (lambda: lookalike.link(frame, config=tmp_path / "no"), errors.ConfigError, ["no such file"]),
        (
            lambda: lookalike.link(frame, config=config, id="nr"),
            errors.InputError,
            ["DataFrame: no column 'nr'", "'name'", "id="],
        ),
        (lambda: lookalike.link(frame, records, config, id="nr"), errors.InputError, ["a: no column 'nr'"]),
        (lambda: lookalike.link(frame, frame, config), errors.InputError, ["a and b are the same data"]),
        (lambda: lookalike.link(frame, config=config, labels="sex"), errors.RecordError, ["labels=", "sex", "missing or empty"]),
        (lambda: lookalike.link(frame, config=config, format="csv"), errors.ConfigError, ["format= only works with paths"]),
        (lambda: lookalike.link(tmp_path / "no.csv", config=config), errors.InputError, ["no.csv: no such file"]),
        (lambda: lookalike.link(["Ann", "Lee"], config=config), errors.InputError, ["plain values have no fields"]),
        (lambda: lookalike.link(pl.Series(["Ann"]), config=config), errors.InputError, ["plain values have no fields"]),
        (lambda: lookalike.link([{"name": object()}], config=config), errors.RecordError, ["list row 0", "of the type object"]),
        (lambda: lookalike.link([{"name": {1: 2}}], config=config), errors.RecordError, ["a key that is not a str"]),
        (lambda: lookalike.link([{"name": "\ud83d"}], config=config), errors.RecordError, ["lone surrogate"]),
        (lambda: lookalike.link([deep], config=config), errors.RecordError, ["more than 100 levels"]),
        (lambda: lookalike.link([{"name": ["a"]}], config=config), errors.RecordError, ["list row 0", "an array"]),
        (lambda: lookalike.link([*records, 3], config=config), errors.RecordError, ["list row 20"]),
        (lambda: lookalike.link(pd.DataFrame({1: ["a"]}), config=config), errors.InputError, ["use strings as names"]),
        (
            lambda: lookalike.link([{"id": 1, "nom": "a"}], config=config),
            errors.RecordError,
            ['list: no record has "name"', 'has "id", "nom"'],
        ),
        (lambda: lookalike.link([{"id": 1, "name": "a"}] * 2, config=config), errors.RecordError, ["list row 1", "already used"]),
        (lambda: lookalike.suggest_link([{"id": 1}]), errors.InputError, ["no"]),
        (lambda: lookalike.link({"name": ["a"]}, config=config), TypeError, ["unsupported input type"]),
        (lambda: lookalike.link(frame, config=config, label="who"), TypeError, ["did you mean labels="]),
        (lambda: lookalike.link(frame, config=config, threads=-1), errors.ConfigError, ["threads= takes"]),
    ):
        with pytest.raises(error) as raised:
            run()
        for part in parts:
            assert part in str(raised.value)
    with pytest.raises(errors.RecordError) as raised:
        lookalike.link([{"name": "a"}, {"name": ["b"]}], config=config)
    assert (raised.value.path, raised.value.line, raised.value.field) == ("list", 1, "name")
    assert set(lookalike.LinkRunOptions.__annotations__) <= set(_TAKES)


def test_the_interpreter_is_free_and_an_interrupt_ends_the_run():
    # All records have the same value in the block, so that the run takes minutes unless it is interrupted.
    frame = pl.DataFrame({"name": [f"{number:06} {'long name ' * 20}" for number in range(20_000)], "same": ["x"] * 20_000})
    config = {
        "field": [{"name": "name", "type": "text"}, {"name": "same", "type": "exact"}],
        "block": [{"equal": "same"}],
    }
    ticks = []

    def interrupt():
        for _ in range(10):
            time.sleep(0.1)
            ticks.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        lookalike.link(frame, config=config)
    ended = time.monotonic()
    thread.join()
    assert len(ticks) == 10
    assert ended - ticks[-1] < 30
