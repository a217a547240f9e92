// Two texts side by side: what they share, and what is only in one of them.

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Verdict } from "../parts/reason";
import { Short, figure, plain, visible } from "../parts/shown";
import { trail, useKeys, useLater, useShared } from "../parts/state";
import { CutNote, NoText } from "../parts/text-box";
import { useWords, type Words } from "../words";
import { Counted, unlinked, why } from "./document";

/** A part of a text: shared with the other text at `other` (-1: nowhere), or only here. */
interface Part {
  text: string;
  shared: boolean;
  /** Where it begins, and where it is in the other text. */
  start: number;
  other: number;
}

/** What makes a difference: letters, digits, symbols, and the marks that belong to them. */
const WORD = /[\p{L}\p{N}\p{S}\p{M}]/u;

/** Where the words of a part begin and end: without the spaces and punctuation around them. Both are `from` if there are no words. */
function wordsOf(text: string, from: number, to: number): [number, number] {
  let first = from;
  while (first < to && !WORD.test(String.fromCodePoint(text.codePointAt(first)!))) first++;
  if (first >= to) return [from, from];
  let last = to;
  while (last > first) {
    const pair = last - 2 >= first && text.codePointAt(last - 2)! > 0xffff;
    if (WORD.test(pair ? text.slice(last - 2, last) : text[last - 1])) break;
    last -= pair ? 2 : 1;
  }
  return [first, last];
}

/**
 * Cuts a text at the borders of its shared parts. In the other parts, the spaces and punctuation before the first word and after
 * the last one are parts of their own, so that only words are marked.
 */
export function cut(text: string, shared: number[]): Part[] {
  const parts: Part[] = [];
  let end = 0;
  const only = (from: number, to: number) => {
    if (to > from) parts.push({ text: text.slice(from, to), shared: false, start: from, other: -1 });
  };
  const rest = (to: number) => {
    const [first, last] = wordsOf(text, end, to);
    only(end, first);
    only(first, last);
    only(last, to);
  };
  for (let at = 0; at < shared.length; at += 3) {
    rest(shared[at]);
    end = shared[at] + shared[at + 1];
    parts.push({ text: text.slice(shared[at], end), shared: true, start: shared[at], other: shared[at + 2] });
  }
  rest(text.length);
  return parts;
}

/** Whether a part that is not shared has words: spaces and punctuation between shared parts are no difference. */
const differs = (part: Part) => !part.shared && WORD.test(part.text);

/**
 * The shared parts of `other` after which `text` has words that `other` lacks, where `other` has no words of its own instead.
 * -1 is the beginning of `other`.
 */
function missing(text: Part[], other: Part[]): Set<number> {
  const at = new Map<number, number>();
  other.forEach((part, number) => part.shared && at.set(part.start, number));
  const found = new Set<number>();
  let before: number | undefined = -1;
  for (const part of text) {
    if (part.shared) before = at.get(part.other);
    else if (before !== undefined && differs(part)) {
      let next = before + 1;
      while (next < other.length && !other[next].shared && !differs(other[next])) next++;
      if (next >= other.length || other[next].shared) found.add(before);
    }
  }
  return found;
}

