// All pairs that can be looked at.

import { useMemo } from "preact/hooks";
import { moreSimilar } from "../data/collection";
import { List } from "../parts/list";
import { NumberField } from "../parts/number-field";
import { PairRow } from "../parts/pair-row";
import { trail, useKept, useNarrow, useShared } from "../parts/state";
import { useWords } from "../words";

export function Pairs() {
  const w = useWords();
  const { collection, threshold } = useShared();
  const [words, setWords] = useKept("pairs words", "");
  const [from, setFrom] = useKept("pairs from", 0);
  const [to, setTo] = useKept("pairs to", 1);
  const [sort, setSort] = useKept("pairs sort", collection.data.command === "passages" ? "similarity" : "closest");
  const shown = useMemo(() => {
    const small = words.toLowerCase();
    const has = (d: number) => collection.id(d).toLowerCase().includes(small);
    const found = collection.pairs.filter(({ a, b, similarity }) => {
      const within = Number.isNaN(similarity) ? from === 0 && to === 1 : similarity >= from && similarity <= to;
      return within && (!small || has(a) || has(b));
    });
    const from_threshold = (similarity: number) => (Number.isNaN(similarity) ? 2 : Math.abs(similarity - threshold));
    if (sort === "closest") found.sort((x, y) => from_threshold(x.similarity) - from_threshold(y.similarity));
    else found.sort((x, y) => moreSimilar(x.similarity, y.similarity) || x.a - y.a || x.b - y.b);
    return found;
  }, [collection, words, from, to, sort, threshold]);
  const all = () => {
    setWords("");
    setFrom(0);
    setTo(1);
  };
  return (
    <>
      <h1>{w.pairs}</h1>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          {w.filterGroups} <input type="search" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
        </label>
        <span class="range">
          <label>
            {w.similarityFrom}{" "}
            <NumberField min={0} max={1} step={0.01} value={from} usual={0} set={setFrom} />
          </label>
          <label>
            {w.to} <NumberField min={0} max={1} step={0.01} value={to} usual={1} set={setTo} />
          </label>
        </span>
        <label>
          {w.sortBy}{" "}
          <select value={sort} onChange={(event) => setSort(event.currentTarget.value)}>
            <option value="closest">{w.sortClosest}</option>
            <option value="similarity">{w.sortSimilarity}</option>
          </select>
        </label>
      </form>
      <p class="actions">
        <span role="status">{w.pairsShown(shown.length, collection.pairs.length)}</span>
        {shown.length < collection.pairs.length ? (
          <button type="button" onClick={all}>
            {w.showAll}
          </button>
        ) : null}
      </p>
      {collection.pairs.length && !shown.length ? <p>{w.noPairsFilter}</p> : null}
      <List
        label={w.pairs}
        count={shown.length}
        height={useNarrow() ? 96 : 44}
        href={(at) => `#/pair/${shown[at].a}/${shown[at].b}`}
        onOpen={() => (trail.pairs = shown.slice(0, 100_000).map(({ a, b }) => [a, b]))}
        memory="pairs"
        version={shown}
        row={(at) => <PairRow pair={shown[at]} />}
      />
    </>
  );
}
