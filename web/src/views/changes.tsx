// What changes at another threshold, and the lists to download.

import { useMemo, useState } from "preact/hooks";
import { List } from "../parts/list";
import { Short, figure, plain } from "../parts/shown";
import { useNarrow, useShared } from "../parts/state";
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
  const [only, setOnly] = useState<string>("all");
  const counted = (kind: string) => changes.filter((change) => change.kind === kind).length;
  const shown = useMemo(() => (only === "all" ? changes : changes.filter((change) => change.kind === only)), [changes, only]);
  const ids = function* (dropped: boolean) {
    for (let d = data.documents.references; d < collection.count; d++) {
      if (decisions.representative[d] >= 0 === dropped) yield `${collection.jsonId(d)}\n`;
    }
  };
  const kinds: [string, string][] = [
    ["all", w.allChanges(changes.length)],
    ["nowDropped", w.nowDropped(counted("nowDropped"))],
    ["nowKept", w.nowKept(counted("nowKept"))],
    ["otherRepresentative", w.otherRepresentative(counted("otherRepresentative"))],
  ];
  const named = (d: number) => plain(collection.id(d), 40);
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
      <p role="status">{changes.length ? w.changesCounted(changes.length) : w.noChange}</p>
      {changes.length ? (
        <p class="actions" role="group" aria-label={w.filter}>
          {kinds.map(([kind, name]) => (
            <button type="button" key={kind} aria-pressed={only === kind} onClick={() => setOnly(kind)}>
              {name}
            </button>
          ))}
        </p>
      ) : null}
      <List
        label={w.changes}
        count={shown.length}
        height={useNarrow() ? 72 : 44}
        version={shown}
        href={(at) => `#/document/${shown[at].d}`}
        row={(at) => {
          const { d, kind } = shown[at];
          const [before, now] = [collection.run.representative[d], decisions.representative[d]];
          const cause = kind === "nowDropped" ? w.becauseOf(named(now)) : kind === "nowKept" ? w.wasBecauseOf(named(before)) : w.insteadOf(named(now), named(before));
          const similarity = kind === "nowKept" ? collection.run.similarity[d] : decisions.similarity[d];
          return (
            <>
              <span class={`figure ${kind === "nowKept" ? "" : "is-dropped"}`}>{figure(similarity)}</span>
              <Short text={collection.id(d)} most={70} />
              <span class="note status cause">{cause}</span>
            </>
          );
        }}
      />
    </>
  );
}
