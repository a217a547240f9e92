import type { Pair } from "../data/collection";
import { useWords } from "../words";
import { Short, figure } from "./shown";
import { useShared } from "./state";

/** A pair on one line: how similar, and the two ids. */
export function PairRow({ pair }: { pair: Pair }) {
  const w = useWords();
  const { collection, decisions, threshold } = useShared();
  const { a, b } = pair;
  const linked = decisions.representative[b] === a || decisions.representative[a] === b;
  // Both documents can be similar enough, and one of them is dropped because of a third one.
  const another = !linked && pair.similarity >= threshold && (decisions.representative[a] >= 0 || decisions.representative[b] >= 0);
  return (
    <>
      <span class={`figure ${linked ? "is-dropped" : ""}`}>{figure(pair.similarity)}</span>
      <span class="pair-ids">
        <Short text={collection.id(a)} most={60} /> <span aria-hidden="true">↔</span> <Short text={collection.id(b)} most={60} />
      </span>
      {collection.data.command !== "dedup" ? null : linked ? (
        <span class="tag">{w.dropped}</span>
      ) : another ? (
        <span class="note status">{w.droppedForAnother}</span>
      ) : null}
    </>
  );
}
