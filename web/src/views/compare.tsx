// Two texts side by side: what they share, and what is only in one of them.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { cut, differs, missing, withRegions, type Part } from "../data/parts";
import { Verdict } from "../parts/reason";
import { Short, figure, plain } from "../parts/shown";
import { trail, useKeys, useLater, useShared } from "../parts/state";
import { useWords } from "../words";
import { Counted, unlinked, why } from "./document";
import { Regions } from "./regions";
import { Side } from "./side";

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
    const [ofA, ofB] = [cut(textA, aligned.a), cut(textB, aligned.b)];
    const regions = aligned.regions;
    if (!regions) return [ofA, ofB] as const;
    return [withRegions(ofA, regions.map(({ places }) => places[0])), withRegions(ofB, regions.map(({ places }) => places[1]))] as const;
  }, [textA, textB, aligned]);
  const lacks = useMemo(() => (parts ? [missing(parts[1], parts[0]), missing(parts[0], parts[1])] : null), [parts]);
  const [at, setAt] = useState(-1);
  const sides = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];

  // For passages, people look for what is shared; otherwise, for what differs.
  const passages = collection.data.command === "passages";
  const regions = aligned?.regions;
  const stands = passages ? (part: Part) => part.shared : differs;

  // The marked parts of both texts, in the order of the first.
  const differences = useMemo(() => {
    if (!parts) return [];
    const found: { side: 0 | 1; part: number; order: number }[] = [];
    // Regions are in the order of the first text.
    if (regions) {
      return regions.map(({ places }) => ({ side: 0 as const, part: parts[0].findIndex((part) => part.start === places[0][0]), order: places[0][0] }));
    }
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

  useLayoutEffect(() => setAt(-1), [a, b]);

  // When one text is scrolled, the other one follows to the same shared part, and does not lead back. The event of a text that
  // follows is recognised by its position, because on a busy machine it may come late.
  const led = useRef([-1, -1]);
  const follow = (side: number) => {
    const [own, other] = [sides[side].current, sides[1 - side].current];
    if (!parts || !own || !other || own.scrollTop === led.current[side]) return;
    led.current[side] = -1;
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
    other.scrollTop = top;
    led.current[1 - side] = other.scrollTop;
  };

  const show = (side: number, part: number) => {
    const box = sides[side].current;
    const element = box?.querySelector<HTMLElement>(`[data-part="${part}"]`);
    element?.scrollIntoView({ block: "center" });
    if (box) led.current[side] = box.scrollTop;
    return element;
  };
  const go = (to: number) => {
    if (!differences.length || !parts) return;
    const next = (to + differences.length) % differences.length;
    setAt(next);
    const { side, part } = differences[next];
    show(side, part);
    if (regions) return jump(1, regions[next].places[1][0]);
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
        <span role="status">{parts ? (regions ? w.countedRegions : passages ? w.sharedPassages : w.differences)(differences.length) + (at >= 0 && differences.length > 1 ? ` (${w.differenceOf(at + 1, differences.length)})` : "") : loaded && textA !== null && textB !== null ? w.notAligned : ""}</span>
        <button type="button" disabled={!differences.length} onClick={() => go(at < 0 ? -1 : at - 1)} title="p">
          ← {regions ? w.previousRegion : passages ? w.previousPassage : w.previousDifference}
        </button>
        <button type="button" disabled={!differences.length} onClick={() => go(at + 1)} title="n">
          {regions ? w.nextRegion : passages ? w.nextPassage : w.nextDifference} →
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
        {regions ? (
          <li>
            <span class="in-region">{w.onlyInRegion}</span>
          </li>
        ) : null}
      </ul>
      {regions ? <Regions regions={regions} current={at} show={go} /> : null}
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
              current={!regions && at >= 0 && differences[at]?.side === side ? differences[at].part : -1}
              box={sides[side]}
              onScroll={() => follow(side)}
              marked={stands}
              lacks={passages ? undefined : lacks?.[side]}
              region={regions ? at : -1}
              onRegion={go}
              onShared={(part: Part) => part.other >= 0 && jump(1 - side, part.other)}
              words={w}
            />
          </section>
        ))}
      </div>
    </>
  );
}
