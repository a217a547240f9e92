// The report of `link`: pairs of records, field by field.

import { useMemo, useState } from "preact/hooks";
import { Blocks } from "../data/load";
import { List } from "../parts/list";
import { Settings, Shell } from "../parts/shell";
import { Names, Short, beginning, figure, visible } from "../parts/shown";
import { useAddress, useKeys, useLater } from "../parts/state";
import { Steps } from "../parts/steps";
import { useWords } from "../words";
import { AtThreshold, Histogram, ScoreChart, ThresholdChart, Thresholds } from "./link-charts";
import { ClusterData, ClusterList, ClusterView, UnlinkableCard, UnlinkableData } from "./link-clusters";

interface Field {
  field: string;
  a: string;
  b: string;
  similarity: number | null;
  points: number | null;
  weight: number;
}

interface LinkPair {
  a: string;
  b: string;
  fields: Field[];
  points: number;
  of: number;
  /** With learned weights: the odds of a match before the fields are compared, in bits. */
  prior?: number;
  score: number | null;
  verdict: string;
  blocks: { block: string; joins: boolean }[];
}

/** The beginning of a long value. */
const shortened = (value: string) => (value.length > 400 ? `${beginning(value, 399)}…` : value);

export interface LinkData {
  program: string;
  command: "link";
  inputs: string[];
  thresholds: [number, number];
  summary: {
    records: number;
    candidates: number;
    matches: number;
    possible: number;
    clusters: number;
    scores?: Histogram;
    thresholds?: Thresholds;
  };
  /** Precision and recall by threshold, in small steps; empty if they are not known. */
  curve: AtThreshold[];
  counts: number[];
  /** The names of the fields. */
  fields: string[];
  /** The number of clusters in each block `clusters-0`, `clusters-1` and so on. */
  cluster_counts: number[];
  unlinkable: UnlinkableData;
}

type Setting = { language: string; setLanguage: (language: string) => void; turnTheme: () => void };

export function LinkApp({ data }: { data: LinkData }) {
  return <Settings>{(setting, theme) => <Link setting={setting} theme={theme} data={data} />}</Settings>;
}

/** Returns all elements of all blocks. */
function every<T>(blocks: Blocks<T>, counts: number[]): Promise<T[]> {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return Promise.all(Array.from({ length: total }, (_, at) => blocks.at(at)));
}

function Link({ data, setting, theme }: { data: LinkData; theme: string; setting: Setting }) {
  const w = useWords();
  const [view, first] = useAddress();
  const blocks = useMemo(() => new Blocks<LinkPair>("pairs", data.counts), [data]);
  const groups = useMemo(() => new Blocks<ClusterData>("clusters", data.cluster_counts), [data]);
  const pairs = useLater(() => every(blocks, data.counts), [blocks]);
  const clusters = useLater(() => every(groups, data.cluster_counts), [groups]);
  const [match] = data.thresholds;
  // The pairs about which one can doubt come first.
  const sorted = useMemo(
    () => (pairs ? [...pairs].sort((x, y) => Math.abs((x.score ?? 0) - match) - Math.abs((y.score ?? 0) - match)) : []),
    [pairs, match],
  );
  const number = Number(first);
  return (
    <Shell {...setting} tabs={[["overview", w.overview], ["pairs", w.pairs], ["clusters", w.clusters]]} busy={pairs === null || clusters === null}>
      {pairs === null || clusters === null ? (
        <h1>{w.loading}</h1>
      ) : view === "pair" && sorted[number] ? (
        <PairView pair={sorted[number]} number={number} count={sorted.length} thresholds={data.thresholds} />
      ) : view === "pairs" ? (
        <PairList pairs={sorted} />
      ) : view === "cluster" && clusters[number] ? (
        <ClusterView
          cluster={clusters[number]}
          number={number}
          count={clusters.length}
          fields={data.fields}
          pairOf={(a, b) => sorted.findIndex((pair) => pair.a === a && pair.b === b)}
        />
      ) : view === "clusters" ? (
        <ClusterList clusters={clusters} all={data.summary.clusters} />
      ) : (
        <LinkOverview data={data} pairs={sorted} theme={theme} />
      )}
    </Shell>
  );
}

function useVerdicts(): Record<string, string> {
  const w = useWords();
  return { match: w.match, possible: w.possibleMatch, not: w.noMatchVerdict };
}

