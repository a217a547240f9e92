// Pairs of sites that mirror each other, and the pages that correspond.

import { useMemo } from "preact/hooks";
import type { Pair } from "../data/collection";
import { List } from "../parts/list";
import { PairRow } from "../parts/pair-row";
import { Short } from "../parts/shown";
import { trail, useShared } from "../parts/state";
import { useWords } from "../words";

export function Sites() {
  const w = useWords();
  const { sites } = useShared().collection.data;
  return (
    <>
      <h1>{w.sitePairs}</h1>
      <p>{w.sitePairsNote}</p>
      <List
        label={w.sitePairs}
        count={sites.length}
        height={44}
        href={(at) => `#/site/${at}`}
        row={(at) => {
          const site = sites[at];
          return (
            <>
              <span class="figure">{w.percent(Math.min(site.share_a, site.share_b))}</span>
              <span class="pair-ids">
                <Short text={site.a} most={50} /> <span aria-hidden="true">↔</span> <Short text={site.b} most={50} />
              </span>
              <span class="tag">{w.correspond(site.counterparts)}</span>
            </>
          );
        }}
      />
    </>
  );
}

export function Site({ number }: { number: number }) {
  const w = useWords();
  const { collection } = useShared();
  const { sites } = collection.data;
  const site = sites[number];
  const pages = useMemo(() => {
    const start = sites.slice(0, number).reduce((sum, one) => sum + one.listed, 0);
    const found: Pair[] = [];
    for (let at = start; at < start + (site?.listed ?? 0); at++) {
      found.push(collection.listed(at));
    }
    return found;
  }, [collection, sites, number]);
  if (!site) return <h1>{w.noPairsFilter}</h1>;
  return (
    <>
      <h1>
        <Short text={site.a} /> ↔ <Short text={site.b} />
      </h1>
      <ul class="tiles">
        {(
          [
            [w.of(w.number(site.matched_a), w.number(site.pages_a)), w.pagesMatched(site.a)],
            [w.of(w.number(site.matched_b), w.number(site.pages_b)), w.pagesMatched(site.b)],
            [w.number(site.counterparts), w.correspondingPages],
            [w.number(site.same_path), w.samePath],
            ...(site.changed === undefined ? [] : [[w.number(site.changed), w.changedPages]]),
          ] as [string, string][]
        ).map(([value, label], at) => (
          <li class="tile" key={at}>
            <b>{value}</b>
            <span>
              <Short text={label} />
            </span>
          </li>
        ))}
      </ul>
      <h2>{w.correspondingPages}</h2>
      <p class="note">{site.listed < site.counterparts + (site.changed ?? 0) ? w.leastSimilarPages(site.listed) : w.leastSimilarFirst}</p>
      <List
        label={w.correspondingPages}
        count={pages.length}
        height={44}
        version={pages}
        href={(at) => `#/pair/${pages[at].a}/${pages[at].b}`}
        onOpen={() => (trail.pairs = pages.map(({ a, b }) => [a, b]))}
        row={(at) => <PairRow pair={pages[at]} />}
      />
    </>
  );
}
