// The report of `cut`: what was cut, passages that were cut most, and documents with their cuts in place.

import { useMemo } from "preact/hooks";
import { bytes, type CutData, type CutDocument, type CutPassage } from "../data/cuts";
import { Blocks } from "../data/load";
import { List } from "../parts/list";
import { Settings, Shell } from "../parts/shell";
import { Names, Short, beginning, plain, visible } from "../parts/shown";
import { useAddress, useKept, useLater, useNarrow, useRowKeys } from "../parts/state";
import { Steps } from "../parts/steps";
import { useWords, type Words } from "../words";
import { CutDocumentView } from "./cut-document";

type Setting = { language: string; setLanguage: (language: string) => void; turnTheme: () => void };

export function CutApp({ data }: { data: CutData }) {
  return <Settings>{(setting) => <Cut setting={setting} data={data} />}</Settings>;
}

function Cut({ data, setting }: { data: CutData; setting: Setting }) {
  const w = useWords();
  const [view, first] = useAddress();
  const blocks = useMemo(() => new Blocks<CutDocument>("documents", data.counts), [data]);
  const documents = useLater(() => {
    const total = data.counts.reduce((sum, count) => sum + count, 0);
    return Promise.all(Array.from({ length: total }, (_, at) => blocks.at(at)));
  }, [blocks]);
  const number = Number(first);
  return (
    <Shell {...setting} tabs={[["overview", w.overview], ["passages", w.cutPassages], ["documents", w.documentsTitle]]} busy={documents === null}>
      {documents === null ? (
        <h1>{w.loading}</h1>
      ) : view === "document" && documents[number] ? (
        <CutDocumentView documents={documents} number={number} />
      ) : view === "documents" ? (
        <Documents documents={documents} data={data} />
      ) : view === "passage" && data.passages[number] ? (
        <Passage passage={data.passages[number]} number={number} count={data.passages.length} documents={documents} />
      ) : view === "passages" ? (
        <Passages data={data} />
      ) : (
        <Overview data={data} documents={documents} />
      )}
    </Shell>
  );
}

function Overview({ data, documents }: { data: CutData; documents: CutDocument[] }) {
  const w = useWords();
  const { summary, passages } = data;
  useRowKeys();
  const tiles: [number, string][] = [
    [summary.documents, w.read],
    [summary.unchanged, w.unchanged],
    [summary.cut, w.documentsCut],
    [summary.dropped, w.dropped],
    [summary.cuts, w.cuts],
  ];
  const shares: [number, string, string][] = [
    [summary.tokens_kept, "is-kept", w.tokensKept],
    [summary.tokens_cut, "is-near", w.tokensCut],
    [summary.tokens_dropped, "is-exact", w.tokensDropped],
  ];
  const { settings } = summary;
  return (
    <>
      <h1>
        <Names names={data.inputs} most={120} />
      </h1>
      {data.references.length ? (
        <p class="note">
          {w.references}: <Names names={data.references} most={80} />
        </p>
      ) : null}
      <section class="card" aria-label={w.tokensTitle(summary.tokens)}>
        <h2>{w.tokensTitle(summary.tokens)}</h2>
        <div class="stack" aria-hidden="true">
          {shares.map(([value, name]) => (value ? <span class={name} key={name} style={{ flexGrow: value }} /> : null))}
        </div>
        <ul class="legend">
          {shares.map(([value, name, label]) => (
            <li key={name}>
              <i class={name} aria-hidden="true" /> {w.number(value)} {label} ({w.percent(value / Math.max(1, summary.tokens))})
            </li>
          ))}
        </ul>
      </section>
      <ul class="tiles">
        {tiles.map(([value, label]) => (
          <li class="tile" key={label}>
            <b>{w.number(value)}</b>
            <span>{label}</span>
          </li>
        ))}
      </ul>
      <section class="card">
        <h2>{w.cutMost}</h2>
        {passages.length ? (
          <>
            <p class="note">{w.cutMostNote}</p>
            <ul class="plain-list">
              {passages.slice(0, 8).map((passage, at) => (
                <li key={at}>
                  <a class="list-row" href={`#/passage/${at}`}>
                    <PassageRow passage={passage} />
                  </a>
                </li>
              ))}
            </ul>
            {passages.length > 8 ? (
              <p>
                <a href="#/passages">{w.allPassages(passages.length)}</a>
              </p>
            ) : null}
          </>
        ) : (
          <p>{w.cutNothing}</p>
        )}
      </section>
      <section class="card">
        <h2>{w.howCompared}</h2>
        <p>{w.cutRule(settings.unit, summary.window, summary.min_tokens, settings.more_than)}</p>
        {cutNotes(data, w).map((note) => (
          <p class="note" key={note}>
            {note}
          </p>
        ))}
      </section>
      <section class="card">
        <h2>{w.leftOut}</h2>
        <LeftOut data={data} documents={documents} />
      </section>
      <footer class="note">lookalike {data.program}</footer>
    </>
  );
}

