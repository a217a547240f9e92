// A document with its cuts in place, and where the words of each cut are kept.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { parts, type CutDocument, type CutSpan } from "../data/cuts";
import { Short, visible } from "../parts/shown";
import { useKeys } from "../parts/state";
import { Steps } from "../parts/steps";
import { useWords } from "../words";

export function CutDocumentView({ documents, number }: { documents: CutDocument[]; number: number }) {
  const w = useWords();
  const document = documents[number];
  const { cuts } = document;
  const [at, setAt] = useState(-1);
  const box = useRef<HTMLDivElement>(null);
  const divided = useMemo(() => parts(document), [document]);
  // The first document with each id: sources that are in the report can be opened.
  const places = useMemo(() => new Map(documents.map((one, place) => [one.id, place] as const).reverse()), [documents]);
  useLayoutEffect(() => setAt(-1), [number]);
  const go = (to: number) => {
    if (!cuts.length) return;
    const next = (to + cuts.length) % cuts.length;
    setAt(next);
    box.current?.querySelector(`[data-cut="${next}"]`)?.scrollIntoView({ block: "center" });
  };
  const move = (to: number) => {
    if (to >= 0 && to < documents.length) location.hash = `#/document/${to}`;
  };
  useKeys((key) => {
    if (key === "n") go(at + 1);
    else if (key === "p") go(at < 0 ? -1 : at - 1);
    else if (key === "]") move(number + 1);
    else if (key === "[") move(number - 1);
    else return false;
    return true;
  });
  return (
    <>
      <h1>
        <Short text={document.id} />
      </h1>
      <p class="why">
        {document.verdict === "dropped" ? w.droppedAfterCuts(document.tokens) : w.tokensOfDocument(document.tokens)}{" "}
        <span class="note">
          <Short text={document.place} />
        </span>
      </p>
      <p class="actions">
        <span role="status">{w.countedCuts(cuts.length) + (at >= 0 && cuts.length > 1 ? ` (${w.differenceOf(at + 1, cuts.length)})` : "")}</span>
        <button type="button" disabled={!cuts.length} onClick={() => go(at < 0 ? -1 : at - 1)} title="p">
          ← {w.previousCut}
        </button>
        <button type="button" disabled={!cuts.length} onClick={() => go(at + 1)} title="n">
          {w.nextCut} →
        </button>
        <Steps view="document" number={number} count={documents.length} previous={{ text: w.previousDocument, key: "[" }} next={{ text: w.nextDocument, key: "]" }} />
      </p>
      <div class="columns">
        <section class="card side" aria-label={w.text}>
          <h2>{w.text}</h2>
          <div class="text-box" dir="auto" tabIndex={0} ref={box} role="region" aria-label={w.text}>
            {divided.map((part, key) =>
              part.cut !== undefined ? (
                <del class={`cut ${part.cut === at ? "current" : ""}`} data-cut={part.cut} key={key} onClick={() => setAt(part.cut!)}>
                  {visible(part.text, w)}
                </del>
              ) : part.inserted ? (
                <ins class="cut" title={w.inserted} key={key}>
                  {visible(part.text, w)}
                </ins>
              ) : (
                <span key={key}>{visible(part.text, w)}</span>
              ),
            )}
          </div>
          {document.whole ? <p class="note">{w.cutText([...document.text].length, document.whole)}</p> : null}
        </section>
        <section class="card side" aria-label={w.whereKept}>
          <h2>{w.whereKept}</h2>
          <ol class="sources" tabIndex={0}>
            {cuts.map((cut, key) => (
              <li key={key} aria-current={key === at ? "true" : undefined}>
                <Source cut={cut} place={places.get(cut.source)} isHere={cut.source === document.id} show={() => go(key)} number={key} isCurrent={key === at} />
              </li>
            ))}
          </ol>
        </section>
      </div>
    </>
  );
}

interface SourceProps {
  cut: CutSpan;
  /** The number of the source in the report, if it is there. */
  place?: number;
  /** Whether the document itself is the source. */
  isHere: boolean;
  show: () => void;
  number: number;
  isCurrent: boolean;
}

/** Where the words of a cut are kept. */
function Source({ cut, place, isHere, show, number, isCurrent }: SourceProps) {
  const w = useWords();
  const item = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isCurrent) item.current?.scrollIntoView({ block: "nearest" });
  }, [isCurrent]);
  const [before, words, after] = cut.quote;
  const id = <Short text={cut.source} most={40} />;
  return (
    <div ref={item}>
      <button type="button" class="region-number" aria-label={w.showCut(number + 1)} title={w.showCut(number + 1)} onClick={show}>
        {number + 1}
      </button>{" "}
      {w.tokensCutOf(cut.tokens)}{" "}
      {isHere && cut.reference === undefined ? (
        w.keptHere
      ) : (
        <>
          {w.keptIn} {cut.reference === undefined && place !== undefined ? <a href={`#/document/${place}`}>{id}</a> : id}
        </>
      )}
      {cut.reference === undefined ? null : (
        <span class="note">
          {" "}
          (<Short text={cut.reference} />)
        </span>
      )}
      , {w.characters(cut.source_start, cut.source_end)}
      {cut.passage === undefined ? null : (
        <>
          {" · "}
          <a href={`#/passage/${cut.passage}`}>{w.thisPassage}</a>
        </>
      )}
      <blockquote class="quote" dir="auto">
        <span class="note">{visible(before, w)}</span>
        {visible(words, w)}
        <span class="note">{visible(after, w)}</span>
      </blockquote>
    </div>
  );
}
