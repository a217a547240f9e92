// The parts of two texts: what they share, and what is only in one of them.

/** A part of a text: shared with the other text at `other` (-1: nowhere), or only here. */
export interface Part {
  text: string;
  shared: boolean;
  /** Where it begins, and where it is in the other text. */
  start: number;
  other: number;
  /** The regions that it belongs to. */
  regions: number[];
  /** The regions that begin with it. */
  begins: number[];
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
    if (to > from) parts.push({ text: text.slice(from, to), shared: false, start: from, other: -1, regions: [], begins: [] });
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
    parts.push({ text: text.slice(shared[at], end), shared: true, start: shared[at], other: shared[at + 2], regions: [], begins: [] });
  }
  rest(text.length);
  return parts;
}

/** Whether a part that is not shared has words: spaces and punctuation between shared parts are no difference. */
export const differs = (part: Part) => !part.shared && WORD.test(part.text);

/**
 * The shared parts of `other` after which `text` has words that `other` lacks, where `other` has no words of its own instead.
 * -1 is the beginning of `other`.
 */
export function missing(text: Part[], other: Part[]): Set<number> {
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

/** Cuts the parts of a text at the borders of regions, which may overlap. */
export function withRegions(parts: Part[], places: [number, number][]): Part[] {
  const borders = [...new Set(places.flat())].sort((x, y) => x - y);
  let next = 0;
  return parts.flatMap((part) => {
    const end = part.start + part.text.length;
    while (borders[next] <= part.start) next++;
    const cuts = [part.start];
    while (borders[next] < end) cuts.push(borders[next++]);
    return cuts.map((start, at) => {
      const to = cuts[at + 1] ?? end;
      return {
        ...part,
        start,
        text: part.text.slice(start - part.start, to - part.start),
        other: part.other < 0 ? -1 : part.other + start - part.start,
        regions: places.flatMap(([from, until], number) => (from <= start && to <= until ? [number] : [])),
        begins: places.flatMap(([from], number) => (from === start ? [number] : [])),
      };
    });
  });
}
