// What changes at another threshold, and the lists to download.

import { useMemo } from "preact/hooks";
import { List } from "../parts/list";
import { Short, figure } from "../parts/shown";
import { useShared } from "../parts/state";
import { ThresholdControl } from "../parts/threshold";
import { useWords } from "../words";

/** Offers lines as a file. */
function save(name: string, lines: Iterable<string>) {
  const url = URL.createObjectURL(new Blob([...lines], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function Changes() {
  const w = useWords();
  const { collection, decisions, threshold } = useShared();
  const { data } = collection;
  const changes = useMemo(() => {
    const found: { d: number; kind: "nowDropped" | "nowKept" | "otherRepresentative" }[] = [];
    for (let d = data.documents.references; d < collection.count; d++) {
      const [before, now] = [collection.run.representative[d], decisions.representative[d]];
      if (before === now) continue;
      found.push({ d, kind: before < 0 ? "nowDropped" : now < 0 ? "nowKept" : "otherRepresentative" });
    }
    const order = ["nowDropped", "nowKept", "otherRepresentative"];
    return found.sort((x, y) => order.indexOf(x.kind) - order.indexOf(y.kind) || x.d - y.d);
  }, [collection, decisions]);
  const counted = (kind: string) => changes.filter((change) => change.kind === kind).length;
  const ids = function* (dropped: boolean) {
    for (let d = data.documents.references; d < collection.count; d++) {
      if (decisions.representative[d] >= 0 === dropped) yield `${collection.jsonId(d)}\n`;
    }
  };
  const kinds = { nowDropped: w.nowDropped, nowKept: w.nowKept, otherRepresentative: w.otherRepresentative };
  return (
    <>
      <h1>{w.changesAt(threshold)}</h1>
      <ThresholdControl />
      <section class="card">
        <h2>{w.download}</h2>
        <p class="actions">
          <button type="button" onClick={() => save("dropped.jsonl", ids(true))}>
            {w.downloadDropped}
          </button>
          <button type="button" onClick={() => save("kept.jsonl", ids(false))}>
            {w.downloadKept}
          </button>
          {data.limits.all_documents ? (
            <button type="button" onClick={() => save("decisions.jsonl", collection.decisionLines(decisions))}>
              {w.downloadDecisions}
            </button>
          ) : null}
        </p>
        <p class="note">{data.limits.all_documents ? w.downloadNote : w.downloadSome}</p>
      </section>
      <p role="status">{changes.length ? w.changeCounts(counted("nowDropped"), counted("nowKept"), counted("otherRepresentative")) : w.noChange}</p>
      <List
        label={w.changes}
        count={changes.length}
        height={44}
        version={changes}
        href={(at) => `#/document/${changes[at].d}`}
        row={(at) => {
          const { d, kind } = changes[at];
          const similarity = kind === "nowKept" ? collection.run.similarity[d] : decisions.similarity[d];
          return (
            <>
              <span class={`figure ${kind === "nowKept" ? "" : "is-dropped"}`}>{figure(similarity)}</span>
              <Short text={collection.id(d)} most={70} />
              <span class="tag">{kinds[kind]}</span>
            </>
          );
        }}
      />
    </>
  );
}
