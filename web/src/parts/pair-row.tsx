import type { Pair } from "../data/collection";
import { useWords } from "../words";
import { Short, figure } from "./shown";
import { useShared } from "./state";

/** A pair on one line: how similar, and the two ids. */
export function PairRow({ pair }: { pair: Pair }) {
  const w = useWords();
  const { collection, decisions } = useShared();
  const { a, b } = pair;
  const linked = decisions.representative[b] === a || decisions.representative[a] === b;
  return (
    <>
      <span class={`figure ${linked ? "is-dropped" : ""}`}>{figure(pair.similarity)}</span>
      <span class="pair-ids">
        <Short text={collection.id(a)} most={60} /> <span aria-hidden="true">↔</span> <Short text={collection.id(b)} most={60} />
      </span>
      {linked && collection.data.command === "dedup" ? <span class="tag">{w.dropped}</span> : null}
    </>
  );
}
