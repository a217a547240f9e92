"""datasketch and its replacement agree, bit by bit."""

from __future__ import annotations

import itertools
import pickle
import random
import sys

import datasketch as theirs
import datasketch.lsh
import datasketch.lshensemble
import datasketch.lshensemble_partition
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from lookalike import _lookalike
from lookalike.compat import datasketch as ours
from lookalike.compat.datasketch.lshensemble import optimal_partitions

pytestmark = pytest.mark.slow

SCHEMES = ["affine32", "affine64", "legacy"]

# Some tokens have lengths around one or two blocks of SHA-1, or around the sixteen bytes that are copied at a time.
TOKENS = st.lists(
    st.binary(max_size=20) | st.sampled_from([b"x" * n for n in (15, 16, 54, 55, 56, 63, 64, 65, 119, 120, 1000)]), max_size=70
)


def same(a, b):
    assert a.hashvalues.dtype == b.hashvalues.dtype
    assert a.hashvalues.tolist() == b.hashvalues.tolist()
    return True


def pair(tokens, **arguments):
    a, b = ours.MinHash(**arguments), theirs.MinHash(**arguments)
    a.update_batch(tokens)
    b.update_batch(tokens)
    return a, b


@given(TOKENS, st.sampled_from(SCHEMES), st.integers(1, 200), st.integers(0, 2**32 - 1))
def test_hash_values_are_the_same(tokens, scheme, num_perm, seed):
    a, b = pair(tokens, scheme=scheme, num_perm=num_perm, seed=seed)
    assert same(a, b)
    assert np.array_equal(a.permutations, b.permutations)
    one_by_one = ours.MinHash(scheme=scheme, num_perm=num_perm, seed=seed)
    for token in tokens:
        one_by_one.update(token)
    assert same(one_by_one, b)
    assert (a.count(), a.is_empty(), len(a)) == (b.count(), b.is_empty(), len(b)) if tokens else a.is_empty()


@given(st.lists(TOKENS, max_size=8), st.sampled_from(SCHEMES), st.sampled_from([1, 16, 64, 100, 128]))
def test_bulk_is_the_same(documents, scheme, num_perm):
    arguments = {"scheme": scheme, "num_perm": num_perm, "seed": 3}
    a, b = ours.MinHash.bulk(documents, **arguments), theirs.MinHash.bulk(documents, **arguments)
    assert len(a) == len(b) == len(documents)
    assert all(same(x, y) for x, y in zip(a, b, strict=True))
    assert all(x == y for x, y in zip(a, ours.MinHash.generator(iter(documents), **arguments), strict=True))
    for minhash in a:
        minhash.update(b"another")
    assert all(same(x, y) for x, y in zip(ours.MinHash.bulk(documents, **arguments), b, strict=True)), "each has its own values"


def test_bulk_of_many_pieces_is_the_same():
    random.seed(1)
    documents = [[random.randbytes(random.randrange(70)) for _ in range(random.randrange(400))] for _ in range(600)]
    for scheme in SCHEMES:
        a, b = (of.MinHash.bulk(iter(documents), num_perm=32, scheme=scheme) for of in (ours, theirs))
        assert all(same(x, y) for x, y in zip(a, b, strict=True))


@given(st.lists(st.integers(0, 2**32 - 1), max_size=60), st.sampled_from(SCHEMES), st.integers(1, 150))
def test_other_hash_functions_are_the_same(hashes, scheme, num_perm):
    same(*pair(hashes, scheme=scheme, num_perm=num_perm, hashfunc=lambda value: value))


