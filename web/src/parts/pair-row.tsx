import type { Pair } from "../data/collection";
import { useWords } from "../words";
import { Short, figure } from "./shown";
import { useShared } from "./state";

/** A pair on one line: how similar, and the two ids. */
export function PairRow({ pair }: { pair: Pair }) {
  const w = useWords();
  const { collection, decisions } = useShared();
  const { a, b } = pair;
  const [left, right] = [decisions.representative[a], decisions.representative[b]];
  const linked = right === a || left === b;
  const status =
    right === a ? w.rightDropped : left === b ? w.leftDropped : left >= 0 && right >= 0 ? w.bothDropped : left >= 0 ? w.leftDroppedFor : right >= 0 ? w.rightDroppedFor : w.bothKept;
  return (
    <>
      <span class={`figure ${linked ? "is-dropped" : ""}`}>{figure(pair.similarity)}</span>
      <span class="pair-ids">
        <Short text={collection.id(a)} most={60} /> <span aria-hidden="true">↔</span> <Short text={collection.id(b)} most={60} />
      </span>
      {pair.regions !== undefined ? <span class="tag">{w.countedRegions(pair.regions)}</span> : null}
      {pair.by !== undefined ? <span class={pair.by === "m" ? "note status" : "tag"}>{w.pairedBy(pair.by)}</span> : null}
      {collection.data.command === "dedup" ? <span class={linked ? "tag" : "note status"}>{status}</span> : null}
    </>
  );
}
