// One document: why it was kept or dropped, and what is similar to it.

import { useMemo } from "preact/hooks";
import type { Collection, Pair } from "../data/collection";
import { moreSimilar } from "../data/collection";
import type { Decisions } from "../data/law";
import { similarityOf } from "../data/law";
import { PairRow } from "../parts/pair-row";
import { Verdict } from "../parts/reason";
import { Short, figure, plain } from "../parts/shown";
import { trail, useShared } from "../parts/state";
import { TextBox } from "../parts/text-box";
import { useWords, type Words } from "../words";

const MOST = 50;

/** Explains a decision in a sentence. */
export function why(collection: Collection, decisions: Decisions, threshold: number, d: number, members: number, w: Words): string {
  const r = decisions.representative[d];
  const { settings, command } = collection.data;
  if (command !== "dedup") return (collection.data.limits.pairs ? w.whyPairsHere : w.whyPairs)(collection.pairsOf(d).length);
  const reason = collection.reason(d, decisions);
  if (r < 0) {
    if (reason === "R") return w.whyReference;
    if (reason === "e") return w.whyEmpty;
    return members ? w.whyRepresentative(members) : w.whyUnique;
  }
  const id = `“${plain(collection.id(r))}”`;
  const similarity = decisions.similarity[d];
  if (reason === "x") return w.whyExact(id);
  if (Number.isNaN(similarity)) return w.whyUnmeasured(id);
  if (settings.verify !== "exact" || settings.cluster === "greedy") return w.whyEstimated(id, figure(similarity));
  if (settings.cluster === "components") return w.whyConnected(id, figure(similarity));
  if (reason === "h") return w.whyHolds(id, figure(similarity), threshold);
  return (settings.measure === "containment" ? w.whyContained : w.whyNear)(id, figure(similarity), threshold);
}

/** What happened to two documents of which neither is dropped because of the other. */
export function unlinked(collection: Collection, decisions: Decisions, threshold: number, pair: number[], similarity: number, w: Words): string {
  if (pair.every((d) => decisions.representative[d] < 0)) {
    if (!(similarity < threshold)) return w.bothAreKept;
    return w.bothKeptBelow(w[collection.data.settings.measure], figure(similarity), threshold);
  }
  const named = (d: number) => `“${plain(collection.id(d), 40)}”`;
  return pair
    .map((d) => (decisions.representative[d] < 0 ? w.isKept(named(d)) : w.droppedBecauseOf(named(d), named(decisions.representative[d]))))
    .join(" ");
}

/** The figures behind a similarity. */
export function Counted({ a, b }: { a: number; b: number }) {
  const w = useWords();
  const { collection } = useShared();
  const { shingles } = collection.data.documents;
  const shared = collection.sharedShingles(a, b);
  if (shared === null || !shingles[a] || !shingles[b]) return null;
  const [idA, idB] = [a, b].map((d) => `“${plain(collection.id(d), 40)}”`);
  return <p class="note">{w.counted(shared, shingles[a], shingles[b], idA, idB, collection.data.settings.shingle, collection.data.settings.tokens)}</p>;
}

export function DocumentView({ d }: { d: number }) {
  const w = useWords();
  const { collection, decisions, groups, threshold } = useShared();
  const members = useMemo(() => groups.find((group) => group.kept === d)?.dropped.length ?? 0, [groups, d]);
  const r = decisions.representative[d];
  const similar = useMemo(() => {
    if (collection.data.command !== "dedup") return collection.pairsOf(d).slice(0, MOST);
    const { law } = collection;
    const first = law.firstCopy[d] < 0 ? d : law.firstCopy[d];
    const found: Pair[] = [];
    if (r >= 0) found.push({ a: r, b: d, similarity: decisions.similarity[d] });
    for (let at = law.starts[first]; at < law.starts[first + 1]; at++) {
      const other = law.others[at];
      if (other === r || other === d) continue;
      const there = similarityOf(law, first, other, law.shared[at]);
      const back = similarityOf(law, other, first, law.shared[at]);
      found.push({ a: other, b: d, similarity: Math.max(there, back) });
    }
    return found.sort((x, y) => moreSimilar(x.similarity, y.similarity)).slice(0, MOST);
  }, [collection, decisions, d]);
  const group = r >= 0 ? r : members ? d : null;
  return (
    <>
      <h1>
        <Short text={w.document(collection.id(d))} most={120} />
      </h1>
      <p>
        <Verdict reason={collection.reason(d, decisions)} /> <span class="note">{<Short text={collection.place(d)} />}</span>{" "}
        {collection.label(d) ? (
          <span class="tag">
            <Short text={collection.label(d)!} />
          </span>
        ) : null}
      </p>
      <section class="card">
        <h2>{w.why}</h2>
        <p class="why">{why(collection, decisions, threshold, d, members, w)}</p>
        {r >= 0 ? <Counted a={r} b={d} /> : null}
        <p class="actions">
          {r >= 0 ? <a href={`#/pair/${r}/${d}`}>{w.compareWith(plain(collection.id(r), 60))}</a> : null}
          {group === null ? null : <a href={`#/group/${group}`}>{w.openGroup}</a>}
        </p>
      </section>
      {similar.length ? (
        <section class="card">
          <h2>{w.similarDocuments}</h2>
          <ul class="plain-list">
            {similar.map((pair) => (
              <li key={`${pair.a} ${pair.b}`}>
                <a class="list-row" href={`#/pair/${pair.a}/${pair.b}`} onClick={() => (trail.pairs = similar.map(({ a, b }) => [a, b]))}>
                  <PairRow pair={pair} />
                </a>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <section class="card">
        <h2>{w.text}</h2>
        <TextBox d={d} />
      </section>
    </>
  );
}
