"""Tests the command on objects in a store: whatever fails, an output has the same bytes as with files, or does not exist."""

import argparse
import functools
import gzip
import http.server
import itertools
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from botocore.exceptions import ClientError

from faults import Fault
from server import KEYS, Store

BUCKET = "bucket"
PROGRAM = None
STORE = None


def collection(documents, seed):
    """Returns documents, some of which are near-duplicates of others."""
    draw = random.Random(seed)
    words = ["word%d" % n for n in range(20000)]
    texts, lines = [], []
    for number in range(documents):
        if texts and draw.random() < 0.2:
            text = draw.choice(texts[-500:]).split(" ")
            text[draw.randrange(len(text))] = "changed"
        else:
            text = draw.choices(words, k=120)
        texts.append(" ".join(text))
        lines.append(json.dumps({"id": "%d-%d" % (seed, number), "text": texts[-1]}))
    return ("\n".join(lines) + "\n").encode()


class Stories(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="lookalike-stores-")
        cls.place = pathlib.Path(cls.folder.name)
        STORE.s3.create_bucket(Bucket=BUCKET)
        # This collection is large enough to be read and written in several parts.
        cls.large = collection(22000, 1)
        cls.small = collection(300, 2)
        (cls.place / "in").mkdir()
        cls.inputs = {"in/large.jsonl": cls.large, "in/small.jsonl.gz": gzip.compress(cls.small, 1)}
        for name, content in cls.inputs.items():
            (cls.place / name).write_bytes(content)
            cls.put(name, content)
        for name in ("in/.hidden.jsonl", "in/notes.txt", "in/x.decisions.jsonl"):
            cls.put(name, b"no input")
        for ending in ("zst", "xz"):
            cls.run_ok("in/large.jsonl", "-o", "packed.jsonl." + ending, "--no-decisions", "--threshold", "1")
            cls.put("packed.jsonl." + ending, (cls.place / ("packed.jsonl." + ending)).read_bytes())
        cls.run_ok("in", "-o", "kept.jsonl")
        cls.kept = (cls.place / "kept.jsonl").read_bytes()
        cls.why = (cls.place / "kept.decisions.jsonl").read_bytes()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        STORE.proxy.fault = STORE.proxy.hook = None
        STORE.proxy.log.clear()
        for item in STORE.s3.list_objects_v2(Bucket=BUCKET, Prefix="out/").get("Contents", []):
            STORE.s3.delete_object(Bucket=BUCKET, Key=item["Key"])
        self.forget_uploads()

    def tearDown(self):
        STORE.proxy.fault = STORE.proxy.hook = None

    @classmethod
    def put(cls, key, content):
        STORE.s3.put_object(Bucket=BUCKET, Key=key, Body=content)

    @classmethod
    def environment(cls, **more):
        usual = {k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "AZURE_", "GOOGLE_"))}
        usual.update(KEYS, AWS_ENDPOINT_URL=STORE.proxy.url, HOME=str(cls.place))
        usual.update(more)
        return {k: v for k, v in usual.items() if v is not None}

    @classmethod
    def start(cls, *arguments, env=None):
        command = [PROGRAM, "dedup", *arguments]
        # A shell that runs the tests in the background makes them ignore this signal.
        heeds = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
        return subprocess.Popen(command, cwd=cls.place, env=env or cls.environment(), preexec_fn=heeds, **pipes)

    @classmethod
    def run_it(cls, *arguments, env=None):
        process = cls.start(*arguments, env=env)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err.decode()

    @classmethod
    def run_ok(cls, *arguments, env=None):
        code, out, err = cls.run_it(*arguments, env=env)
        if code != 0:
            raise AssertionError("%s: %s %s" % (arguments, code, err))
        return out, err

    def signalled(self, number, wants, at, *arguments):
        """Sends a signal to a run when the request with a number, of those that are wanted, arrives. Returns the exit code."""
        # Requests arrive in several threads, and the first one may arrive before this thread has the process.
        numbers, started, sent = itertools.count(1), threading.Event(), threading.Event()

        def hook(method, path):
            if wants(method, path) and next(numbers) == at:
                started.wait()
                sent.set()
                process.send_signal(number)

        STORE.proxy.hook = hook
        process = self.start(*arguments)
        started.set()
        process.communicate(timeout=120)
        STORE.proxy.hook = None
        self.assertTrue(sent.is_set())
        return process.returncode

    def refused(self, arguments, *parts, env=None):
        code, out, err = self.run_it(*arguments, env=env)
        self.assertEqual((code, out), (2, b""), err)
        for part in parts:
            self.assertIn(part, err)
        self.assertNotIn("report it", err)
        return err

    def content(self, key):
        """Returns the content of an object; None if it does not exist."""
        try:
            return STORE.s3.get_object(Bucket=BUCKET, Key=key)["Body"].read()
        except ClientError as error:
            if error.response["Error"]["Code"] in ("NoSuchKey", "404"):
                return None
            raise

    def nothing_is_left(self):
        self.assertEqual(STORE.s3.list_objects_v2(Bucket=BUCKET, Prefix="out/").get("KeyCount"), 0)
        self.assertEqual(STORE.s3.list_multipart_uploads(Bucket=BUCKET).get("Uploads", []), [])

    def forget_uploads(self):
        for upload in STORE.s3.list_multipart_uploads(Bucket=BUCKET).get("Uploads", []):
            STORE.s3.abort_multipart_upload(Bucket=BUCKET, Key=upload["Key"], UploadId=upload["UploadId"])

    def same_outputs(self, *inputs, env=None):
        """Checks that a run on these inputs writes the same bytes to the store as the run on files."""
        self.run_ok(*inputs, "-o", "s3://bucket/out/kept.jsonl", env=env)
        self.assertTrue(self.content("out/kept.jsonl") == self.kept)
        self.assertTrue(self.content("out/kept.decisions.jsonl") == self.why)

    # Reading and writing.

    def test_folders_globs_and_names_mean_the_same_as_on_a_disk(self):
        folder = "s3://bucket/in"
        for inputs in (
            [folder],
            [folder + "/"],
            [folder + "/[ls]*"],
            ["s3://bucket/**/large.jsonl", "s3://bucket/i?/small*"],
            [folder + "/large.jsonl", "in/small.jsonl.gz"],
        ):
            with self.subTest(inputs):
                self.same_outputs(*inputs)

    def test_packed_objects(self):
        for ending in ("zst", "xz"):
            self.run_ok("s3://bucket/packed.jsonl." + ending, "-o", "a.jsonl", "--no-decisions")
            self.run_ok("packed.jsonl." + ending, "-o", "b.jsonl", "--no-decisions")
            self.assertTrue((self.place / "a.jsonl").read_bytes() == (self.place / "b.jsonl").read_bytes())
        self.run_ok("in", "-o", "s3://bucket/out/kept.jsonl.zst")
        self.run_ok("in", "-o", "local.jsonl.zst")
        self.assertTrue(self.content("out/kept.jsonl.zst") == (self.place / "local.jsonl.zst").read_bytes())
        self.assertTrue(self.content("out/kept.decisions.jsonl.zst") is not None)

    def test_tables(self):
        folder = pathlib.Path(__file__).parents[2] / "testdata" / "formats" / "tables"
        for name, ending in (("pyarrow_zstd.parquet", "parquet"), ("pyarrow_zstd.arrow", "arrow")):
            with self.subTest(name):
                table = (folder / name).read_bytes()
                (self.place / name).write_bytes(table)
                self.put("tables/" + name, table)
                loose = ["--shingle", "1", "--threshold", "0.6", "--no-decisions"]
                self.run_ok(name, "-o", "local." + ending, *loose)
                STORE.proxy.fault = Fault("500", each=3)
                self.run_ok("s3://bucket/tables/" + name, "-o", "s3://bucket/out/kept." + ending, *loose)
                STORE.proxy.fault = None
                self.assertTrue(self.content("out/kept." + ending) == (self.place / ("local." + ending)).read_bytes())
                self.run_ok("s3://bucket/tables/" + name, "-o", "kept.jsonl", "--against", name, *loose)
                self.assertEqual((self.place / "kept.jsonl").read_bytes().count(b"\n"), 3)

    def test_many_small_objects(self):
        lines = self.small.splitlines(keepends=True)
        (self.place / "many").mkdir()
        for number in range(60):
            name, content = "many/%02d.jsonl" % number, b"".join(lines[number * 5 : number * 5 + 5])
            (self.place / name).write_bytes(content)
            self.put(name, content)
        self.run_ok("many", "in/large.jsonl", "-o", "many.jsonl")
        for kind in (None, "500", "cut"):
            STORE.proxy.fault = Fault(kind, wants=lambda method, path: method == "GET" and "many/" in path, each=4) if kind else None
            self.run_ok("s3://bucket/many", "s3://bucket/in/large.jsonl", "-o", "s3://bucket/out/many.jsonl")
            self.assertTrue(self.content("out/many.jsonl") == (self.place / "many.jsonl").read_bytes())

    def test_threads_and_orders(self):
        for more in (["--threads", "1"], ["--threads", "5"], ["--memory", "64M"]):
            self.run_ok("s3://bucket/in/", "-o", "s3://bucket/out/kept.jsonl", *more)
            self.assertTrue(self.content("out/kept.jsonl") == self.kept, more)
        self.run_ok("s3://bucket/in/", "-o", "s3://bucket/out/longest.jsonl", "--keep", "longest")
        self.run_ok("in", "-o", "longest.jsonl", "--keep", "longest")
        self.assertTrue(self.content("out/longest.jsonl") == (self.place / "longest.jsonl").read_bytes())

    def test_several_outputs(self):
        self.run_ok("s3://bucket/in", "-o", "s3://bucket/out/clean/", "--decisions", "s3://bucket/out/why/")
        whole = self.content("out/clean/large.jsonl") + gzip.decompress(self.content("out/clean/small.jsonl.gz"))
        self.assertTrue(whole == self.kept)
        why = self.content("out/why/large.decisions.jsonl") + gzip.decompress(self.content("out/why/small.decisions.jsonl.gz"))
        self.assertTrue(why == self.why)
        self.run_ok("in", "-o", "s3://bucket/out/n/", "--threads", "1")
        self.assertTrue(self.content("out/n.decisions.jsonl") == self.why)
        self.assertTrue(self.content("out/n/large.jsonl") == self.content("out/clean/large.jsonl"))
        self.run_ok("in", "-o", "s3://bucket/out/part-{:03}.jsonl", "--rows-per-file", "5000", "--no-decisions")
        keys = [item["Key"] for item in STORE.s3.list_objects_v2(Bucket=BUCKET, Prefix="out/part-")["Contents"]]
        self.assertEqual(keys, [f"out/part-{number:03}.jsonl" for number in range(len(keys))])
        self.assertGreater(len(keys), 2)
        self.assertTrue(b"".join(self.content(key) for key in keys) == self.kept)
        self.refused(["in", "-o", "s3://bucket/out/part-{:03}.jsonl", "--rows-per-file", "9"], "out/part-000.jsonl: exists")

    def test_outputs_have_the_names_of_their_objects(self):
        for name in ("hash#hash.jsonl", "q?x=1.jsonl", "a#1.jsonl", "a#2.jsonl"):
            self.put("odd/" + name, b'{"text": "one text"}\n')
        self.run_ok("s3://bucket/odd/", "-o", "s3://bucket/out/odd/", "--no-decisions")
        self.run_ok("s3://bucket/in/large.jsonl", "-o", "s3://bucket/out/one/", "--no-decisions")
        keys = [item["Key"] for item in STORE.s3.list_objects_v2(Bucket=BUCKET, Prefix="out/o")["Contents"]]
        odd = ["a#1.jsonl", "a#2.jsonl", "hash#hash.jsonl", "q?x=1.jsonl"]
        self.assertEqual(keys, [*("out/odd/" + name for name in odd), "out/one/large.jsonl"])

    def test_converted_outputs(self):
        for ending in ("parquet", "csv.gz"):
            self.run_ok("in", "-o", "kept." + ending, "--no-decisions")
            self.run_ok("s3://bucket/in", "-o", "s3://bucket/out/kept." + ending, "--no-decisions", "--format", "jsonl")
            self.assertTrue(self.content("out/kept." + ending) == (self.place / ("kept." + ending)).read_bytes())
        self.run_ok("s3://bucket/in", "-o", "s3://bucket/out/all/", "--output-format", "arrow", "--format", "jsonl", "--no-decisions")
        keys = [item["Key"] for item in STORE.s3.list_objects_v2(Bucket=BUCKET, Prefix="out/all/")["Contents"]]
        self.assertEqual(keys, ["out/all/large.arrow", "out/all/small.arrow"])
        self.run_ok("s3://bucket/out/all", "-o", "s3://bucket/out/again.jsonl", "--no-decisions")
        self.assertTrue(self.content("out/again.jsonl").count(b"\n") == self.kept.count(b"\n"))

    def test_empty_objects_and_outputs(self):
        self.put("empty.jsonl", b"")
        self.run_ok("s3://bucket/empty.jsonl", "-o", "s3://bucket/out/empty.jsonl")
        self.assertEqual(self.content("out/empty.jsonl"), b"")
        self.put("bad.jsonl", b"not JSON\n")
        self.run_ok("s3://bucket/bad.jsonl", "s3://bucket/in/small.jsonl.gz", "--skip-bad", "s3://bucket/out/bad.txt")
        self.assertEqual(self.content("out/bad.txt"), b"not JSON\n")
        self.run_ok("s3://bucket/in/small.jsonl.gz", "--skip-bad", "s3://bucket/out/none.txt")
        self.assertEqual(self.content("out/none.txt"), b"")

    def test_a_dry_run_writes_nothing(self):
        self.run_ok("s3://bucket/in", "-o", "s3://bucket/out/kept.jsonl", "--dry-run")
        self.nothing_is_left()

    def test_pairs(self):
        self.put("pairs.jsonl", self.small)
        command = [PROGRAM, "pairs", "s3://bucket/pairs.jsonl", "-o", "s3://bucket/out/pairs.jsonl"]
        subprocess.run(command, env=self.environment(), check=True, stderr=subprocess.DEVNULL)
        self.assertIn(b'"resemblance"', self.content("out/pairs.jsonl"))

    # Requests that fail.

    def faults(self, kind, **how):
        STORE.proxy.fault = Fault(kind, **how)
        self.same_outputs("s3://bucket/in")
        self.assertGreater(STORE.proxy.fault.met, 0, kind)
        STORE.proxy.fault = None

    def test_failing_requests_change_nothing(self):
        for kind in ("500", "503", "reset"):
            self.faults(kind, each=3)

    def test_bodies_that_are_cut_short_or_slow_change_nothing(self):
        reading = lambda method, path: method == "GET" and "list-type" not in path
        for kind, each in (("cut", 2), ("short", 2), ("slow", 2), ("delay", 4)):
            self.faults(kind, wants=reading, each=each)

    def test_parts_that_fail_are_sent_again(self):
        for kind in ("500", "reset", "lost"):
            self.faults(kind, wants=lambda method, path: method == "PUT" and "partNumber" in path, each=2)

    def test_a_lost_answer_to_the_last_request(self):
        last = lambda method, path: method == "POST" and "uploadId=" in path
        self.faults("lost", wants=last, each=1, most=1)
        self.faults("500", wants=last, each=1, most=2)

    def test_many_faults_at_once(self):
        draw = random.Random(3)
        kinds = ["500", "503", "reset", "cut", "short", "slow", "delay"]

        class Some(Fault):
            def meets(self, method, path):
                if draw.random() > 0.3:
                    return False
                self.kind = draw.choice(kinds if method == "GET" and "list-type" not in path else kinds[:3])
                self.met += 1
                return True

        STORE.proxy.fault = Some(None)
        self.same_outputs("s3://bucket/in")
        self.assertGreater(STORE.proxy.fault.met, 3)

    def test_an_object_that_changes_is_refused(self):
        self.put("changing.jsonl", self.large)
        for at in (1, 2, 5, 8):
            self.put("changing.jsonl", self.large)
            seen = []

            def hook(method, path):
                if method == "GET" and "changing" in path:
                    seen.append(path)
                    if len(seen) == at:
                        self.put("changing.jsonl", self.large.replace(b"word1", b"word2"))

            STORE.proxy.hook = hook
            self.refused(["s3://bucket/changing.jsonl", "-o", "s3://bucket/out/kept.jsonl", "--threads", "1"], "changed while it was being read")
            STORE.proxy.hook = None
            self.nothing_is_left()

    # Outputs that are complete, or do not exist.

    def test_a_run_that_fails_leaves_nothing_and_what_was_there_stays(self):
        self.put("out/kept.jsonl", b"earlier")
        self.put("bad.jsonl", self.large + b"no JSON\n")
        self.refused(["s3://bucket/bad.jsonl", "-o", "s3://bucket/out/kept.jsonl"], "bad.jsonl:22001: not JSON")
        self.assertEqual(self.content("out/kept.jsonl"), b"earlier")
        STORE.s3.delete_object(Bucket=BUCKET, Key="out/kept.jsonl")
        self.nothing_is_left()

    def test_a_killed_run_leaves_no_object(self):
        for number in (signal.SIGKILL, signal.SIGINT):
            for at in (1, 2):
                is_part = lambda method, path: method == "PUT" and "partNumber" in path
                code = self.signalled(number, is_part, at, "s3://bucket/in", "-o", "s3://bucket/out/kept.jsonl")
                self.assertNotEqual(code, 0)
                self.assertIsNone(self.content("out/kept.jsonl"))
                self.assertIsNone(self.content("out/kept.decisions.jsonl"))

    def test_parts_that_are_denied(self):
        denied = lambda method, path: method == "PUT" and "partNumber=2" in path
        STORE.proxy.fault = Fault("403", wants=denied, each=1)
        self.refused(["in", "-o", "s3://bucket/out/kept.jsonl"], "s3://bucket/out/kept.jsonl: access denied")
        STORE.proxy.fault = None
        self.nothing_is_left()

    def test_files_and_objects_get_their_names_together(self):
        STORE.proxy.fault = Fault("403", wants=lambda method, path: method == "POST" and "uploadId=" in path, each=1)
        arguments = ["in", "-o", "together.jsonl", "--decisions", "s3://bucket/out/why.jsonl"]
        self.refused(arguments, "s3://bucket/out/why.jsonl: access denied")
        STORE.proxy.fault = None
        self.nothing_is_left()
        self.assertFalse((self.place / "together.jsonl").exists())
        self.run_ok(*arguments)
        self.assertTrue((self.place / "together.jsonl").read_bytes() == self.kept)
        self.assertTrue(self.content("out/why.jsonl") == self.why)

    def test_a_run_goes_on_where_it_was_killed(self):
        arguments = ["s3://bucket/in", "-o", "s3://bucket/out/kept.jsonl", "--resume", "state", "--resume-part", "1000000"]
        is_read = lambda method, path: method == "GET" and "large" in path
        for at in (2, 4, 5, 4):
            self.assertEqual(self.signalled(signal.SIGKILL, is_read, at, *arguments), -signal.SIGKILL)
        self.run_ok(*arguments)
        self.assertTrue(self.content("out/kept.jsonl") == self.kept)

    def test_a_run_does_not_go_on_with_another_object(self):
        self.put("other.jsonl", self.large)
        arguments = ["s3://bucket/other.jsonl", "-o", "s3://bucket/out/kept.jsonl", "--resume", "other-state", "--resume-part", "1000000"]
        self.signalled(signal.SIGKILL, lambda method, path: method == "GET" and "other" in path, 3, *arguments)
        self.put("other.jsonl", self.large.replace(b"word1", b"word2"))
        self.refused(arguments, "s3://bucket/other.jsonl: ", "since the state in other-state was saved", "version")

    # Messages.

    def test_errors_say_what_and_what_to_do(self):
        out = ["-o", "s3://bucket/out/kept.jsonl"]
        for arguments, parts in (
            (["s3://bucket/none.jsonl"], ["s3://bucket/none.jsonl: no such object", "quoted glob"]),
            (["s3://nobucket/x.jsonl"], ["s3://nobucket/x.jsonl: there is no bucket nobucket", "AWS_ENDPOINT_URL"]),
            (["s3://nobucket/"], ["there is no bucket nobucket"]),
            (["s3://nobucket/*"], ["there is no bucket nobucket"]),
            (["s3://bucket/none*"], ["s3://bucket/none*: no object matches"]),
            (["s3://bucket/in/["], ["not a glob"]),
            (["s3:///x"], ["s3:///x: has no bucket"]),
            (["hdfs://host/x"], ["hdfs://host/x: lookalike supports s3://"]),
            (["s3://bucket/in/notes.txt"], ["s3://bucket/in/notes.txt: a text or HTML document can only be read from a file"]),
            (["s3://bucket/in", "s3://bucket/in/large.jsonl"], ["s3://bucket/in/large.jsonl: given twice"]),
            (["in", "-o", "s3://nobucket/x"], ["s3://nobucket/x: there is no bucket nobucket"]),
            (["in", "-o", "s3://bucket/out/kept.jsonl", "--summary", "s3://bucket/"], ["s3://bucket/: cannot be written: it is a bucket or a folder"]),
            (["s3://bucket/in", "-o", "s3://bucket/in/"], ["would overwrite the input s3://bucket/in/large.jsonl"]),
            (["in", "-o", "https://host/x"], ["https://host/x: cannot be written: web servers can only be read"]),
            (["s3://bucket/in/large.jsonl", "-o", "s3://bucket/in/large.jsonl"], ["would overwrite the input s3://bucket/in/large.jsonl"]),
            (["in", "-o", "s3://bucket/out/x", "--decisions", "s3://bucket/out/x"], ["would overwrite the output s3://bucket/out/x"]),
        ):
            with self.subTest(arguments):
                self.refused(arguments + (out if "-o" not in arguments else []), *parts)
        self.nothing_is_left()
        STORE.s3.put_object(Bucket=BUCKET, Key="notes/readme.txt", Body=b"x")
        self.refused(["s3://bucket/notes"], "no .jsonl, .ndjson, .csv, .tsv, .parquet, .arrow or .warc object")
        STORE.proxy.fault = Fault("403", each=1)
        self.refused(["s3://bucket/in/large.jsonl"], "access denied", "s3:GetObject")
        self.refused(["s3://bucket/in/"], "access denied", "s3:ListBucket")
        self.refused(["in", "-o", "s3://bucket/out/x"], "access denied", "s3:PutObject")

    def test_servers_that_are_not_there(self):
        begun = time.monotonic()
        for endpoint, part in (
            ("http://127.0.0.1:1", "does not answer"),
            ("http://nohost.invalid", "name cannot be resolved"),
            (STORE.url.replace("http:", "https:"), "does not use TLS"),
        ):
            env = self.environment(AWS_ENDPOINT_URL=endpoint)
            self.refused(["s3://bucket/in/large.jsonl"], "s3://bucket/in/large.jsonl: ", part, "AWS_ENDPOINT_URL" if "TLS" not in part else "SSL_CERT_FILE", env=env)
        self.assertLess(time.monotonic() - begun, 60)

    def test_credentials_come_from_the_usual_places(self):
        none = dict.fromkeys(KEYS)
        (self.place / ".aws").mkdir(exist_ok=True)
        credentials, config = self.place / ".aws/credentials", self.place / ".aws/config"
        credentials.write_text("[default]\naws_access_key_id = test\naws_secret_access_key = secret\n[other]\n")
        config.write_text("[profile sso]\nsso_start_url = https://x\n[profile full]\naws_access_key_id = a\naws_secret_access_key = b\nregion = eu-west-1\nendpoint_url = %s\n" % STORE.proxy.url)
        small = "s3://bucket/in/small.jsonl.gz"
        self.run_ok(small, env=self.environment(**none))
        self.run_ok(small, env=self.environment(**none, AWS_PROFILE="full", AWS_ENDPOINT_URL=None))
        self.refused([small], "AWS_PROFILE is missing", env=self.environment(**none, AWS_PROFILE="missing"))
        self.refused([small], "sso_start_url", "export-credentials", env=self.environment(**none, AWS_PROFILE="sso"))
        credentials.unlink()
        config.unlink()
        nowhere = {**none, "AWS_EC2_METADATA_DISABLED": "true"}
        self.refused([small], "no credentials found", "AWS_ACCESS_KEY_ID", "~/.aws/credentials", "AWS_SKIP_SIGNATURE", env=self.environment(**nowhere))
        STORE.s3.put_object_acl(Bucket=BUCKET, Key="in/small.jsonl.gz", ACL="public-read")
        self.run_ok(small, env=self.environment(**nowhere, AWS_SKIP_SIGNATURE="true"))

    # Web servers.

    def test_web_servers_with_ranges_and_without(self):
        handler = functools.partial(Quiet, directory=str(self.place))
        server = Server(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        plain = "http://127.0.0.1:%d/" % server.server_address[1]
        STORE.s3.put_object_acl(Bucket=BUCKET, Key="in/large.jsonl", ACL="public-read")
        ranged = STORE.proxy.url + "/bucket/"
        signed = STORE.s3.generate_presigned_url("get_object", Params={"Bucket": BUCKET, "Key": "in/large.jsonl"})
        try:
            self.same_outputs(plain + "in/large.jsonl", "in/small.jsonl.gz")
            self.same_outputs(ranged + "in/large.jsonl", "in/small.jsonl.gz")
            self.same_outputs(signed, "in/small.jsonl.gz")
            STORE.proxy.fault = Fault("cut", wants=lambda method, path: method == "GET" and "large" in path, each=2)
            self.same_outputs(ranged + "in/large.jsonl", "in/small.jsonl.gz")
            self.refused([plain + "none.jsonl"], plain + "none.jsonl: the server has no such file")
            self.refused([plain + "in/"], "web servers do not list folders")
            self.refused([plain + "in/*.jsonl"], "web servers do not list files")
        finally:
            server.shutdown()
            server.server_close()


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """Ignores clients that disconnect because they have read enough."""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="the lookalike program to test")
    options, rest = parser.parse_known_args()
    PROGRAM = os.path.abspath(options.program)
    STORE = Store()
    try:
        outcome = unittest.main(argv=[sys.argv[0], *rest], exit=False).result
    finally:
        STORE.stop()
    sys.exit(not outcome.wasSuccessful())