function LinkOverview({ data, pairs, theme }: { data: LinkData; pairs: LinkPair[]; theme: string }) {
  const w = useWords();
  const { summary, thresholds } = data;
  const tiles: [number, string][] = [
    [summary.records, w.records],
    [summary.candidates, w.comparedPairs],
    [summary.matches, w.matches],
    [summary.possible, w.possibleMatches],
    [summary.clusters, w.clustersOfRecords],
  ];
  const left = summary.matches + summary.possible - pairs.length;
  const otherClusters = summary.clusters - data.cluster_counts.reduce((sum, count) => sum + count, 0);
  return (
    <>
      <h1>
        <Names names={data.inputs} most={120} />
      </h1>
      <ul class="tiles">
        {tiles.map(([value, label]) => (
          <li class="tile" key={label}>
            <b>{w.number(value)}</b>
            <span>{label}</span>
          </li>
        ))}
      </ul>
      {summary.scores ? <ScoreChart scores={summary.scores} thresholds={thresholds} theme={theme} /> : null}
      {summary.thresholds ? <ThresholdChart curve={data.curve} thresholds={summary.thresholds} theme={theme} /> : null}
      <section class="card">
        <h2>{w.closest}</h2>
        <p class="note">{w.closestNote(thresholds[0])}</p>
        <ul class="plain-list">
          {pairs.slice(0, 6).map((pair, at) => (
            <li key={at}>
              <a class="list-row" href={`#/pair/${at}`}>
                <Row pair={pair} />
              </a>
            </li>
          ))}
        </ul>
      </section>
      <UnlinkableCard unlinkable={data.unlinkable} />
      <section class="card">
        <h2>{w.leftOut}</h2>
        <p>{left > 0 ? w.otherLinks(left) : w.nothingLeftOutPairs}</p>
        {otherClusters > 0 ? <p>{w.otherClusters(otherClusters)}</p> : null}
      </section>
      <footer class="note">lookalike {data.program}</footer>
    </>
  );
}

function Row({ pair }: { pair: LinkPair }) {
  const verdicts = useVerdicts();
  return (
    <>
      <span class="figure">{figure(pair.score ?? Number.NaN)}</span>
      <span class="pair-ids">
        <Short text={pair.a} most={30} /> <span aria-hidden="true">↔</span> <Short text={pair.b} most={30} />
        <span class="note">
          {" "}
          <Short text={pair.fields.map(({ a, b }) => (a === b ? a : `${a || "–"} / ${b || "–"}`)).filter(Boolean).join(" · ")} most={90} />
        </span>
      </span>
      <span class={`verdict ${pair.verdict === "match" ? "is-kept" : "is-reference"}`}>{verdicts[pair.verdict] ?? pair.verdict}</span>
    </>
  );
}

function PairList({ pairs }: { pairs: LinkPair[] }) {
  const w = useWords();
  const verdicts = useVerdicts();
  const [words, setWords] = useState("");
  const [verdict, setVerdict] = useState("");
  const shown = useMemo(() => {
    const small = words.toLowerCase();
    const has = (pair: LinkPair) =>
      [pair.a, pair.b, ...pair.fields.flatMap(({ a, b }) => [a, b])].some((text) => text.toLowerCase().includes(small));
    return pairs.map((pair, at) => ({ pair, at })).filter(({ pair }) => (!verdict || pair.verdict === verdict) && (!small || has(pair)));
  }, [pairs, words, verdict]);
  return (
    <>
      <h1>{w.pairs}</h1>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          {w.filterRecords} <input type="search" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
        </label>
        <label>
          {w.verdict}{" "}
          <select value={verdict} onChange={(event) => setVerdict(event.currentTarget.value)}>
            <option value="">{w.allVerdicts}</option>
            {["match", "possible"].map((one) => (
              <option value={one} key={one}>
                {verdicts[one]}
              </option>
            ))}
          </select>
        </label>
      </form>
      <p role="status">{w.pairsShown(shown.length, pairs.length)}</p>
      <List
        label={w.pairs}
        count={shown.length}
        height={44}
        href={(at) => `#/pair/${shown[at].at}`}
        version={shown}
        row={(at) => <Row pair={shown[at].pair} />}
      />
    </>
  );
}

/**
 * Returns where the bar of each field begins and ends, as shares of the width, and where the threshold is. Points are shares of the
 * possible points. Bits begin at the prior odds; some are negative.
 */
