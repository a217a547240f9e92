// The report of `eval`: methods side by side.

import { useMemo } from "preact/hooks";
import { Chart } from "../parts/chart";
import { Settings, Shell } from "../parts/shell";
import { Names, Short } from "../parts/shown";
import { useWords } from "../words";

interface Estimate {
  value: number;
  low: number;
  high: number;
}

interface Run {
  label: string;
  flags: string[];
  pairs: { found_true: number; found: number; truth: number; precision: Estimate | null; recall: Estimate | null; f1: number | null };
  partners: { documents: number; complete: number };
  drops: { dropped: number; wrong: number; doubled: number; missed: number };
  dropped: number;
  pairs_met: number;
  seconds: number;
  peak_memory: number | null;
  by_similarity: { from: number; pairs: number; found: number }[] | null;
}

export interface EvalData {
  program: string;
  command: "eval";
  inputs: string[];
  report: {
    truth: {
      kind: string;
      documents: number;
      judged: number;
      with_partner: number;
      pairs: number | null;
      threshold: number;
      measure: "resemblance" | "containment";
    };
    runs: Run[];
  };
  /** The expected recall of the first method that uses bands: resemblance and probability. */
  curve: [number, number][];
}

export function EvalApp({ data }: { data: EvalData }) {
  return <Settings>{(setting, theme) => <Methods setting={setting} theme={theme} data={data} />}</Settings>;
}

function Methods({ data, setting, theme }: { data: EvalData; theme: string; setting: { language: string; setLanguage: (language: string) => void; turnTheme: () => void } }) {
  const w = useWords();
  const { truth, runs } = data.report;
  const share = (value: number) => w.percent(value);
  return (
    <Shell {...setting} tabs={[["overview", w.methods]]}>
      <h1>
        <Names names={data.inputs} most={120} />
      </h1>
      <p>{w.truth(truth.kind, truth.judged, truth.documents, truth.with_partner, truth.pairs, w[truth.measure], truth.threshold)}</p>
      <Intervals title={w.recall} note={w.recallNote} runs={runs} of={(run) => run.pairs.recall} />
      <Intervals title={w.precision} note={w.precisionNote} runs={runs} of={(run) => run.pairs.precision} />
      <BySimilarity data={data} theme={theme} />
      <section class="card">
        <h2>{w.methods}</h2>
        <div class="scroll" tabIndex={0}>
          <table class="methods">
            <thead>
              <tr>
                {[w.method, w.recall, w.precision, w.f1, w.whole, w.Dropped, w.wrongDrops, w.missed, w.doubled, w.candidates, w.seconds, w.memory].map((name) => (
                  <th scope="col" key={name}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {runs.map((run) => (
                <tr key={run.label}>
                  <th scope="row">
                    <Short text={run.label} />
                  </th>
                  <td>{run.pairs.recall ? share(run.pairs.recall.value) : "–"}</td>
                  <td>{run.pairs.precision ? share(run.pairs.precision.value) : "–"}</td>
                  <td>{run.pairs.f1 === null ? "–" : run.pairs.f1.toFixed(3)}</td>
                  <td>{run.partners.documents ? share(run.partners.complete / run.partners.documents) : "–"}</td>
                  <td>{w.number(run.dropped)}</td>
                  <td>{w.number(run.drops.wrong)}</td>
                  <td>{w.number(run.drops.missed)}</td>
                  <td>{w.number(run.drops.doubled)}</td>
                  <td>{w.number(run.pairs_met)}</td>
                  <td>{run.seconds.toFixed(2)}</td>
                  <td>{run.peak_memory === null ? "–" : `${w.number(Math.round(run.peak_memory / 1e6))} MB`}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <dl class="terms">
          {w.evalTerms.map(([term, meaning]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </section>
      <footer class="note">lookalike {data.program}</footer>
    </Shell>
  );
}

/** Shares with their intervals, one line per method. */
function Intervals({ title, note, runs, of }: { title: string; note: string; runs: Run[]; of: (run: Run) => Estimate | null }) {
  const w = useWords();
  const known = runs.filter(of);
  if (!known.length) return null;
  return (
    <section class="card">
      <h2>{title}</h2>
      <p class="note">{note}</p>
      <ul class="intervals">
        {known.map((run) => {
          const { value, low, high } = of(run)!;
          return (
            <li key={run.label}>
              <Short text={run.label} most={40} />
              <span class="interval" aria-hidden="true">
                <span class="interval-bar" style={{ left: `${100 * low}%`, width: `${100 * (high - low)}%` }} />
                <span class="interval-point" style={{ left: `${100 * value}%` }} />
              </span>
              <span class="interval-figure">
                <b>{w.percent(value)}</b>{" "}
                <span class="note">
                  [{w.percent(low)}, {w.percent(high)}]
                </span>
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The share of the true pairs that each method found, by their similarity. */
function BySimilarity({ data, theme }: { data: EvalData; theme: string }) {
  const w = useWords();
  const { truth, runs } = data.report;
  const [x, series] = useMemo(() => {
    const known = runs.filter((run) => run.by_similarity?.length);
    const steps = known[0]?.by_similarity ?? [];
    const starts = steps.map((step) => step.from);
    const lines = known.map((run) => ({
      label: run.label,
      kind: "line" as const,
      y: starts.map((from) => {
        const step = run.by_similarity!.find((one) => one.from === from);
        return step?.pairs ? step.found / step.pairs : null;
      }),
    }));
    const expected = data.curve.length
      ? [{ label: w.expected, kind: "line" as const, dashed: true, y: starts.map((from) => data.curve[Math.round(100 * from)]?.[1] ?? null) }]
      : [];
    return [starts, [...lines, ...expected]];
  }, [data, w]);
  if (!x.length) return null;
  return (
    <Chart
      title={w.foundBySimilarity}
      note={w.foundBySimilarityNote}
      xLabel={w[truth.measure]}
      yLabel={w.found}
      x={x}
      series={series}
      legend
      mark={{ at: truth.threshold, label: w.threshold }}
      yRange={[0, 1]}
      xFormat={(value) => value.toFixed(2)}
      yFormat={(value) => `${Math.round(100 * value)} %`}
      theme={theme}
    />
  );
}
