"""Steps that are saved, so that a run continues after its driver was killed."""

from __future__ import annotations

import logging
from typing import Any

from lookalike.errors import ConfigError

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
        path, marker = f"{self._folder}/{step}", f"{self._folder}/{step}.done"
        run = self._marked(marker)
        if run is None:
            _LOG.info("%s: running; the result is saved in %s", step, path)
            df.write.mode("overwrite").parquet(path)
            self._spark.createDataFrame([(self._run,)], "run string").write.mode("overwrite").parquet(marker)
        elif run != self._run:
            words = (
                f"{self._folder} has the progress of a run with other settings ({run}); name another folder, or remove this one"
            )
            raise ConfigError(words, option="checkpoint")
        else:
            _LOG.info("%s: read from %s", step, path)
        return self._spark.read.parquet(path)

    def _marked(self, marker: str) -> str | None:
        """Return the run that a marker describes, if the marker exists."""
        from pyspark.errors import PySparkException

        try:
            rows = self._spark.read.schema("run string").parquet(marker).collect()
        except PySparkException:
            return None
        return rows[0]["run"] if rows else None
