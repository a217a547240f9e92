"""datasketch's MinHashLSH in memory and over Redis, with xxHash, which its documentation advises for speed.

MinHashLSH returns candidates. As its documentation advises, they are filtered by the similarity that the sketches estimate. So
the sketches are held too: in a dictionary, as LeanMinHash, or in Redis, next to the tables of MinHashLSH.
"""

import redis
import xxhash
from datasketch import LeanMinHash, MinHash, MinHashLSH

import tool

LSH = {"num_perm": tool.PERMUTATIONS, "params": (tool.BANDS, tool.ROWS)}


def xxh3_32(shingle: bytes) -> int:
    """Returns the low half of XXH3, because the default scheme uses 32 bits."""
    return xxhash.xxh3_64_intdigest(shingle) & 0xFFFFFFFF


SKETCH = {"num_perm": tool.PERMUTATIONS, "hashfunc": xxh3_32}


class Datasketch(tool.Tool):
    persistent = False

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.empty = MinHash(**SKETCH)
        self.lsh = MinHashLSH(**LSH)
        self.sketches: dict[int, LeanMinHash] = {}

    def sketch(self, text: str) -> MinHash:
        """Returns the sketch of a text. Copying an empty one saves making the permutations again."""
        sketch = self.empty.copy()
        sketch.update_batch(tool.shingles(text))
        return sketch

    def fill(self, documents: tool.Documents) -> None:
        sketches = MinHash.generator((tool.shingles(text) for _, text in documents), **SKETCH)
        with self.lsh.insertion_session() as session:
            for (number, _), sketch in zip(documents, sketches, strict=True):
                session.insert(number, sketch, check_duplication=False)
                self.sketches[number] = LeanMinHash(sketch)

    def add(self, number: int, text: str) -> None:
        sketch = self.sketch(text)
        self.lsh.insert(number, sketch)
        self.sketches[number] = LeanMinHash(sketch)

    def query(self, text: str) -> list[int]:
        sketch = LeanMinHash(self.sketch(text))
        return [other for other in self.lsh.query(sketch) if sketch.jaccard(self.sketches[other]) >= tool.THRESHOLD]

    def delete(self, number: int) -> None:
        self.lsh.remove(number)
        del self.sketches[number]


def packed(sketch: MinHash) -> bytes:
    """Returns the bytes of a sketch."""
    lean = LeanMinHash(sketch)
    buffer = bytearray(lean.bytesize())
    lean.serialize(buffer)
    return bytes(buffer)


class DatasketchRedis(Datasketch):
    persistent = True

    def __init__(self, place: str) -> None:
        super().__init__(place)
        server = {"host": "127.0.0.1", "port": int(place)}
        self.redis = redis.Redis(**server)
        self.lsh = MinHashLSH(**LSH, storage_config={"type": "redis", "basename": b"lsh", "redis": server})

    def fill(self, documents: tool.Documents) -> None:
        sketches = MinHash.generator((tool.shingles(text) for _, text in documents), **SKETCH)
        pipeline = self.redis.pipeline(transaction=False)
        with self.lsh.insertion_session() as session:
            for (number, _), sketch in zip(documents, sketches, strict=True):
                session.insert(number, sketch, check_duplication=False)
                pipeline.set(b"sketch %d" % number, packed(sketch))
                if len(pipeline) >= tool.BATCH:
                    pipeline.execute()
        pipeline.execute()

    def open(self) -> None:
        pass

    def add(self, number: int, text: str) -> None:
        sketch = self.sketch(text)
        self.lsh.insert(number, sketch)
        self.redis.set(b"sketch %d" % number, packed(sketch))

    def query(self, text: str) -> list[int]:
        sketch = LeanMinHash(self.sketch(text))
        candidates = self.lsh.query(sketch)
        stored = self.redis.mget([b"sketch %d" % other for other in candidates]) if candidates else []
        near = [sketch.jaccard(LeanMinHash.deserialize(other)) >= tool.THRESHOLD for other in stored]
        return [other for other, is_near in zip(candidates, near, strict=True) if is_near]

    def delete(self, number: int) -> None:
        self.lsh.remove(number)
        self.redis.delete(b"sketch %d" % number)

    def stored(self) -> int:
        return self.redis.info("memory")["used_memory"]
