// The law, over the pairs in the report: the same rule as crates/lookalike/src/dedup/law.rs.
//
// Documents are considered in keep order. A document is dropped if its similarity to a candidate that is already kept is at least
// the threshold; its representative is the most similar of these, and ties go to the first in keep order.

export interface LawInput {
  /** Documents in keep order; references come first. */
  order: Int32Array;
  /** The position of each document in keep order. */
  rank: Int32Array;
  references: number;
  /** The first copy of each copy, or -1. */
  firstCopy: Int32Array;
  /** Documents without text, and documents that are left out: their decisions are not made here. */
  fixed: Uint8Array;
  /** The decisions about these documents. */
  representative: Int32Array;
  similarity: Float64Array;
  /** Whether documents are compared with references only. */
  onlyReferences: boolean;
  measure: "resemblance" | "containment";
  /** The numbers of shingles. */
  size: Int32Array;
  /** For each document, where its pairs begin in `others` and `shared`. */
  starts: Int32Array;
  others: Int32Array;
  shared: Int32Array;
}

/** Who represents each document (-1: it is kept), and how similar the two are. */
export interface Decisions {
  representative: Int32Array;
  similarity: Float64Array;
}

/** Returns the similarity by which `d` would be dropped because of `other`. */
export function similarityOf(law: LawInput, d: number, other: number, shared: number): number {
  if (law.measure === "containment") return shared / law.size[d];
  return shared / (law.size[d] + law.size[other] - shared);
}

/** Decides all documents at a threshold. Cost: about 20 ns per pair. */
export function decide(law: LawInput, threshold: number): Decisions {
  const count = law.order.length;
  const representative = new Int32Array(count).fill(-1);
  const similarity = new Float64Array(count);
  for (const d of law.order) {
    if (d < law.references) continue;
    if (law.fixed[d]) {
      representative[d] = law.representative[d];
      similarity[d] = law.similarity[d];
      continue;
    }
    const first = law.firstCopy[d] < 0 ? d : law.firstCopy[d];
    const mayRepresent = !law.onlyReferences || first < law.references;
    if (first !== d && representative[first] < 0 && mayRepresent) {
      representative[d] = first;
      similarity[d] = 1;
      continue;
    }
    let best = -1;
    let most = 0;
    for (let at = law.starts[first]; at < law.starts[first + 1]; at++) {
      const other = law.others[at];
      // Pairs are pairs of first copies, and a kept first copy is the first of its copies.
      if (representative[other] >= 0 || law.rank[other] >= law.rank[d]) continue;
      if (law.onlyReferences && other >= law.references) continue;
      const found = similarityOf(law, first, other, law.shared[at]);
      if (found < threshold) continue;
      if (best < 0 || found > most || (found === most && law.rank[other] < law.rank[best])) {
        best = other;
        most = found;
      }
    }
    representative[d] = best;
    similarity[d] = most;
  }
  return { representative, similarity };
}