@given(st.lists(st.integers(0, 2**64 - 1), max_size=60), st.sampled_from(["affine64", "legacy"]))
def test_hashes_of_64_bits_are_the_same(hashes, scheme):
    same(*pair(hashes, scheme=scheme, hashfunc=lambda value: value))
    same(*pair([str(value).encode() for value in hashes], scheme=scheme, hashfunc=theirs.sha1_hash64))
    a, b = ours.MinHash(scheme=scheme, hashfunc=ours.sha1_hash64), theirs.MinHash(scheme=scheme, hashfunc=theirs.sha1_hash64)
    tokens = [str(value).encode() for value in hashes]
    a.update_batch(tokens)
    b.update_batch(tokens)
    assert same(a, b)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_buffered_tokens_are_included_in_every_result(scheme):
    tokens = [str(number).encode() for number in range(3000)]
    expected = {count: pair(tokens[:count], scheme=scheme)[1] for count in (0, 1, 1023, 1024, 1025, 3000)}

    def fed(count):
        minhash = ours.MinHash(scheme=scheme)
        for token in tokens[:count]:
            minhash.update(token)
        return minhash

    for count, other in expected.items():
        assert same(fed(count), other)
        assert same(fed(count).copy(), other)
        assert same(pickle.loads(pickle.dumps(fed(count))), other)
        assert same(ours.LeanMinHash(fed(count)), other)
        assert same(ours.MinHash.union(fed(count), fed(count)), other)
        assert fed(count) == fed(count)
        assert (fed(count).is_empty(), fed(count).jaccard(fed(1025))) == (count == 0, other.jaccard(expected[1025]))
        assert fed(count).digest().tolist() == other.digest().tolist()
    merged = fed(1)
    merged.merge(fed(1025))
    assert same(merged, expected[1025])
    cleared = fed(5)
    cleared.clear()
    assert same(cleared, expected[0])
    replaced = fed(5)
    replaced.hashvalues = fed(1).hashvalues
    assert same(replaced, expected[1])
    # The hash function is changed between two updates.
    changed, other = fed(1), theirs.MinHash(scheme=scheme)
    other.update(tokens[0])
    for minhash in (changed, other):
        minhash.hashfunc = lambda token: len(token)
        minhash.update(b"abc")
    assert same(changed, other)
    with pytest.raises(TypeError):
        fed(3).update("text")


@pytest.mark.parametrize(
    "tokens",
    [
        [np.int64(5), np.int64(7)],
        np.arange(10),
        [bytearray(b"ab"), memoryview(b"cd"), b"ab"],
        {b"a", b"b"},
        (token for token in ()),
    ],
)
def test_all_bytes_like_tokens_are_hashed(tokens):
    tokens = list(tokens)
    assert same(*pair(tokens))
    for of in (ours, theirs):
        with pytest.raises(TypeError, match=r"encoded|bytes"):
            of.MinHash().update_batch(["text"])


def test_a_list_that_is_cleared_while_it_is_read_is_safe():
    tokens = [b"a", b"b"]

    class Cutting:
        def __buffer__(self, flags):
            tokens.clear()
            return memoryview(b"c")

    tokens += [Cutting(), b"d", b"e"]
    minhash = ours.MinHash()
    # Before Python 3.12, a class written in Python cannot have a buffer.
    if sys.version_info >= (3, 12):
        minhash.update_batch(tokens)
        assert same(minhash, pair([b"a", b"b", b"c"])[1])
        assert tokens == []
    else:
        with pytest.raises(TypeError):
            minhash.update_batch(tokens)


@pytest.mark.parametrize(
    "arguments",
    [
        {"scheme": "other"},
        {"num_perm": 0},
        {"hashvalues": [1, 2]},
        {"permutations": ([1], [2])},
        {"hashvalues": [1, 2**40], "scheme": "affine32"},
        {"hashvalues": np.array([1, 2**40]), "scheme": "affine32"},
        {"permutations": ([2, 1], [2, 3]), "scheme": "affine32", "num_perm": 2},
        {"permutations": ([1], [2]), "scheme": "affine64", "num_perm": 3},
        {"hashfunc": 3},
    ],
)
def test_the_same_arguments_are_refused(arguments):
    for of in (ours, theirs):
        with pytest.raises(ValueError, match=r"\w"):
            of.MinHash(**arguments)


@given(TOKENS, TOKENS, st.sampled_from(SCHEMES))
def test_results_for_two_sketches_are_the_same(left, right, scheme):
    (a, b), (c, d) = pair(left, scheme=scheme), pair(right, scheme=scheme)
    assert a.jaccard(c) == b.jaccard(d)
    assert same(ours.MinHash.union(a, c), theirs.MinHash.union(b, d))
    lean = ours.LeanMinHash(a)
    assert lean.jaccard(ours.LeanMinHash(c)) == b.jaccard(d)
    for byteorder in "@=<>!":
        buffers = [bytearray(lean.bytesize(byteorder)), bytearray(theirs.LeanMinHash(b).bytesize(byteorder))]
        lean.serialize(buffers[0], byteorder)
        theirs.LeanMinHash(b).serialize(buffers[1], byteorder)
        assert buffers[0] == buffers[1]
        assert same(ours.LeanMinHash.deserialize(buffers[1], byteorder), b)
        assert same(theirs.LeanMinHash.deserialize(bytes(buffers[0]), byteorder), b)
    a.merge(c)
    b.merge(d)
    assert same(a, b)
    assert (a == a.copy(), a == c, a.copy() is a) == (True, b == d, False)
    a.clear()
    assert a.is_empty()


