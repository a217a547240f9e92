// A report's data, with what is computed from it once.

import { decide, similarityOf, type Decisions, type LawInput } from "./law";
import { Blocks } from "./load";
import type { Aligned, Data, Region } from "./types";

/** A group: a kept document and the documents that it represents. */
export interface Group {
  kept: number;
  dropped: number[];
}

/** Two documents that can be looked at side by side. */
export interface Pair {
  a: number;
  b: number;
  similarity: number;
  /** For passages: the number of regions, if these were searched. */
  regions?: number;
  /** For mirrors with a second round: found by a match (m), by lower similarity (s), or only by path (p). */
  by?: string;
}

/** Characters of a text that are shown before and after the words that a search finds. */
const AROUND = 40;

/** Compares two similarities, the larger first. Those that were not measured come last. */
export function moreSimilar(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
  return y - x;
}

export class Collection {
  readonly count: number;
  /** The decisions of the run; `pairs` and `passages` decide nothing, so everything is kept. */
  readonly run: Decisions;
  readonly law: LawInput;
  /** All pairs that can be looked at: dropped documents with their representatives, and the pairs down to the floor. */
  readonly pairs: Pair[] = [];
  private texts: Blocks<string>;
  private aligned: Blocks<Aligned>;
  private textAt = new Map<number, number>();
  private cutAt: Map<number, number>;
  private alignedAt = new Map<string, number>();
  private byId: Map<string, number[]> | null = null;
  private numbers: Set<number>;
  private representing = new WeakMap<Decisions, Uint8Array>();
  private pairsOfAll: Map<number, Pair[]> | null = null;
  private sorted: Pair[] | null = null;

  constructor(readonly data: Data) {
    const { documents, texts, aligned, settings } = data;
    this.count = documents.id.length;
    this.numbers = new Set(documents.numbers);
    this.texts = new Blocks("texts", texts.counts);
    texts.documents.forEach((document, at) => this.textAt.set(document, at));
    this.cutAt = new Map(texts.cut);
    this.aligned = new Blocks("aligned", aligned.counts);
    aligned.a.forEach((a, at) => this.alignedAt.set(`${a} ${aligned.b[at]}`, at));

    const size = Int32Array.from(documents.shingles);
    const representative = Int32Array.from(documents.representative);
    const similarity = new Float64Array(this.count);
    for (let d = 0; d < this.count; d++) {
      const r = representative[d];
      if (r < 0) continue;
      const shared = documents.shared[d];
      if (documents.reason[d] === "x") similarity[d] = 1;
      else if (shared < 0) similarity[d] = Number.NaN;
      else if (settings.measure === "containment") similarity[d] = shared / size[documents.reason[d] === "h" ? r : d];
      else similarity[d] = shared / (size[d] + size[r] - shared);
    }
    for (const [d, estimate] of documents.estimated) similarity[d] = estimate;
    this.run = { representative, similarity };
    this.law = this.lawInput(size);
    this.fillPairs();
  }

  private lawInput(size: Int32Array): LawInput {
    const { documents, pairs, slider, settings, summary } = this.data;
    const n = this.count;
    const rank = documents.rank.length ? Int32Array.from(documents.rank) : Int32Array.from({ length: n }, (_, at) => at);
    const order = new Int32Array(n);
    rank.forEach((place, document) => (order[place] = document));
    const starts = new Int32Array(n + 1);
    for (const side of [pairs.a, pairs.b]) for (const document of side) starts[document + 1]++;
    for (let at = 0; at < n; at++) starts[at + 1] += starts[at];
    const next = starts.slice();
    const others = new Int32Array(2 * pairs.a.length);
    const shared = new Int32Array(2 * pairs.a.length);
    pairs.a.forEach((a, at) => {
      const b = pairs.b[at];
      for (const [own, other] of [
        [a, b],
        [b, a],
      ]) {
        others[next[own]] = other;
        shared[next[own]++] = pairs.shared[at];
      }
    });
    const fixed = new Uint8Array(n);
    for (const document of slider.left_out) fixed[document] = 1;
    for (let d = 0; d < n; d++) {
      // The copies of documents that are left out are left out too.
      const first = documents.first_copy[d];
      if (documents.reason[d] === "e" || (first >= 0 && fixed[first])) fixed[d] = 1;
    }
    return {
      order,
      rank,
      references: documents.references,
      firstCopy: Int32Array.from(documents.first_copy),
      fixed,
      representative: this.run.representative,
      similarity: this.run.similarity,
      onlyReferences: summary.against?.only ?? false,
      measure: settings.measure,
      size,
      starts,
      others,
      shared,
    };
  }