export function waterfall(pair: LinkPair, match: number) {
  const ends = [pair.prior ?? 0];
  pair.fields.forEach((field) => ends.push(ends[ends.length - 1] + (field.points ?? 0)));
  const most = pair.fields.map((field, at) => ends[at] + (field.points === null ? 0 : field.weight));
  const threshold = pair.prior === undefined ? match * pair.of : Math.log2(match / (1 - match));
  const isFinite = Number.isFinite(threshold);
  const least = pair.prior === undefined ? 0 : Math.min(...ends, isFinite ? threshold : 0) - 1;
  const largest = pair.prior === undefined ? pair.of : Math.max(...ends, ...most, isFinite ? threshold : 0) + 1;
  const place = (value: number) => Math.min(1, Math.max(0, (value - least) / (largest - least || 1)));
  const bars = pair.fields.map((field, at) => ({ field, start: place(ends[at]), end: place(ends[at + 1]), most: place(most[at]) }));
  return { bars, mark: place(threshold) };
}

/** A pair field by field, and how the fields add up to the score. */
function PairView({ pair, number, count, thresholds }: { pair: LinkPair; number: number; count: number; thresholds: [number, number] }) {
  const w = useWords();
  const verdicts = useVerdicts();
  useKeys((key) => {
    const next = key === "]" ? number + 1 : key === "[" ? number - 1 : -1;
    if (next >= 0 && next < count) location.hash = `#/pair/${next}`;
    return key === "]" || key === "[";
  });
  const { bars, mark } = waterfall(pair, thresholds[0]);
  const percent = (value: number) => `${100 * value}%`;
  const isLearned = pair.prior !== undefined;
  const score = figure(pair.score ?? Number.NaN);
  return (
    <>
      <h1>
        <Short text={pair.a} /> ↔ <Short text={pair.b} />
      </h1>
      <p class="why">
        {verdicts[pair.verdict] ?? pair.verdict}: {isLearned
          ? w.probabilityIs(score, pair.prior!.toFixed(1), pair.points.toFixed(1))
          : w.scoreIs(score, pair.points.toFixed(2), pair.of.toFixed(2))}
      </p>
      <p class="actions">
        <Steps view="pair" number={number} count={count} previous={{ text: w.previousPair }} next={{ text: w.nextPair }} />
      </p>
      <section class="card">
        <div class="scroll" tabIndex={0}>
          <table class="fields">
            <thead>
              <tr>
                <th scope="col">{w.field}</th>
                <th scope="col">
                  <Short text={pair.a} most={30} />
                </th>
                <th scope="col">
                  <Short text={pair.b} most={30} />
                </th>
                <th scope="col">{w.similarity}</th>
                <th scope="col">{isLearned ? w.bits : w.points}</th>
                <th scope="col">{w.sum}</th>
              </tr>
            </thead>
            <tbody>
              {bars.map(({ field, start, end, most }) => (
                <tr key={field.field}>
                  <th scope="row">
                    <Short text={field.field} />
                  </th>
                  <td class={field.a === field.b ? "" : "differs"}>{field.a ? <bdi>{visible(shortened(field.a), w)}</bdi> : <i>{w.missingValue}</i>}</td>
                  <td class={field.a === field.b ? "" : "differs"}>{field.b ? <bdi>{visible(shortened(field.b), w)}</bdi> : <i>{w.missingValue}</i>}</td>
                  <td>{field.similarity === null ? "–" : figure(field.similarity)}</td>
                  <td>{field.points === null ? w.notCounted : `${field.points.toFixed(2)} / ${isLearned ? field.weight.toFixed(2) : field.weight}`}</td>
                  <td class="bar-cell">
                    <span class="waterfall" role="img" aria-label={`${(100 * start).toFixed(0)} % → ${(100 * end).toFixed(0)} %`}>
                      <span class="waterfall-most" style={{ left: percent(start), width: percent(most - start) }} />
                      <span class="waterfall-bar" style={{ left: percent(Math.min(start, end)), width: percent(Math.abs(end - start)) }} />
                      <span class="waterfall-mark" style={{ left: percent(mark) }} />
                    </span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <p class="note">{isLearned ? w.bitsNote(thresholds[0], thresholds[1]) : w.waterfallNote(thresholds[0], thresholds[1])}</p>
      </section>
      <section class="card">
        <h2>{w.whyCompared}</h2>
        <ul>
          {pair.blocks.map((block) => (
            <li key={block.block}>
              {block.joins ? "✓" : "✗"} <Short text={block.block} /> <span class="note">{block.joins ? w.blockJoins : w.blockDoesNot}</span>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
