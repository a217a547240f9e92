"""Links records with recordlinkage.

`febrl` is the recipe of its manual ("Data deduplication", on febrl1): blocks of equal given names, six comparisons that give 0 or
1, and a match if more than three comparisons give 1. The manual has no recipe for the other sets; the recipes for these sets are
ours, and use recordlinkage's own methods. `febrl-wide` blocks on any of five fields and compares all fields by similarity. In our
recipes, the unsupervised classifier of the manual (ECM, "Classification algorithms") decides, on similarities cut at 0.8. With
two collections, the best pairs are taken first, and a record is in at most one pair.
"""

from itertools import starmap

import linking
import pandas
import recordlinkage
from recordlinkage.index import Block, SortedNeighbourhood

ALIKE = 0.8


def manual(compare: recordlinkage.Compare) -> None:
    """Compare as the manual's example does; each comparison gives 0 or 1."""
    compare.exact("given_name", "given_name")
    compare.string("surname", "surname", method="jarowinkler", threshold=0.85)
    compare.exact("date_of_birth", "date_of_birth")
    compare.exact("suburb", "suburb")
    compare.exact("state", "state")
    compare.string("address_1", "address_1", threshold=0.85)


def people(compare: recordlinkage.Compare) -> None:
    """Compare all fields of a person by similarity."""
    for field in ("given_name", "surname", "address_1", "suburb"):
        compare.string(field, field, method="jarowinkler")
    for field in ("date_of_birth", "soc_sec_id", "postcode"):
        compare.string(field, field, method="damerau_levenshtein")
    compare.exact("street_number", "street_number")


def restaurants(compare: recordlinkage.Compare) -> None:
    """Compare name and address; not the cuisine, because the guides name it differently for the same restaurant."""
    for field in ("name", "address", "city"):
        compare.string(field, field, method="jarowinkler")
    compare.string("name", "name", method="qgram")
    compare.string("address", "address", method="qgram")


def papers(compare: recordlinkage.Compare) -> None:
    """Compare titles and authors by bigrams, because the order of authors varies."""
    compare.string("title", "title", method="qgram")
    compare.string("authors", "authors", method="qgram")
    compare.exact("year", "year")


def citations(compare: recordlinkage.Compare) -> None:
    """Compare as for papers, and also the other fields of a citation."""
    compare.string("title", "title", method="qgram")
    compare.string("author", "author", method="qgram")
    compare.string("venue", "venue", method="qgram")
    compare.exact("year", "year")


ANY_OF_FIVE = [Block(field) for field in ("soc_sec_id", "given_name", "surname", "date_of_birth", "postcode")]
TOGETHER = [
    Block("soc_sec_id"),
    Block(["date_of_birth", "given_name"]),
    Block(["date_of_birth", "surname"]),
    Block(["given_name", "surname", "postcode"]),
    Block(["address_1", "surname"]),
    Block(["address_1", "street_number"]),
]
# Blocks, comparisons, and the sum above which a pair is a match; None if ECM decides.
RECIPES = {
    "febrl": ([Block("given_name")], manual, 3),
    "febrl-wide": (ANY_OF_FIVE, people, None),
    "people": (TOGETHER, people, None),
    "restaurant": ([SortedNeighbourhood("name", window=9), SortedNeighbourhood("address", window=9)], restaurants, None),
    "dblp_acm": ([SortedNeighbourhood("title", window=15), SortedNeighbourhood("authors", window=15)], papers, None),
    "cora": ([SortedNeighbourhood("title", window=31), Block("author"), Block("title")], citations, None),
}


def main() -> None:
    """Read, block, compare, decide and write."""
    options = linking.arguments("recordlinkage", RECIPES)
    blocks, comparisons, above = RECIPES[options.recipe]
    frames = [pandas.DataFrame.from_dict(linking.read(path, options.recipe), orient="index") for path in options.inputs]
    indexer = recordlinkage.Index(blocks)
    candidates = indexer.index(*frames)
    compare = recordlinkage.Compare(n_jobs=2)
    comparisons(compare)
    features = compare.compute(candidates, *frames).fillna(0)
    scores = features.sum(axis=1)
    if above is None:
        matches = set(recordlinkage.ECMClassifier(binarize=ALIKE).fit_predict(features))
        decided = [pair in matches for pair in features.index]
    else:
        decided = (scores > above).tolist()
    if len(frames) > 1:
        # Neither collection has duplicates, so the best pairs are taken first, and no record is in two pairs.
        best = scores[decided].sort_values(ascending=False, kind="stable").index
        links = set(recordlinkage.OneToOneLinking().compute(best))
        decided = [pair in links for pair in features.index]
    rows = zip(features.index, scores, decided, strict=True)
    linking.write(
        options.out,
        starmap(lambda pair, score, match: (*pair, score, match), (row for row in rows if row[1] >= options.floor or row[2])),
    )
    linking.tell(len(candidates))


if __name__ == "__main__":
    main()