export function Compare({ a, b }: { a: number; b: number }) {
  const w = useWords();
  const { collection, decisions, groups, threshold } = useShared();
  const loaded = useLater(
    () => Promise.all([collection.text(a), collection.text(b), collection.alignedParts(a, b)]),
    [collection, a, b],
  );
  const [textA, textB, aligned] = loaded ?? [null, null, null];
  const parts = useMemo(() => {
    if (textA === null || textB === null) return null;
    if (!aligned) return null;
    return [cut(textA, aligned.a), cut(textB, aligned.b)] as const;
  }, [textA, textB, aligned]);
  const lacks = useMemo(() => (parts ? [missing(parts[1], parts[0]), missing(parts[0], parts[1])] : null), [parts]);
  const [at, setAt] = useState(-1);
  const sides = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];

  // For passages, people look for what is shared; otherwise, for what differs.
  const passages = collection.data.command === "passages";
  const stands = passages ? (part: Part) => part.shared : differs;

  // The marked parts of both texts, in the order of the first.
  const differences = useMemo(() => {
    if (!parts) return [];
    const found: { side: 0 | 1; part: number; order: number }[] = [];
    for (const side of [0, 1] as const) {
      let order = 0;
      parts[side].forEach((part, number) => {
        // In the second text, the place is that of the shared part before it in the first text.
        if (passages) {
          if (part.shared && side === 0) found.push({ side, part: number, order: part.start });
        } else if (part.shared) order = side === 0 ? part.start + part.text.length : part.other < 0 ? order : part.other + part.text.length;
        else if (differs(part)) found.push({ side, part: number, order: side === 0 ? part.start : order });
      });
    }
    return found.sort((x, y) => x.order - y.order || x.side - y.side);
  }, [parts]);

  useEffect(() => setAt(-1), [a, b]);

  // When one text is scrolled, the other one follows to the same shared part.
  const quiet = useRef(0);
  const follow = (side: number) => {
    const [own, other] = [sides[side].current, sides[1 - side].current];
    if (!parts || !own || !other || Date.now() < quiet.current) return;
    const elements = own.querySelectorAll<HTMLElement>("[data-part]");
    let [low, high] = [0, elements.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (elements[middle].offsetTop + elements[middle].offsetHeight <= own.scrollTop) low = middle + 1;
      else high = middle;
    }
    while (low < elements.length && !(parts[side][low].shared && parts[side][low].other >= 0)) low++;
    if (low >= elements.length) return;
    const wanted = parts[side][low].other;
    const number = parts[1 - side].findIndex((part) => wanted < part.start + part.text.length);
    const there = other.querySelector<HTMLElement>(`[data-part="${number}"]`);
    if (!there) return;
    const share = (own.scrollTop - elements[low].offsetTop) / Math.max(1, elements[low].offsetHeight);
    const top = there.offsetTop + share * (share > 0 ? there.offsetHeight : elements[low].offsetHeight);
    if (Math.abs(top - other.scrollTop) < 2) return;
    // The other text does not lead back.
    quiet.current = Date.now() + 150;
    other.scrollTop = top;
  };

  const show = (side: number, part: number) => {
    quiet.current = Date.now() + 500;
    const element = sides[side].current?.querySelector<HTMLElement>(`[data-part="${part}"]`);
    element?.scrollIntoView({ block: "center" });
    return element;
  };
  const go = (to: number) => {
    if (!differences.length || !parts) return;
    const next = (to + differences.length) % differences.length;
    setAt(next);
    const { side, part } = differences[next];
    show(side, part);
    if (passages) return jump(1 - side, parts[side][part].other);
    // Scroll the other text to the shared part before the difference.
    for (let before = part - 1; before >= 0; before--) {
      const shared = parts[side][before];
      if (shared.shared && shared.other >= 0) {
        const number = parts[1 - side].findIndex((one) => shared.other < one.start + one.text.length);
        const after = parts[1 - side][number + 1] ? number + 1 : number;
        show(1 - side, after);
        break;
      }
    }
  };
  /** Scrolls a text to the part at this position. */
  const jump = (side: number, position: number) => {
    if (!parts) return;
    const number = parts[side].findIndex((part) => position < part.start + part.text.length);
    const element = show(side, number);
    element?.classList.add("flash");
    setTimeout(() => element?.classList.remove("flash"), 1200);
  };
  const here = trail.pairs.findIndex(([x, y]) => (x === a && y === b) || (x === b && y === a));
  const move = (step: number) => {
    const next = here < 0 ? undefined : trail.pairs[here + step];
    if (next) location.hash = `#/pair/${next[0]}/${next[1]}`;
  };
  useKeys((key) => {
    if (key === "n") go(at + 1);
    else if (key === "p") go(at < 0 ? -1 : at - 1);
    else if (key === "]") move(1);
    else if (key === "[") move(-1);
    else return false;
    return true;
  });

  const [dropped, kept] = decisions.representative[a] === b ? [a, b] : [b, a];
  const linked = decisions.representative[dropped] === kept;
  const pair = collection.pairs.find((one) => (one.a === a && one.b === b) || (one.a === b && one.b === a));
  const similarity = linked ? decisions.similarity[dropped] : (pair?.similarity ?? Number.NaN);
  const members = groups.find((group) => group.kept === dropped)?.dropped.length ?? 0;
  return (
    <>
      <h1 class="compare-title">
        {w.sideBySide} <span class="figure">{figure(similarity)}</span>
      </h1>
      {collection.data.command === "dedup" ? (
        <p class="why">
          {linked ? (
            <>
              <Short text={collection.id(dropped)} />: {why(collection, decisions, threshold, dropped, members, w)}
            </>
          ) : (
            unlinked(collection, decisions, threshold, [a, b], similarity, w)
          )}
        </p>
      ) : null}
      {passages ? null : <Counted a={a} b={b} />}
      <p class="actions compare-actions">
        <span role="status">{parts ? (passages ? w.sharedPassages : w.differences)(differences.length) + (at >= 0 && differences.length > 1 ? ` (${w.differenceOf(at + 1, differences.length)})` : "") : loaded && textA !== null && textB !== null ? w.notAligned : ""}</span>
        <button type="button" disabled={!differences.length} onClick={() => go(at < 0 ? -1 : at - 1)} title="p">
          ← {passages ? w.previousPassage : w.previousDifference}
        </button>
        <button type="button" disabled={!differences.length} onClick={() => go(at + 1)} title="n">
          {passages ? w.nextPassage : w.nextDifference} →
        </button>
        <button type="button" disabled={here <= 0} onClick={() => move(-1)} title="[">
          {w.previousPair}
        </button>
        <button type="button" disabled={here < 0 || here + 1 >= trail.pairs.length} onClick={() => move(1)} title="]">
          {w.nextPair}
        </button>
        <a class="button" href={`#/pair/${b}/${a}`}>
          {w.swap}
        </a>
      </p>
      <ul class="legend">
        {passages ? null : (
          <li>
            <mark class="only">{w.onlyHere}</mark>
          </li>
        )}
        {lacks?.some((places) => places.size) && !passages ? (
          <li>
            <i class="caret" aria-hidden="true" /> {w.moreThere}
          </li>
        ) : null}
        <li>{passages ? <mark class="only">{w.inBoth}</mark> : <span class="shared">{w.inBoth}</span>}</li>
      </ul>
      <div class="columns">
        {[a, b].map((d, side) => (
          <section class="card side" key={side} aria-label={plain(collection.id(d))}>
            <h2>
              <a href={`#/document/${d}`}>
                <Short text={collection.id(d)} most={60} />
              </a>
            </h2>
            <p>
              <Verdict reason={collection.reason(d, decisions)} />{" "}
              <span class="note">
                <Short text={collection.place(d)} />
              </span>
            </p>
            <Side
              d={d}
              loading={loaded === null}
              text={side ? textB : textA}
              parts={parts?.[side] ?? null}
              current={at >= 0 && differences[at]?.side === side ? differences[at].part : -1}
              box={sides[side]}
              onScroll={() => follow(side)}
              marked={stands}
              lacks={passages ? undefined : lacks?.[side]}
              onShared={(part) => part.other >= 0 && jump(1 - side, part.other)}
              words={w}
            />
          </section>
        ))}
      </div>
    </>
  );
}

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
  onScroll: () => void;
  words: Words;
}

function Side({ d, loading, text, parts, current, box, marked, lacks, onShared, onScroll, words }: SideProps) {
  const { collection } = useShared();
  if (loading) return <p class="note">{words.loading}</p>;
  if (text === null) return <NoText d={d} />;
  const caret = <i class="caret" title={words.onlyThere} aria-hidden="true" />;
  const shown: (string | JSX.Element)[] | JSX.Element[] = parts
    ? parts.map((part, number) =>
        marked(part) ? (
          <mark
            class={`only ${part.shared ? "shared" : ""} ${number === current ? "current" : ""}`}
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
          <span data-part={number} key={number}>
            {visible(part.text, words)}
          </span>
        ),
      )
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