@given(TOKENS, st.sampled_from(SCHEMES))
def test_pickles_are_read_by_the_other_package(tokens, scheme):
    a, b = pair(tokens, scheme=scheme)
    for mine, other in ((a, b), (ours.LeanMinHash(a), theirs.LeanMinHash(b))):
        assert pickle.loads(pickle.dumps(mine)) == mine
        stored = pickle.dumps(other).replace(b"datasketch.", b"lookalikes_")
        names = ("minhash", "lean_minhash", "hashfunc")
        for name in names:
            sys.modules[f"lookalikes_{name}"] = sys.modules[f"lookalike.compat.datasketch.{name}"]
        # A pickle stores the length of each name before it, so the replaced name must have the same length.
        read = pickle.loads(stored)
        assert type(read) is type(mine)
        assert read == mine
        read.copy()
        if scheme != "legacy" or type(read) is ours.MinHash:
            assert same(read, other)


def test_a_pickle_of_before_2_0_is_legacy():
    minhash = ours.MinHash.__new__(ours.MinHash)
    old = theirs.MinHash(scheme="legacy", num_perm=4)
    state = {name: value for name, value in old.__dict__.items() if name not in ("scheme", "_gpu_mode", "_a_gpu", "_b_gpu")}
    minhash.__setstate__(state)
    assert minhash.scheme == "legacy"
    minhash.update_batch([b"a", b"b"])
    old.update_batch([b"a", b"b"])
    assert same(minhash, old)


def sets(count, seed=1):
    random.seed(seed)
    made = []
    for _ in range(count):
        if made and random.random() < 0.6:
            tokens = set(random.choice(made))
            for token in random.sample(sorted(tokens), min(len(tokens), random.randrange(1, 12))):
                tokens.discard(token)
            tokens |= {random.randbytes(3) for _ in range(random.randrange(1, 8))}
        else:
            tokens = {random.randbytes(3) for _ in range(random.randrange(5, 60))}
        made.append(tokens)
    return made


def bulks(scheme="affine32", count=150, **arguments):
    made = [sorted(tokens) for tokens in sets(count)]
    return made, ours.MinHash.bulk(made, scheme=scheme, **arguments), theirs.MinHash.bulk(made, scheme=scheme, **arguments)


@pytest.mark.parametrize("num_perm", [2, 16, 50, 128])
@pytest.mark.parametrize("weights", [(0.5, 0.5), (0.1, 0.9), (0.8, 0.2), (1.0, 0.0), (0.0, 1.0)])
def test_bands_and_rows_are_the_same(num_perm, weights):
    for threshold in (0.0, 0.05, 0.3, 0.5, 0.75, 0.9, 0.99, 1.0):
        expected = datasketch.lsh._optimal_param(threshold, num_perm, *weights)
        assert _lookalike.datasketch_params(threshold, num_perm, *weights) == expected, threshold


def test_bands_and_rows_of_containment_are_the_same():
    for threshold, num_perm, xq in itertools.product((0.1, 0.5, 0.9, 1.0), (32, 128), np.exp(np.linspace(-5, 5, 10))):
        for weights in ((0.5, 0.5), (0.2, 0.8)):
            expected = datasketch.lshensemble._optimal_param(threshold, num_perm, 8, xq, *weights)
            found = _lookalike.datasketch_containment_params(threshold, num_perm, 8, float(xq), *weights)
            assert found == expected, (threshold, num_perm, xq)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("prepickle", [None, True])
@pytest.mark.parametrize("hashfunc", [None, lambda band: band[:2]])
def test_the_index_finds_the_same(scheme, prepickle, hashfunc):
    _, a, b = bulks(scheme)
    indexes = []
    for of, minhashes in ((ours, a), (theirs, b)):
        index = of.MinHashLSH(threshold=0.6, num_perm=128, prepickle=prepickle, hashfunc=hashfunc)
        with index.insertion_session() as session:
            for number, minhash in enumerate(minhashes):
                session.insert(("key", number), minhash)
        for number in range(0, len(minhashes), 7):
            index.remove(("key", number))
        indexes.append(index)
    mine, other = indexes
    if hashfunc is None:
        mine = pickle.loads(pickle.dumps(mine))
    assert (mine.b, mine.r, mine.h, mine.hashranges) == (other.b, other.r, other.h, other.hashranges)
    for x, y in zip(a, b, strict=True):
        assert set(mine.query(x)) == set(other.query(y))
        assert mine._query_b(x, 3) == other._query_b(y, 3)
    assert [sorted(counts.items()) for counts in mine.get_counts()] == [sorted(counts.items()) for counts in other.get_counts()]
    keys = [("key", 1), ("key", 2)]
    assert mine.get_subset_counts(*keys) == other.get_subset_counts(*keys)
    assert [list(mine.keys.get(key)) for key in mine.keys] == [list(other.keys.get(key)) for key in other.keys]
    assert (("key", 0) in mine, ("key", 1) in mine) == (False, True)
    for index, minhashes in ((mine, a), (other, b)):
        index.add_to_query_buffer(minhashes[1])
        index.add_to_query_buffer(minhashes[1])
    assert set(mine.collect_query_buffer()) == set(other.collect_query_buffer())
    assert mine.collect_query_buffer() == other.collect_query_buffer() == []


