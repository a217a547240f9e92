"""Collections that outgrow one machine: `dedup` and `pairs` for Spark DataFrames, with the answers of one machine.

They use only `mapInArrow` and SQL operators, so they run on classic Spark, on Spark Connect, and on other engines with Spark's
protocol. PySpark (3.5 or later) and pyarrow must be installed with lookalike, on the driver and on the executors.
"""

from lookalike.spark.running import Result, dedup, pairs

__all__ = ["Result", "dedup", "pairs"]