  private fillPairs() {
    const { pairs } = this.data;
    const seen = new Set<number>();
    const add = (a: number, b: number, similarity: number, at = -1) => {
      const key = Math.min(a, b) * this.count + Math.max(a, b);
      if (seen.has(key)) return;
      seen.add(key);
      this.pairs.push({ a, b, similarity, ...this.foundBy(at) });
    };
    for (let d = 0; d < this.count; d++) {
      const r = this.data.documents.representative[d];
      if (r >= 0) add(r, d, this.run.similarity[d]);
    }
    pairs.a.forEach((a, at) => {
      const b = pairs.b[at];
      if (pairs.similarity.length) {
        add(a, b, pairs.similarity[at] ?? Number.NaN, at);
        return;
      }
      const there = similarityOf(this.law, b, a, pairs.shared[at]);
      const back = similarityOf(this.law, a, b, pairs.shared[at]);
      add(a, b, Math.max(there, back));
    });
  }

  /** How many regions a listed pair has and how it was found, if this is known. */
  private foundBy(at: number): Pick<Pair, "regions" | "by"> {
    const { regions, by } = this.data.pairs;
    return { regions: regions[at], by: by[at] };
  }

  /** A pair that the command lists, by its number. */
  listed(at: number): Pair {
    const { pairs } = this.data;
    return { a: pairs.a[at], b: pairs.b[at], similarity: pairs.similarity[at] ?? Number.NaN, ...this.foundBy(at) };
  }

  /** The pairs of a document, the most similar first. */
  pairsOf(d: number): Pair[] {
    if (!this.pairsOfAll) {
      this.pairsOfAll = new Map();
      for (const pair of this.pairs) {
        for (const one of [pair.a, pair.b]) {
          const list = this.pairsOfAll.get(one);
          if (list) list.push(pair);
          else this.pairsOfAll.set(one, [pair]);
        }
      }
      for (const list of this.pairsOfAll.values()) list.sort((x, y) => moreSimilar(x.similarity, y.similarity));
    }
    return this.pairsOfAll.get(d) ?? [];
  }

  /** The pairs whose similarity was measured, the most similar first. */
  get bySimilarity(): Pair[] {
    return (this.sorted ??= this.pairs.filter((pair) => !Number.isNaN(pair.similarity)).sort((x, y) => y.similarity - x.similarity));
  }

  /** Whether the threshold can be moved. */
  get movable(): boolean {
    return this.data.command === "dedup" && this.data.slider.floor !== null;
  }

  /** Decides at a threshold; the run's own decisions at the run's own threshold. */
  decide(threshold: number): Decisions {
    if (!this.movable || threshold === this.data.settings.threshold) return this.run;
    return decide(this.law, threshold);
  }

  /** The number of dropped documents, with those of groups that are not listed. */
  dropped(decisions: Decisions): number {
    let found = this.data.limits.dropped;
    for (const r of decisions.representative) found += Number(r >= 0);
    return found;
  }

  /** Groups the documents by who represents them, the largest group first. */
  groups(decisions: Decisions): Group[] {
    const members = new Map<number, number[]>();
    decisions.representative.forEach((kept, document) => {
      if (kept < 0) return;
      const list = members.get(kept);
      if (list) list.push(document);
      else members.set(kept, [document]);
    });
    const groups = [...members].map(([kept, dropped]) => ({ kept, dropped }));
    return groups.sort((x, y) => y.dropped.length - x.dropped.length || x.kept - y.kept);
  }

  /** The letter of the reason for a decision, as in `Documents.reason`. */
  reason(d: number, decisions: Decisions): string {
    const { documents, settings, command } = this.data;
    if (decisions === this.run || command !== "dedup") return documents.reason[d];
    if (d < documents.references) return "R";
    const r = decisions.representative[d];
    if (r < 0) return documents.reason[d] === "e" ? "e" : this.represents(decisions)[d] ? "r" : "u";
    const first = (document: number) => (documents.first_copy[document] < 0 ? document : documents.first_copy[document]);
    if (first(d) === first(r)) return "x";
    return settings.measure === "containment" ? "c" : "n";
  }

  /** Which documents represent a dropped document. */
  private represents(decisions: Decisions): Uint8Array {
    let found = this.representing.get(decisions);
    if (!found) {
      found = new Uint8Array(this.count);
      for (const r of decisions.representative) if (r >= 0) found[r] = 1;
      this.representing.set(decisions, found);
    }
    return found;
  }

  id(d: number): string {
    return this.data.documents.id[d];
  }

  /** The id as JSON, for lists that programs read. */
  jsonId(d: number): string {
    return this.numbers.has(d) ? this.id(d) : JSON.stringify(this.id(d));
  }