def test_indexes_merge_the_same():
    _, a, b = bulks(count=60)
    merged = []
    for of, minhashes in ((ours, a), (theirs, b)):
        left, right = of.MinHashLSH(0.5), of.MinHashLSH(0.5)
        for number, minhash in enumerate(minhashes):
            (left if number % 2 else right).insert(number, minhash)
        left.merge(right, check_overlap=True)
        with pytest.raises(ValueError, match="overlapping"):
            left.merge(right, check_overlap=True)
        with pytest.raises(ValueError, match="different initialization"):
            left.merge(of.MinHashLSH(0.9))
        merged.append([set(left.query(minhash)) for minhash in minhashes])
    assert merged[0] == merged[1]


def test_an_index_takes_one_scheme_and_lives_in_memory():
    index = ours.MinHashLSH()
    index.insert("a", ours.MinHash())
    for call in (lambda: index.insert("b", ours.MinHash(scheme="legacy")), lambda: index.query(ours.MinHash(scheme="affine64"))):
        with pytest.raises(ValueError, match="affine32"):
            call()
    with pytest.raises(ValueError, match="already exists"):
        index.insert("a", ours.MinHash())
    with pytest.raises(ValueError, match="does not exist"):
        index.remove("b")
    for made in (ours.MinHashLSH, ours.MinHashLSHEnsemble):
        with pytest.raises(ValueError, match="keeps indexes in memory"):
            made(storage_config={"type": "redis", "redis": {"host": "localhost"}})
    with pytest.raises(RuntimeError, match="unavailable"):
        ours.MinHash.bulk([[b"a"]], gpu_mode="always")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_forest_finds_the_same(scheme):
    _, a, b = bulks(scheme)
    forests = []
    for of, minhashes in ((ours, a), (theirs, b)):
        forest = of.MinHashLSHForest(128, 8)
        for number, minhash in enumerate(minhashes):
            forest.add(number, minhash)
        assert forest.is_empty()
        forest.index()
        assert not forest.is_empty()
        forests.append(pickle.loads(pickle.dumps(forest)))
    for number, (x, y) in enumerate(zip(a, b, strict=True)):
        for k in (1, 5, 1000):
            mine, other = forests[0].query(x, k), forests[1].query(y, k)
            # If several entries share an equally long prefix, any k of them are right. The insertion order is the same here,
            # so both return the same ones.
            assert set(mine) == set(other)
        assert forests[0].get_minhash_hashvalues(number).tolist() == forests[1].get_minhash_hashvalues(number).tolist()


def test_the_ensemble_finds_the_same():
    made, a, b = bulks(count=200)
    for arguments in ({"threshold": 0.5, "num_part": 4}, {"threshold": 0.8, "num_part": 16, "m": 4}, {"num_part": 1}):
        indexes = []
        for of, minhashes in ((ours, a), (theirs, b)):
            index = of.MinHashLSHEnsemble(**arguments)
            index.index((f"k{i}", minhash, len(tokens)) for i, (minhash, tokens) in enumerate(zip(minhashes, made, strict=True)))
            indexes.append(index)
        assert indexes[0].params.tolist() == indexes[1].params.tolist()
        assert (indexes[0].lowers, indexes[0].uppers) == (indexes[1].lowers, indexes[1].uppers)
        for x, y, tokens in zip(a, b, made, strict=True):
            assert set(indexes[0].query(x, len(tokens))) == set(indexes[1].query(y, len(tokens)))
        assert "k3" in indexes[0]
        assert "k" not in indexes[0]


