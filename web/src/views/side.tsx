// One of two texts side by side.

import type { JSX } from "preact";
import type { Part } from "../data/parts";
import { plain, visible } from "../parts/shown";
import { useShared } from "../parts/state";
import { CutNote, NoText } from "../parts/text-box";
import type { Words } from "../words";

interface SideProps {
  d: number;
  loading: boolean;
  text: string | null;
  parts: Part[] | null;
  current: number;
  box: { current: HTMLDivElement | null };
  /** Which parts are marked. */
  marked: (part: Part) => boolean;
  /** After which parts the other text has words that this one lacks. */
  lacks?: Set<number>;
  onShared: (part: Part) => void;
  /** The region that is looked at, or -1. */
  region: number;
  onRegion: (region: number) => void;
  onScroll: () => void;
  words: Words;
}

export function Side({ d, loading, text, parts, current, box, marked, lacks, onShared, region, onRegion, onScroll, words }: SideProps) {
  const { collection } = useShared();
  if (loading) return <p class="note" aria-busy="true">{words.loading}</p>;
  if (text === null) return <NoText d={d} />;
  const caret = <i class="caret" title={words.onlyThere} aria-hidden="true" />;
  const shown: (string | JSX.Element)[] | JSX.Element[] = parts
    ? parts.flatMap((part, number) => {
        const within = part.regions.includes(region) ? "in-region current-region" : part.regions.length ? "in-region" : "";
        const shown = marked(part) ? (
          <mark
            class={`only ${part.shared ? "shared" : ""} ${number === current ? "current" : ""} ${within}`}
            data-part={number}
            key={number}
            onClick={part.shared ? () => onShared(part) : undefined}
          >
            {visible(part.text, words)}
          </mark>
        ) : part.shared ? (
          <span class="shared" data-part={number} key={number} onClick={() => onShared(part)}>
            {visible(part.text, words)}
            {lacks?.has(number) ? caret : null}
          </span>
        ) : (
          <span class={within || undefined} data-part={number} key={number}>
            {visible(part.text, words)}
          </span>
        );
        const numbers = part.begins.map((one) => (
          <button type="button" class="region-number" key={`region ${one}`} title={words.showRegion(one + 1)} aria-label={words.showRegion(one + 1)} onClick={() => onRegion(one)}>
            {one + 1}
          </button>
        ));
        return [...numbers, shown];
      })
    : visible(text, words);
  return (
    <>
      <div class="text-box" dir="auto" tabIndex={0} ref={box} onScroll={onScroll} role="region" aria-label={`${words.text}: ${plain(collection.id(d), 40)}`}>
        {lacks?.has(-1) ? caret : null}
        {shown}
      </div>
      <CutNote d={d} shown={[...text].length} />
    </>
  );
}
