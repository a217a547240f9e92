// The charts of the report of `link`: how scores are distributed, and what other thresholds would give.

import { useMemo } from "preact/hooks";
import { Chart } from "../parts/chart";
import { useWords } from "../words";

/** How many pairs have each score. Bits if weights are learned. */
export interface Histogram {
  scale: "points" | "bits";
  from: number;
  step: number;
  pairs: number[];
  matches?: number[];
  others?: number[];
}

export interface AtThreshold {
  threshold: number;
  bits?: number;
  pairs: number;
  precision: number | null;
  recall: number | null;
  f1: number | null;
}

export interface Thresholds {
  by: "labels" | "held_out" | "model";
  current: AtThreshold;
  best: AtThreshold | null;
}

/** Bits below this are not shown: nearly all pairs that are no matches have fewer. */
const LEAST_BITS = -10;

/** Returns the odds of a probability in bits, within what a chart shows. */
const odds = (probability: number) => Math.max(-60, Math.min(60, Math.log2(probability / (1 - probability))));

export function ScoreChart({ scores, thresholds: [match, possible], theme }: { scores: Histogram; thresholds: [number, number]; theme: string }) {
  const w = useWords();
  const isBits = scores.scale === "bits";
  const digits = isBits ? 0 : 2;
  const x = useMemo(() => scores.pairs.map((_, at) => scores.from + at * scores.step), [scores]);
  const series = useMemo(
    () => [
      { label: w.pairs, y: scores.pairs, kind: "bars" as const },
      ...(scores.matches ? [{ label: w.labelledMatches, y: scores.matches, kind: "bars" as const, filled: true }] : []),
    ],
    [scores, w],
  );
  const mark = isBits ? odds(match) : match;
  const least = isBits ? LEAST_BITS : Math.min(0.5, possible);
  const end = x[x.length - 1] + scores.step;
  return (
    <Chart
      title={w.scores}
      note={isBits ? w.bitsOfPairsNote(match, mark.toFixed(1), possible) : w.scoresNote(match, possible)}
      xLabel={isBits ? w.bits : w.score}
      yLabel={w.pairs}
      x={x}
      series={series}
      legend={series.length > 1}
      mark={{ at: mark, label: w.match }}
      xRange={[Math.min(Math.max(least, x[0]), mark), Math.max(isBits ? end : 1, mark)]}
      xFormat={(value) => value.toFixed(digits)}
      yFormat={w.number}
      theme={theme}
    />
  );
}

export function ThresholdChart({ curve, thresholds, theme }: { curve: AtThreshold[]; thresholds: Thresholds; theme: string }) {
  const w = useWords();
  const isBits = curve.some((at) => at.bits !== undefined);
  const place = (at: AtThreshold) => (isBits ? odds(at.threshold) : at.threshold);
  const x = useMemo(() => curve.map((at) => (isBits ? at.bits! : at.threshold)), [curve]);
  const series = useMemo(
    () => [
      { label: w.precision, y: curve.map((at) => at.precision), kind: "line" as const },
      { label: w.recall, y: curve.map((at) => at.recall), kind: "line" as const },
      { label: w.f1, y: curve.map((at) => at.f1), kind: "line" as const, dashed: true },
    ],
    [curve, w],
  );
  const { by, current, best } = thresholds;
  const share = (value: number | null) => (value === null ? "–" : w.percent(value));
  const rows: [string, AtThreshold][] = [[w.currentThreshold, current], ...(best ? [[w.bestThreshold, best] as [string, AtThreshold]] : [])];
  return (
    <>
      <Chart
        title={w.thresholds}
        note={`${w.thresholdsBy[by]} ${isBits ? w.thresholdsInBits : ""}`.trim()}
        xLabel={isBits ? w.bits : w.threshold}
        yLabel=""
        x={x}
        series={series}
        legend
        mark={{ at: place(current), label: w.match }}
        yRange={[0, 1.02]}
        xFormat={(value) => value.toFixed(isBits ? 1 : 2)}
        yFormat={(value) => value.toFixed(2)}
        theme={theme}
      />
      <section class="card scroll" tabIndex={0}>
        <table class="methods">
          <thead>
            <tr>
              {[w.threshold, "match", w.pairs, w.precision, w.recall, w.f1].map((name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, at]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{at.threshold}</td>
                <td>{w.number(at.pairs)}</td>
                <td>{share(at.precision)}</td>
                <td>{share(at.recall)}</td>
                <td>{at.f1 === null ? "–" : at.f1.toFixed(4)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
