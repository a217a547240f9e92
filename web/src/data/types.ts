// The data of a report, as crates/lookalike-report/src/collection.rs writes it.

export interface Counts {
  field: string | null;
  values: string[];
  kept: number[];
  dropped: number[];
  others: [number, number];
}

export interface Documents {
  id: string[];
  numbers: number[];
  references: number;
  input: number[];
  line: number[];
  reason: string;
  representative: number[];
  estimated: [number, number][];
  shared: number[];
  shingles: number[];
  rank: number[];
  first_copy: number[];
  label: number[];
  labels: string[];
}

export interface Summary {
  documents: number;
  kept?: number;
  dropped?: number;
  dropped_exact?: number;
  dropped_near?: number;
  empty?: number;
  representatives?: number;
  largest_group?: number;
  pairs?: number;
  nearest?: number;
  passages?: number;
  site_pairs?: number;
  counterparts?: number;
  pages_a?: number;
  pages_b?: number;
  texts_a?: number;
  texts_b?: number;
  bad_lines?: number;
  keep?: string;
  found_at_threshold?: number | null;
  regions?: { gap: number; tokens: number; density: number; score: number };
  changed?: number;
  changed_by_path?: number;
  against?: { documents: number; dropped: number; only: boolean };
}

/** A pair of sites that mirror each other. `listed` is the number of its pairs of pages in the report. */
export interface SitePair {
  a: string;
  b: string;
  pages_a: number;
  pages_b: number;
  matched_a: number;
  matched_b: number;
  share_a: number;
  share_b: number;
  counterparts: number;
  same_path: number;
  changed?: number;
  listed: number;
}

export interface Data {
  program: string;
  command: "dedup" | "pairs" | "passages" | "mirrors";
  inputs: string[];
  references: string[];
  settings: {
    measure: "resemblance" | "containment";
    threshold: number;
    verify: "exact" | "sketch" | "none";
    cluster: "law" | "components" | "greedy";
    shingle: number;
    tokens: "auto" | "words" | "chars" | "jieba" | "lines" | "items";
    candidates: string;
  };
  summary: Summary;
  curve: [number, number][];
  counts: Counts[];
  documents: Documents;
  pairs: { a: number[]; b: number[]; shared: number[]; similarity: (number | null)[]; regions: number[]; by: string };
  sites: SitePair[];
  slider: { floor: number | null; why_not: string | null; left_out: number[] };
  texts: { documents: number[]; counts: number[]; cut: [number, number][] };
  aligned: { a: number[]; b: number[]; counts: number[] };
  limits: { all_documents: boolean; without_text: number; not_aligned: number; pairs: number; groups: number; dropped: number; exact: number };
}

/** Shared parts of two texts: start, length, and start in the other text (-1: nowhere), in UTF-16 code units. */
export interface Aligned {
  a: number[];
  b: number[];
  regions?: Region[];
}

/** A passage that was copied and changed: its start and end in both texts, in UTF-16 code units, and its measures. */
export interface Region {
  places: [[number, number], [number, number]];
  tokens: number;
  density: number;
  score: number;
}
