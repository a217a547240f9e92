// All documents of the report, or those that are kept or dropped.

import { useMemo } from "preact/hooks";
import { List } from "../parts/list";
import { Verdict, useReasonNames } from "../parts/reason";
import { Short, figure } from "../parts/shown";
import { useKept, useNarrow, useShared } from "../parts/state";
import { useWords } from "../words";

export function Documents({ only }: { only: string }) {
  const w = useWords();
  const names = useReasonNames();
  const { collection, decisions } = useShared();
  const { documents, summary, limits } = collection.data;
  const [words, setWords] = useKept("documents words", "");
  const narrow = useNarrow();
  const dedup = collection.data.command === "dedup";
  const reasons = useMemo(() => {
    const found: string[] = [];
    for (let d = documents.references; d < collection.count; d++) found.push(collection.reason(d, decisions));
    return found;
  }, [collection, decisions]);
  const counts = useMemo(() => {
    const found = new Map<string, number>();
    for (const reason of reasons) found.set(reason, (found.get(reason) ?? 0) + 1);
    return found;
  }, [reasons]);
  const shown = useMemo(() => {
    const small = words.toLowerCase();
    const found: number[] = [];
    reasons.forEach((reason, at) => {
      const d = documents.references + at;
      const dropped = decisions.representative[d] >= 0;
      if (only === "kept" ? dropped : only === "dropped" ? !dropped : only && only !== reason) return;
      if (!small || collection.id(d).toLowerCase().includes(small)) found.push(d);
    });
    return found;
  }, [collection, decisions, reasons, words, only]);
  const known = only === "" || only === "kept" || only === "dropped" || only in names;
  const kinds: [string, string][] = [
    ["", w.allDocuments],
    ["kept", w.Kept],
    ["dropped", w.Dropped],
    ...[...counts.keys()].sort().map((reason): [string, string] => [reason, `${names[reason]} (${w.number(counts.get(reason)!)})`]),
  ];
  // Documents of the run that the report does not list: they are kept, or they are in groups that are only counted.
  const unlisted = summary.documents - reasons.length;
  return (
    <>
      <h1>{w.documentsTitle}</h1>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          {w.filterGroups} <input type="search" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
        </label>
        {dedup ? (
          <label>
            {w.reason}{" "}
            <select value={known ? only : ""} onChange={(event) => (location.hash = `#/documents/${event.currentTarget.value}`)}>
              {kinds.map(([kind, name]) => (
                <option value={kind} key={kind}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        ) : null}
      </form>
      <p role="status">{w.documentsShown(shown.length, reasons.length)}</p>
      {unlisted > 0 ? <p class="note">{limits.groups ? w.unlistedSome(unlisted) : w.notListed(unlisted)}</p> : null}
      <List
        label={w.documentsTitle}
        count={shown.length}
        height={narrow ? 72 : 44}
        href={(at) => `#/document/${shown[at]}`}
        memory={`documents ${only}`}
        version={shown}
        row={(at) => {
          const d = shown[at];
          const dropped = decisions.representative[d] >= 0;
          return (
            <>
              <span class={`figure of-document ${dropped ? "is-dropped" : ""}`}>{dropped ? figure(decisions.similarity[d]) : ""}</span>
              <Short text={collection.id(d)} most={70} />
              <Verdict reason={collection.reason(d, decisions)} />
            </>
          );
        }}
      />
    </>
  );
}
