"""Links records with dedupe, which sees some of the answers: it learns its blocks and its weights from labelled pairs.

It gets a fixed sample of the true pairs, and fixed pairs that are not true. Half of the pairs that are not true agree in a field,
like the pairs that it would show to a person. Its results are therefore those of a supervised tool, which has seen a part of the
truth.

`restaurant` has the fields and settings of dedupe's own benchmark (benchmarks/canonical.py). That benchmark shows all the true
pairs to dedupe. The manual has no recipe for the other sets. For these sets, dedupe has its defaults, and the fields are short
strings. According to the manual, learning is much faster with short strings. Numbers and dates of persons are compared for
equality, because as strings they need over 8 GB on febrl3.
"""

import io
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

import dedupe
import linking
import numpy
from dedupe.variables import Exact, ShortString, String

# The number of pairs from which blocks are learned: the benchmark's number for its own set, and the default for the other sets.
DOCUMENTED, SAMPLE, USUAL = {"restaurant"}, 10_000, 1_500
# The benchmark's threshold for clusters.
MATCH = 0.5
# Labelled pairs: a fifth of the true ones (at least LEAST and at most MOST, which a patient person could label), and OTHERS times
# as many pairs that are not true.
SHARE, LEAST, MOST, OTHERS = 0.2, 50, 100, 3
SEED = 6

PEOPLE = [
    ShortString("given_name", has_missing=True),
    ShortString("surname", has_missing=True),
    Exact("street_number", has_missing=True),
    ShortString("address_1", has_missing=True),
    ShortString("suburb", has_missing=True),
    Exact("postcode", has_missing=True),
    Exact("date_of_birth", has_missing=True),
    ShortString("soc_sec_id", has_missing=True),
]
RECIPES = {
    "febrl": PEOPLE,
    "restaurant": [
        String("name"),
        Exact("name"),
        String("address"),
        ShortString("cuisine", has_missing=True),
        ShortString("city"),
    ],
    "dblp_acm": [ShortString("title", has_missing=True), ShortString("authors", has_missing=True), Exact("year")],
    "cora": [
        ShortString("title", has_missing=True),
        ShortString("author", has_missing=True),
        ShortString("venue", has_missing=True),
        ShortString("year", has_missing=True),
        ShortString("pages", has_missing=True),
    ],
}

Pair = tuple[str, str]


def labelled(tables: list[dict[str, linking.Record]], truth: list[Pair]) -> tuple[list[Pair], list[Pair]]:
    """Returns pairs to learn from: some of the same entity, and some of different entities."""
    draw, known = random.Random(SEED), {frozenset(pair) for pair in truth}
    matches = draw.sample(truth, min(len(truth), MOST, max(LEAST, round(SHARE * len(truth)))))
    left, right = sorted(tables[0]), sorted(tables[-1])
    sharing = defaultdict(list)
    for identity in right:
        for name, value in tables[-1][identity].items():
            sharing[name, value].append(identity)
    others: set[Pair] = set()
    while len(others) < OTHERS * len(matches):
        a = draw.choice(left)
        alike = [pair for pair in tables[0][a].items() if pair[1] and pair in sharing]
        b = draw.choice(sharing[draw.choice(alike)] if alike and draw.random() < 0.5 else right)
        if a != b and frozenset((a, b)) not in known and (b, a) not in others:
            others.add((a, b))
    return matches, sorted(others)


def pairs_of(groups: list[tuple[str, ...]]) -> Iterator[Pair]:
    """Yields all pairs within each group."""
    for group in groups:
        yield from combinations(group, 2)


def main() -> None:
    """Read, learn, score, decide and write."""
    options = linking.arguments("dedupe", RECIPES)
    random.seed(SEED)
    numpy.random.seed(SEED)
    tables = [linking.read(path, options.recipe) for path in options.inputs]
    with options.truth.open("rb") as file:
        truth = [(pair["a"], pair["b"]) for pair in map(json.loads, file)]
    if len(tables) == 2:
        truth = [pair if pair[0] in tables[0] else pair[::-1] for pair in truth]
    matches, others = labelled(tables, truth)
    linker = (dedupe.RecordLink if len(tables) == 2 else dedupe.Dedupe)(RECIPES[options.recipe], num_cores=2)
    answers = {
        "match": [[tables[0][a], tables[-1][b]] for a, b in matches],
        "distinct": [[tables[0][a], tables[-1][b]] for a, b in others],
    }
    # A training file is the manual's way to give labelled pairs that the learner has not seen.
    linker.prepare_training(
        *tables, training_file=io.StringIO(json.dumps(answers)), sample_size=SAMPLE if options.recipe in DOCUMENTED else USUAL
    )
    linker.train(index_predicates=True)
    scores = linker.score(linker.pairs(*tables))
    scored = {(str(a), str(b)): float(score) for (a, b), score in zip(scores["pairs"], scores["score"], strict=True)}
    if len(tables) == 2:
        decided = {(str(a), str(b)) for (a, b), _ in linker.one_to_one(scores, threshold=MATCH)}
    else:
        decided = set(pairs_of([tuple(map(str, group)) for group, _ in linker.cluster(scores, threshold=MATCH)]))
    decided = {pair if pair in scored else pair[::-1] for pair in decided}
    # A cluster may contain two records that were not compared. Their pair has no score, so it is written with the score 0.
    rows = [(a, b, score, (a, b) in decided) for (a, b), score in scored.items()]
    rows += [(a, b, 0.0, True) for a, b in sorted(decided - scored.keys())]
    linking.write(options.out, rows)
    linking.tell(len(scored), labelled={"match": len(matches), "distinct": len(others)})


if __name__ == "__main__":
    main()
