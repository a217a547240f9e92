// The regions of two texts: passages that were copied and changed.

import type { Region } from "../data/types";
import { useWords } from "../words";

interface RegionsProps {
  regions: Region[];
  /** The region that is looked at, or -1. */
  current: number;
  show: (region: number) => void;
}

/** A table of regions. A click shows a region in both texts. */
export function Regions({ regions, current, show }: RegionsProps) {
  const w = useWords();
  return (
    <section class="card regions" aria-label={w.regions}>
      <table>
        <thead>
          <tr>
            <th>{w.region}</th>
            <th>{w.wordsInBoth}</th>
            <th>{w.density}</th>
            <th>{w.regionScore}</th>
          </tr>
        </thead>
        <tbody>
          {regions.map(({ tokens, density, score }, at) => (
            <tr key={at} aria-current={at === current ? "true" : undefined}>
              <td>
                <button type="button" class="region-number" title={w.showRegion(at + 1)} aria-label={w.showRegion(at + 1)} onClick={() => show(at)}>
                  {at + 1}
                </button>
              </td>
              <td>{w.number(tokens)}</td>
              <td>{w.percent(density)}</td>
              <td>{w.number(Math.round(10 * score) / 10)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="note">{w.regionsNote}</p>
    </section>
  );
}