/** What the settings of a run change about the rule. */
function cutNotes({ summary: { settings }, references, keep, group }: CutData, w: Words) {
  return [
    settings.within === "document" ? w.cutAlone : "",
    group === undefined ? "" : w.cutGroups(plain(group)),
    references.length ? w.cutReferences : "",
    keep === "first" ? "" : w.cutOrder(plain(keep)),
    settings.whole_lines ? w.cutWholeLines : "",
    settings.verbatim ? w.cutVerbatim : w.cutIgnores,
  ].filter((note) => note);
}

function LeftOut({ data, documents }: { data: CutData; documents: CutDocument[] }) {
  const w = useWords();
  const left = data.summary.cut + data.summary.dropped - documents.length;
  const all = [
    left > 0 ? w.otherCutDocuments(left) : "",
    data.other_passages > 0 ? w.otherPassages(data.other_passages) : "",
    data.summary.bad_lines > 0 ? w.badLines(data.summary.bad_lines) : "",
  ].filter(Boolean);
  return all.length ? (
    <ul>
      {all.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  ) : (
    <p>{w.nothingLeftOutCuts}</p>
  );
}

/** The first characters of a text, on one line. */
function first(text: string, most: number): string {
  const line = beginning(text, 4 * most).replace(/\s+/g, " ").trim();
  return line.length > most ? `${beginning(line, most)}…` : line;
}

function PassageRow({ passage }: { passage: CutPassage }) {
  const w = useWords();
  return (
    <>
      <span class="figure of-size">{bytes(passage.bytes)}</span>
      <span class="pair-ids">
        <Short text={first(passage.text, 80)} most={81} />
        <span class="note">
          {" "}
          {w.keptIn} <Short text={passage.id} most={30} />
        </span>
      </span>
      <span class="tag">{w.documents(passage.documents)}</span>
    </>
  );
}

function Passages({ data }: { data: CutData }) {
  const w = useWords();
  const [words, setWords] = useKept("passages words", "");
  const narrow = useNarrow();
  const shown = useMemo(() => {
    const small = words.toLowerCase();
    const has = ({ text, id }: CutPassage) => [text, id].some((one) => one.toLowerCase().includes(small));
    return data.passages.map((passage, at) => ({ passage, at })).filter(({ passage }) => !small || has(passage));
  }, [data, words]);
  return (
    <>
      <h1>{w.cutMost}</h1>
      <p class="note">{w.cutMostNote}</p>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          {w.filterTexts} <input type="search" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
        </label>
      </form>
      <p role="status">{w.passagesShown(shown.length, data.passages.length)}</p>
      <List
        label={w.cutMost}
        count={shown.length}
        height={narrow ? 96 : 44}
        href={(at) => `#/passage/${shown[at].at}`}
        memory="passages"
        version={shown}
        row={(at) => <PassageRow passage={shown[at].passage} />}
      />
    </>
  );
}

function Passage({ passage, number, count, documents }: { passage: CutPassage; number: number; count: number; documents: CutDocument[] }) {
  const w = useWords();
  const lost = documents.map((document, at) => ({ document, at })).filter(({ document }) => document.cuts.some((cut) => cut.passage === number));
  useRowKeys();
  return (
    <>
      <h1>{w.passageOf(w.documents(passage.documents), bytes(passage.bytes))}</h1>
      <p class="why">
        {w.tokensCutOf(passage.tokens)} {w.keptIn} <Short text={passage.id} />{" "}
        {passage.reference ? (
          <span class="note">
            (<Short text={passage.reference} />)
          </span>
        ) : null}
      </p>
      <p class="actions">
        <Steps view="passage" number={number} count={count} previous={{ text: w.previousPassage }} next={{ text: w.nextPassage }} />
      </p>
      <section class="card">
        <h2>{w.text}</h2>
        <div class="text-box" dir="auto" tabIndex={0} role="region" aria-label={w.text}>
          {visible(passage.text, w)}
        </div>
        {passage.whole ? <p class="note">{w.cutText([...passage.text].length, passage.whole)}</p> : null}
      </section>
      <section class="card">
        <h2>{w.cutOutOf}</h2>
        {lost.length < passage.documents ? <p class="note">{w.someOfDocuments(lost.length, passage.documents)}</p> : null}
        <ul class="plain-list">
          {lost.map(({ document, at }) => (
            <li key={at}>
              <a class="list-row" href={`#/document/${at}`}>
                <DocumentRow document={document} />
              </a>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

function DocumentRow({ document }: { document: CutDocument }) {
  const w = useWords();
  return (
    <>
      <span class="figure">{w.number(document.tokens)}</span>
      <span class="pair-ids">
        <Short text={document.id} most={40} />
        <span class="note">
          {" "}
          <Short text={first(document.text, 80)} most={81} />
        </span>
      </span>
      <span class={`verdict ${document.verdict === "dropped" ? "is-dropped" : ""}`}>{document.verdict === "dropped" ? w.dropped : w.cutVerdict}</span>
    </>
  );
}

function Documents({ documents, data }: { documents: CutDocument[]; data: CutData }) {
  const w = useWords();
  const [words, setWords] = useKept("documents words", "");
  const [verdict, setVerdict] = useKept("documents verdict", "");
  const narrow = useNarrow();
  const shown = useMemo(() => {
    const small = words.toLowerCase();
    const has = ({ id, text }: CutDocument) => [id, text].some((one) => one.toLowerCase().includes(small));
    const all = documents.map((document, at) => ({ document, at }));
    return all.filter(({ document }) => (!verdict || document.verdict === verdict) && (!small || has(document)));
  }, [documents, words, verdict]);
  const left = data.summary.cut + data.summary.dropped - documents.length;
  return (
    <>
      <h1>{w.documentsTitle}</h1>
      <p class="note">{w.cutDocumentsNote}</p>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          {w.filterTexts} <input type="search" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
        </label>
        <label>
          {w.verdict}{" "}
          <select value={verdict} onChange={(event) => setVerdict(event.currentTarget.value)}>
            <option value="">{w.allVerdicts}</option>
            <option value="cut">{w.cutVerdict}</option>
            <option value="dropped">{w.dropped}</option>
          </select>
        </label>
      </form>
      <p role="status">{w.documentsShown(shown.length, documents.length)}</p>
      {left > 0 ? <p class="note">{w.otherCutDocuments(left)}</p> : null}
      <List
        label={w.documentsTitle}
        count={shown.length}
        height={narrow ? 96 : 44}
        href={(at) => `#/document/${shown[at].at}`}
        memory="documents"
        version={shown}
        row={(at) => <DocumentRow document={shown[at].document} />}
      />
    </>
  );
}
