// The data of the report of `cut`, as crates/lookalike-engine/src/jobs/cut/html/data.rs writes it.

export interface CutSummary {
  documents: number;
  unchanged: number;
  cut: number;
  dropped: number;
  references: number;
  tokens: number;
  tokens_kept: number;
  tokens_cut: number;
  tokens_dropped: number;
  cuts: number;
  window: number;
  min_tokens: number;
  settings: {
    unit: "runs" | "lines" | "paragraphs" | "sentences";
    more_than: number;
    within: "document" | "all";
    verbatim: boolean;
    whole_lines: boolean;
  };
  bad_lines: number;
}

/** A passage that was cut out of many documents. */
export interface CutPassage {
  /** The document that keeps it. */
  id: string;
  /** The place of that document, if it is a reference. */
  reference?: string;
  /** The passage, or its beginning. */
  text: string;
  /** The length of the whole passage in characters, if only its beginning is here. */
  whole?: number;
  documents: number;
  tokens: number;
  bytes: number;
}

/** A cut: places in UTF-16 code units, and where the words are kept. */
export interface CutSpan {
  start: number;
  end: number;
  insert?: string;
  tokens: number;
  source: string;
  /** The place of the source, if it is a reference. */
  reference?: string;
  source_start: number;
  source_end: number;
  /** The kept words, or their beginning, and what is before and after them. */
  quote: [string, string, string];
  /** The number of the passage that the kept words belong to, if it is one of those that were cut most. */
  passage?: number;
}

export interface CutDocument {
  id: string;
  place: string;
  verdict: "cut" | "dropped";
  text: string;
  /** The length of the whole text in characters, if only its beginning is here. */
  whole?: number;
  /** The cuts in the part of the text that is here. */
  cuts: CutSpan[];
  /** Tokens that are cut out of the whole text. */
  tokens: number;
}

export interface CutData {
  program: string;
  command: "cut";
  inputs: string[];
  references: string[];
  summary: CutSummary;
  /** The order in which documents were cut, as in `--keep`. */
  keep: string;
  /** The field of the groups within which documents were compared. */
  group?: string;
  passages: CutPassage[];
  /** The number of documents in each block `documents-0`, `documents-1` and so on. */
  counts: number[];
  /** Passages that are not here. */
  other_passages: number;
}

/** A part of a text: kept, cut, or inserted in the place of a cut. */
export interface CutPart {
  text: string;
  /** The number of the cut. */
  cut?: number;
  inserted?: boolean;
}

/** Divides a text at its cuts. */
export function parts({ text, cuts }: Pick<CutDocument, "text" | "cuts">): CutPart[] {
  const found: CutPart[] = [];
  let end = 0;
  cuts.forEach((span, cut) => {
    if (span.start > end) found.push({ text: text.slice(end, span.start) });
    found.push({ text: text.slice(span.start, span.end), cut });
    if (span.insert) found.push({ text: span.insert, inserted: true });
    end = span.end;
  });
  if (end < text.length) found.push({ text: text.slice(end) });
  return found;
}

/** Formats a number of bytes. */
export function bytes(value: number): string {
  if (value < 1e3) return `${value} B`;
  const [unit, name] = value < 1e6 ? [1e3, "kB"] : value < 1e9 ? [1e6, "MB"] : [1e9, "GB"];
  return `${(value / unit).toFixed(1)} ${name}`;
}
