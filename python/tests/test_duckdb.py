"""Relations of DuckDB keep their types, columns and connection."""

from __future__ import annotations

import lookalike
import pytest
from lookalike import errors

pytestmark = pytest.mark.slow

duckdb = pytest.importorskip("duckdb")


def test_relations_keep_their_types_and_connection():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE lookalike_seen AS SELECT 'n1' AS id, true AS seen")
    own = connection.sql(
        """SELECT i AS id, CASE i WHEN 3 THEN 'the text 1' ELSE 'the text ' || i END AS text, sum(i) OVER () AS total,
        md5(i::VARCHAR)::UUID AS "a ""key"" b", 'a'::ENUM('b', 'a') AS letter, '101'::BIT AS bits, '12:00:00+02'::TIMETZ AS noon,
        '2026-01-01'::TIMESTAMPTZ AS at, '2026-01-01'::TIMESTAMP_NS AS exact, {'a': i, 'b': [i, NULL]} AS nested, NULL AS nothing,
        MAP {'k': i} AS entries, i::DECIMAL(9, 2) AS price, INTERVAL 3 MONTH AS period, '{"a": 1}'::JSON AS document,
        [1, 2]::INTEGER[2] AS pair, '\\xAA'::BLOB AS raw, 5::UTINYINT AS small, 2.5::FLOAT AS real FROM range(6) t(i)"""
    )
    kept, report = lookalike.dedup(own, id="id", shingle=1, threshold=1)
    assert (kept.columns, kept.types) == (own.columns, own.types)
    expected = [row for row in own.fetchall() if row[0] != 3]
    assert kept.fetchall() == kept.fetchall() == expected
    assert report.clusters == {1: [1, 3]}
    shorter, _ = lookalike.cut(own, id="id", window=3)
    assert (shorter.columns, shorter.types, shorter.fetchall()) == (own.columns, own.types, expected)
    # The result can be used in queries of its connection, which has no new tables.
    assert connection.sql("SELECT count(*) FROM kept JOIN own USING (id)").fetchall() == [(5,)]
    assert connection.sql("SELECT table_name FROM duckdb_tables()").fetchall() == [("lookalike_seen",)]
    assert connection.sql("SELECT count(*) FROM duckdb_views() WHERE NOT internal").fetchall() == [(0,)]


def test_a_query_is_executed_once_by_duckdb():
    connection = duckdb.connect()
    connection.execute("CREATE SEQUENCE counted")
    own = connection.sql("SELECT nextval('counted') AS id, 'text ' || i AS text FROM range(100) t(i)")
    kept, report = lookalike.dedup(own, id="id")
    assert report.decisions["id"].to_pylist() == list(range(1, 101))
    assert [row[0] for row in kept.fetchall()] == [row[0] for row in kept.fetchall()] == list(range(1, 101))


def test_relations_that_fail():
    connection = duckdb.connect()
    with pytest.raises(errors.InputError, match=r"the query failed .*Conversion Error"):
        lookalike.dedup(connection.sql("SELECT ('text ' || i)::INTEGER AS n, 'a' AS text FROM range(3) t(i)"))
    with pytest.raises(errors.InputError, match="duplicate column 'text'"):
        lookalike.dedup(connection.sql("SELECT 'a' AS text, 'b' AS text"))
    twice, _ = lookalike.dedup(connection.sql("SELECT 'a' AS text, 1 AS n, 2 AS n"))
    assert (twice.columns, twice.fetchall()) == (["text", "n", "n"], [("a", 1, 2)])
    connection.execute("SET python_enable_replacements = false")
    with pytest.raises(errors.InputError, match="SET python_enable_replacements = true"):
        lookalike.dedup(connection.sql("SELECT 'a' AS text"))
