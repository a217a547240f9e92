// Charts, drawn by uPlot, each with its figures in a table for those who do not see it.

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useWords } from "../words";

interface Props {
  title: string;
  note: string;
  xLabel: string;
  yLabel: string;
  /** The x values, and one list of y values for each series. */
  x: number[];
  series: { label: string; y: (number | null)[]; kind: "bars" | "line"; scale?: "right"; dashed?: boolean; filled?: boolean }[];
  /** Marks a place on the x axis, such as the threshold. */
  mark?: { at: number; label: string };
  xRange?: [number, number];
  yRange?: [number, number];
  /** Whether to list the series with their colours. */
  legend?: boolean;
  xFormat: (value: number) => string;
  yFormat: (value: number) => string;
  rightFormat?: (value: number) => string;
  /** Changes when colours change. */
  theme: string;
}

const COLORS = ["--chart", "--chart-2", "--chart-3", "--chart-4", "--chart-5", "--chart-6"];

const color = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function Chart(props: Props) {
  const w = useWords();
  const box = useRef<HTMLDivElement>(null);
  const { x, series, mark, xRange, title, theme } = props;

  useEffect(() => {
    if (!box.current || !x.length) return;
    const host = box.current;
    const [ink, grid] = [color("--ink-soft"), color("--line")];
    const bars = uPlot.paths.bars!({ size: [0.9, 60], align: 1 });
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
    const right = series.some((one) => one.scale === "right");
    const options: uPlot.Options = {
      width: host.clientWidth || 480,
      height: 230,
      legend: { show: false },
      cursor: { show: false },
      padding: [12, right ? 4 : 12, 0, 0],
      scales: {
        x: { time: false, range: xRange ? () => xRange : undefined },
        y: { range: (_, __, max) => props.yRange ?? [0, Math.max(1, max * 1.05)] },
        right: { range: [0, 1] },
      },
      axes: [
        { ...axis, label: props.xLabel, labelSize: 22, values: (_, all) => all.map((value) => (value === null ? "" : props.xFormat(value))) },
        { ...axis, label: props.yLabel, labelSize: 22, size: 56, values: (_, all) => all.map((value) => (value === null ? "" : props.yFormat(value))) },
        ...(right
          ? [{ ...axis, side: 1 as const, scale: "right", size: 52, grid: { show: false }, values: (_: uPlot, all: number[]) => all.map(props.rightFormat!) }]
          : []),
      ],
      series: [
        {},
        ...series.map((one, at): uPlot.Series => ({
          label: one.label,
          scale: one.scale ?? "y",
          stroke: color(COLORS[at % COLORS.length]),
          // The same colours again, with dashes, if there are many series.
          dash: one.dashed ? [3, 4] : at >= COLORS.length ? [10, 4] : undefined,
          spanGaps: true,
          fill: one.kind === "bars" ? color(one.filled ? COLORS[at] : "--chart-fill") : undefined,
          width: one.kind === "bars" ? 1 : 2,
          paths: one.kind === "bars" ? bars : undefined,
          points: { show: false },
        })),
      ],
      hooks: {
        draw: [
          (plot) => {
            if (!mark) return;
            const at = plot.valToPos(mark.at, "x", true);
            const context = plot.ctx;
            context.save();
            context.strokeStyle = color("--accent");
            context.setLineDash([6, 4]);
            context.lineWidth = 2;
            context.beginPath();
            context.moveTo(at, plot.bbox.top);
            context.lineTo(at, plot.bbox.top + plot.bbox.height);
            context.stroke();
            context.restore();
          },
        ],
      },
    };
    const plot = new uPlot(options, [x, ...series.map((one) => one.y)] as uPlot.AlignedData, host);
    const resize = new ResizeObserver(() => plot.setSize({ width: host.clientWidth, height: 230 }));
    resize.observe(host);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [x, series, mark?.at, theme]);

  if (!x.length) return null;
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <p>{props.note}</p>
      </figcaption>
      {props.legend ? (
        <ul class="legend">
          {series.map((one, at) => (
            <li key={one.label}>
              <i style={{ background: `var(${COLORS[at % COLORS.length]})` }} aria-hidden="true" /> {one.label}
            </li>
          ))}
        </ul>
      ) : null}
      <div ref={box} role="img" aria-label={`${title}. ${props.note}`} />
      <details>
        <summary>{w.asTable}</summary>
        <div class="scroll" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{props.xLabel}</th>
                {series.map((one) => (
                  <th scope="col" key={one.label}>{one.label}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {x.map((value, at) =>
                series.some((one) => one.y[at]) ? (
                  <tr key={value}>
                    <th scope="row">{props.xFormat(value)}</th>
                    {series.map((one) => {
                      const y = one.y[at];
                      return <td key={one.label}>{y === null ? "" : one.scale ? props.rightFormat!(y) : props.yFormat(y)}</td>;
                    })}
                  </tr>
                ) : null,
              )}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
