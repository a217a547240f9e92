// Moves the threshold, and shows at once what would be kept and dropped.

import { useWords } from "../words";
import { useShared } from "./state";

export function ThresholdControl() {
  const w = useWords();
  const { collection, threshold, setThreshold, decisions } = useShared();
  const { settings, slider, summary } = collection.data;
  if (slider.floor === null) return <p class="note">{w.cannotMove[slider.why_not ?? ""] ?? ""}</p>;
  const floor = Math.ceil(slider.floor * 100 - 1e-9) / 100;
  /** Moves the threshold as far as it can be moved, and returns it. */
  const set = (value: number) => {
    const next = Number.isNaN(value) ? threshold : Math.min(1, Math.max(slider.floor!, value));
    setThreshold(next);
    return next;
  };
  const runDropped = collection.dropped(collection.run);
  const dropped = collection.dropped(decisions);
  // Documents that are not listed have no similar document, so they are kept.
  const kept = summary.documents - dropped;
  const change = dropped - runDropped;
  return (
    <section class="card threshold" aria-labelledby="threshold-title">
      <h2 id="threshold-title">{w.thresholdTry}</h2>
      <div class="threshold-row">
        <input
          type="range"
          aria-label={w.threshold}
          min={floor}
          max={1}
          step={0.01}
          value={threshold}
          onInput={(event) => set(event.currentTarget.valueAsNumber)}
        />
        <input
          type="number"
          class="threshold-number"
          aria-label={w.threshold}
          min={slider.floor}
          max={1}
          step="any"
          value={threshold}
          onChange={(event) => {
            const field = event.currentTarget;
            const inForce = set(field.valueAsNumber);
            field.value = String(inForce);
          }}
        />
      </div>
      <p class="figures" role="status">
        <span>
          <b>{w.number(kept)}</b> {w.kept}
        </span>
        <span>
          <b data-testid="dropped" data-threshold={threshold}>{w.number(dropped)}</b> {w.dropped}
          {change ? ` (${change > 0 ? "+" : "−"}${w.number(Math.abs(change))})` : ""}
        </span>
        {threshold === settings.threshold ? null : <a href="#/changes">{w.changesAt(threshold)}</a>}
      </p>
      <p class="note">{w.thresholdNote(slider.floor)}</p>
    </section>
  );
}
