"""Steps that are saved, so that a run continues after its driver was killed."""

from __future__ import annotations

import logging
import uuid
from typing import Any

from lookalike.errors import ConfigError

_MARKER = "run string, path string"
"""The columns of a marker: what identifies the run, and the folder with the rows of the step."""

_LOG = logging.getLogger("lookalike.spark")


class Checkpoint:
    """A folder that every executor can reach; without a folder nothing is saved."""

    def __init__(self, spark: Any, folder: str | None, run: str) -> None:
        self._spark = spark
        self._folder = None if folder is None else folder.rstrip("/")
        self._run = run

    def saved(self, step: str, df: Any) -> Any:
        """Run a step and save its rows, or read the rows that an earlier run saved.

        A step counts as saved only if its marker, a file that is written last, says so. The marker describes the run.

        Raises `ConfigError` if the rows are those of a run with other settings.
        """
        if self._folder is None:
            return df
        marker = f"{self._folder}/{step}.done"
        done = self._marked(marker)
        if done is None:
            # Another run may write the same step at the same time, so each attempt has a folder of its own.
            path = f"{self._folder}/{step}-{uuid.uuid4().hex}"
            _LOG.info("%s: running; the result is saved in %s", step, path)
            df.write.parquet(path)
            self._spark.createDataFrame([(self._run, path)], _MARKER).write.mode("overwrite").parquet(marker)
            return self._spark.read.parquet(path)
        run, path = done
        if run != self._run:
            words = (
                f"{self._folder} has the progress of a run with other settings ({run}); name another folder, or remove this one"
            )
            raise ConfigError(words, option="checkpoint")
        _LOG.info("%s: read from %s", step, path)
        return self._spark.read.parquet(path)

    def _marked(self, marker: str) -> tuple[str, str] | None:
        """Return the run that a marker describes, and the folder with its rows; None if there is no marker."""
        from pyspark.errors import PySparkException

        try:
            rows = self._spark.read.schema(_MARKER).parquet(marker).collect()
        except PySparkException as error:
            if not is_missing(error):
                raise
            return None
        return (rows[0]["run"], rows[0]["path"]) if rows else None


def is_missing(error: Any) -> bool:
    """Return whether an error says that a file does not exist, in Spark's words or in Sail's."""
    words = f"{error.getErrorClass() or ''} {error}".lower()
    return any(known in words for known in ("path_not_found", "path does not exist", "not found", "no such file"))