@given(st.dictionaries(st.integers(1, 300), st.integers(1, 20), min_size=1, max_size=25), st.integers(1, 12))
def test_partitions_are_the_same(counted, parts):
    sizes, counts = (np.array(column) for column in zip(*sorted(counted.items()), strict=True))
    expected = datasketch.lshensemble_partition.optimal_partitions(sizes, counts, parts)
    assert optimal_partitions(sizes, counts, parts) == expected


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40).filter(any), st.integers(1, 60), st.integers(0, 2**32 - 1))
def test_weighted_values_are_the_same(vector, samples, seed):
    a, b = (of.WeightedMinHashGenerator(len(vector), samples, seed) for of in (ours, theirs))
    x, y = a.minhash(vector), b.minhash(vector)
    assert x.hashvalues.tolist() == y.hashvalues.tolist()
    assert x.hashvalues.dtype == y.hashvalues.dtype
    matrix = np.array([vector, [0] * len(vector), vector[::-1]])
    for rows in (matrix, scipy.sparse.csr_matrix(matrix)):
        for mine, other in zip(a.minhash_many(rows), b.minhash_many(rows), strict=True):
            assert (mine is None) == (other is None)
            assert mine is None or mine.hashvalues.tolist() == other.hashvalues.tolist()
    assert x.jaccard(a.minhash(vector[::-1])) == y.jaccard(b.minhash(vector[::-1]))
    assert pickle.loads(pickle.dumps(x)) == x == x.copy()


SHARES = st.sampled_from([0.0, 1e-9, 0.1, 0.75, 1.0])


@given(TOKENS, TOKENS, st.sampled_from(SCHEMES), st.integers(1, 200), st.integers(0, 32), SHARES, SHARES)
def test_b_bit_values_are_the_same(left, right, scheme, num_perm, b, left_share, right_share):
    mine, other = [], []
    for tokens, r in ((left, left_share), (right, right_share)):
        a, z = pair(tokens, scheme=scheme, num_perm=num_perm, seed=7)
        mine.append(ours.bBitMinHash(a, b, r))
        other.append(theirs.bBitMinHash(z, b, r))
    for x, y in zip(mine, other, strict=True):
        assert same(x, y)
        assert (x.b, x.r, x.seed, x.scheme, x.bytesize()) == (y.b, y.r, y.seed, y.scheme, y.bytesize())
        stored = y.__getstate__()
        assert x.__getstate__() == stored
        assert type(x.__getstate__()) is type(stored)
        for state in (stored, bytes(stored)):
            read = ours.bBitMinHash.__new__(ours.bBitMinHash)
            read.__setstate__(state)
            assert same(read, y)
            assert read == x
        assert pickle.loads(pickle.dumps(x)) == x
    assert (mine[0] == mine[1]) == (other[0] == other[1])
    try:
        expected = other[0].jaccard(other[1])
    except ZeroDivisionError:
        with pytest.raises(ZeroDivisionError):
            mine[0].jaccard(mine[1])
    else:
        assert mine[0].jaccard(mine[1]) == expected


def test_a_pickled_b_bit_minhash_is_read():
    a, b = pair([b"a", b"b"], num_perm=50)
    sys.modules["lookalikes_b_bit_minhash"] = sys.modules["lookalike.compat.datasketch.b_bit_minhash"]
    read = pickle.loads(pickle.dumps(theirs.bBitMinHash(b, 5, 0.2)).replace(b"datasketch.", b"lookalikes_"))
    assert read == ours.bBitMinHash(a, 5, 0.2)


def test_unlike_b_bit_values_are_refused():
    for of in (ours, theirs):
        first = of.bBitMinHash(of.MinHash(), 2)
        for other in (
            of.bBitMinHash(of.MinHash(), 3),
            of.bBitMinHash(of.MinHash(seed=2), 2),
            of.bBitMinHash(of.MinHash(scheme="legacy"), 2),
            of.bBitMinHash(of.MinHash(num_perm=64), 2),
        ):
            assert first != other
            with pytest.raises(ValueError, match=r"\w"):
                first.jaccard(other)
        for arguments in ({"b": -1}, {"b": 33}, {"r": 1.5}):
            with pytest.raises(ValueError, match="must be"):
                of.bBitMinHash(of.MinHash(), **arguments)
        with pytest.raises(TypeError, match="unhashable"):
            hash(first)
        state = first.__getstate__()
        for place, value in ((21, 9), (8, 40)):
            damaged = bytearray(state)
            damaged[place] = value
            with pytest.raises(ValueError, match=r"code: 9|[bB]"):
                of.bBitMinHash.__new__(of.bBitMinHash).__setstate__(damaged)
    # datasketch compares one value with all values of the other.
    with pytest.raises(ValueError, match="1 and 128 hash values"):
        ours.bBitMinHash(ours.MinHash(num_perm=1)).jaccard(ours.bBitMinHash(ours.MinHash()))
