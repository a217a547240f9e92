// The text of a document.

import { useWords } from "../words";
import { visible } from "./shown";
import { useLater, useShared } from "./state";

export function TextBox({ d }: { d: number }) {
  const w = useWords();
  const { collection } = useShared();
  const text = useLater(() => collection.text(d), [collection, d]);
  if (!collection.hasText(d)) return <NoText d={d} />;
  if (text === null) return <p class="note" aria-busy="true">{w.loading}</p>;
  return (
    <>
      <div class="text-box" dir="auto" tabIndex={0} aria-label={w.text} role="region">
        {visible(text, w)}
      </div>
      <CutNote d={d} shown={[...text].length} />
    </>
  );
}

/** Says why a text is not in the report. */
export function NoText({ d }: { d: number }) {
  const w = useWords();
  const { collection } = useShared();
  const reason = collection.reason(d, collection.run);
  const alone = (reason === "u" || reason === "-") && !collection.pairsOf(d).length;
  return <p class="note">{reason === "e" ? w.emptyText : alone ? w.onlySimilar : w.noText}</p>;
}

/** Says that only the beginning of a text is in the report. */
export function CutNote({ d, shown }: { d: number; shown: number }) {
  const w = useWords();
  const whole = useShared().collection.wholeLength(d);
  return whole === undefined ? null : <p class="note">{w.cutText(shown, whole)}</p>;
}
