// Why a document is kept or dropped.

import { useWords } from "../words";

export function useReasonNames(): Record<string, string> {
  const w = useWords();
  return {
    u: w.keptUnique,
    r: w.keptRepresentative,
    e: w.keptEmpty,
    x: w.droppedExact,
    n: w.droppedNear,
    c: w.droppedNear,
    h: w.droppedNear,
    R: w.reference,
  };
}

export function Verdict({ reason }: { reason: string }) {
  const names = useReasonNames();
  const dropped = "xnch".includes(reason);
  if (!(reason in names)) return null;
  return <span class={`verdict ${dropped ? "is-dropped" : reason === "R" ? "is-reference" : "is-kept"}`}>{names[reason]}</span>;
}