  /** Where the document is: its file and line. */
  place(d: number): string {
    const { documents, inputs, references } = this.data;
    const input = documents.input[d];
    const name = input < references.length ? references[input] : inputs[input - references.length];
    return documents.line[d] ? `${name}:${documents.line[d]}` : name;
  }

  label(d: number): string | null {
    const label = this.data.documents.label[d] ?? -1;
    return label < 0 ? null : this.data.documents.labels[label];
  }

  hasText(d: number): boolean {
    return this.textAt.has(d);
  }

  /** The text, or the beginning of it; none if it is not in the report. */
  async text(d: number): Promise<string | null> {
    const at = this.textAt.get(d);
    return at === undefined ? null : this.texts.at(at);
  }

  /** The number of characters of the whole text, if only its beginning is in the report. */
  wholeLength(d: number): number | undefined {
    return this.cutAt.get(d);
  }

  /** The shared parts of two texts; none if they are not in the report. */
  async alignedParts(a: number, b: number): Promise<Aligned | null> {
    const at = this.alignedAt.get(`${a} ${b}`);
    if (at !== undefined) return this.aligned.at(at);
    const back = this.alignedAt.get(`${b} ${a}`);
    if (back === undefined) return null;
    const found = await this.aligned.at(back);
    const swapped = found.regions?.map((region) => ({ ...region, places: [region.places[1], region.places[0]] as Region["places"] }));
    return { a: found.b, b: found.a, regions: swapped?.sort((x, y) => x.places[0][0] - y.places[0][0]) };
  }

  /** Shared shingles of two documents, if they are known. */
  sharedShingles(a: number, b: number): number | null {
    const { documents } = this.data;
    if (documents.representative[b] === a && documents.shared[b] >= 0) return documents.shared[b];
    if (documents.representative[a] === b && documents.shared[a] >= 0) return documents.shared[a];
    const [first, second] = [a, b].map((d) => (documents.first_copy[d] < 0 ? d : documents.first_copy[d]));
    if (first === second) return documents.shingles[a] || null;
    for (let at = this.law.starts[first]; at < this.law.starts[first + 1]; at++) {
      if (this.law.others[at] === second) return this.law.shared[at] < 0 ? null : this.law.shared[at];
    }
    return null;
  }

  /** Documents with exactly this id; references may have the id of a document. */
  withId(id: string): number[] {
    if (!this.byId) {
      this.byId = new Map();
      for (let d = 0; d < this.count; d++) {
        const list = this.byId.get(this.id(d));
        if (list) list.push(d);
        else this.byId.set(this.id(d), [d]);
      }
    }
    return this.byId.get(id) ?? [];
  }

  /** Documents whose ids contain these characters: first those with exactly this id, then those whose ids begin with them. */
  search(words: string): number[] {
    const small = words.toLowerCase();
    const ranks: number[][] = [[], [], []];
    for (let d = 0; d < this.count; d++) {
      const id = this.id(d);
      const at = id === words ? 0 : id.toLowerCase().indexOf(small);
      if (at >= 0) ranks[id === words ? 0 : at === 0 ? 1 : 2].push(d);
    }
    return ranks.flat();
  }

  /** Documents whose texts, as far as they are in the report, contain these characters, each with the words around the first place. */
  async searchTexts(words: string): Promise<Map<number, string>> {
    const found = new Map<number, string>();
    if (!words) return found;
    // Not with lower-case texts, whose characters may have other places.
    const wanted = new RegExp(words.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "iu");
    for (const [document, number] of this.textAt) {
      const text = await this.texts.at(number);
      const match = wanted.exec(text);
      if (!match) continue;
      const [from, to] = [Math.max(0, match.index - AROUND), match.index + match[0].length + AROUND];
      // Without halves of surrogate pairs at the ends.
      const part = text.slice(from, to).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
      found.set(document, `${from ? "…" : ""}${part}${to < text.length ? "…" : ""}`);
    }
    return found;
  }

  /** The decisions as `lookalike dedup --decisions` writes them, as far as `lookalike apply` reads them. */
  *decisionLines(decisions: Decisions): Generator<string> {
    for (let d = this.data.documents.references; d < this.count; d++) {
      const r = decisions.representative[d];
      const dropped = r >= 0;
      const similarity = dropped && !Number.isNaN(decisions.similarity[d]) ? decisions.similarity[d] : null;
      yield `{"id":${this.jsonId(d)},"verdict":"${dropped ? "dropped" : "kept"}","representative":${
        dropped ? this.jsonId(r) : "null"
      },"${this.data.settings.measure}":${similarity}}\n`;
    }
  }
}
