// The run at a glance.

import { useMemo } from "preact/hooks";
import type { Pair } from "../data/collection";
import type { Counts } from "../data/types";
import { Chart } from "../parts/chart";
import { PairRow } from "../parts/pair-row";
import { Names, Short } from "../parts/shown";
import { trail, useRowKeys, useShared } from "../parts/state";
import { ThresholdControl } from "../parts/threshold";
import { useWords } from "../words";

/** How many of the pairs closest to the threshold are shown. */
const CLOSEST = 6;

export function Overview() {
  const w = useWords();
  const { collection, decisions, groups, threshold } = useShared();
  const { data } = collection;
  const { summary, settings, limits, slider, texts } = data;
  useRowKeys();
  const dedup = data.command === "dedup";
  const dropped = collection.dropped(decisions);
  const exact = useMemo(() => {
    let found = limits.exact;
    decisions.representative.forEach((r, d) => (found += Number(r >= 0 && collection.reason(d, decisions) === "x")));
    return found;
  }, [decisions]);
  const measure = w[settings.measure];
  const closest = useMemo(() => {
    const known = collection.bySimilarity;
    if (data.command === "passages") return known.slice(0, CLOSEST);
    // Half of them above the threshold and half below, or more of one kind if there are too few of the other.
    let [above, below] = [0, known.length];
    while (above < below) {
      const middle = (above + below) >> 1;
      if (known[middle].similarity >= threshold) above = middle + 1;
      else below = middle;
    }
    const least = Math.min(CLOSEST / 2, known.length - above);
    const from = Math.max(0, above - (CLOSEST - least));
    const found = known.slice(from, from + CLOSEST);
    return dedup ? found : found.reverse();
  }, [collection, threshold]);
  const passages = data.command === "passages";
  const figureIs = summary.regions ? w.regionsFigure : w.passagesFigure;
  const mirrors = data.command === "mirrors";
  const rule = mirrors
    ? w.ruleMirrors(threshold)
    : passages
      ? summary.regions
        ? w.ruleRegions(settings.shingle, summary.regions)
        : w.rulePassages(w.shingles(1, settings.tokens), settings.shingle)
      : !dedup
        ? w.rulePairs(measure, threshold) + (summary.nearest ? w.ruleNearest(summary.nearest) : "")
        : settings.cluster === "components"
          ? w.ruleComponents(measure, threshold)
          : settings.cluster === "greedy"
            ? w.ruleGreedy(measure, threshold)
            : w.rule(measure, threshold);
  const contained = settings.measure === "containment";
  const unit = w.shingles(settings.shingle, settings.tokens);
  const notListed = limits.all_documents || passages || mirrors ? 0 : summary.documents - (collection.count - data.documents.references) - limits.groups - limits.dropped;
  // Documents in no group and no pair.
  const alone = useMemo(() => {
    if (passages || mirrors || (dedup && !collection.movable)) return 0;
    let found = 0;
    for (let d = 0; d < collection.count; d++) found += Number("u-".includes(data.documents.reason[d]) && !collection.hasText(d) && !collection.pairsOf(d).length);
    return found;
  }, [collection]);
  const otherPages = data.sites.reduce((sum, site) => sum + site.counterparts + (site.changed ?? 0) - site.listed, 0);
  const leftOut = [
    alone && w.textsAlone(alone),
    dedup && slider.floor !== null && w.belowFloor(slider.floor),
    data.command === "pairs" && w.belowFloor(threshold),
    mirrors && (summary.site_pairs ?? 0) > data.sites.length && w.otherSites((summary.site_pairs ?? 0) - data.sites.length),
    mirrors && otherPages && w.otherPages(otherPages),
    limits.pairs && (passages ? w.otherPairs : w.otherPairsSampled)(limits.pairs),
    limits.not_aligned && w.notAlignedPairs(limits.not_aligned),
    notListed && w.notListed(notListed),
    limits.groups && w.otherGroups(limits.groups, limits.dropped),
    limits.without_text && w.withoutText(limits.without_text),
    texts.cut.length && w.cutTexts(texts.cut.length),
    slider.left_out.length && w.fixedDocuments(slider.left_out.length),
    summary.bad_lines && w.badLines(summary.bad_lines),
  ].filter(Boolean) as string[];
  return (
    <>
      <h1>
        <Names names={data.inputs} most={120} />
      </h1>
      <p class="note">
        lookalike {data.command}
        {data.references.length ? ` · ${w.references}: ` : ""}
        <Names names={data.references} most={80} />
      </p>
      {dedup ? (
        <section class="card" aria-label={w.keptDroppedPicture(w.number(summary.documents - dropped), w.number(dropped))}>
          <KeptDropped kept={summary.documents - dropped} exact={exact} near={dropped - exact} />
        </section>
      ) : null}
      <ul class="tiles">
        {passages ? (
          <Tile value={w.number(summary.passages ?? 0)} label={summary.regions ? w.regions : w.passages} />
        ) : mirrors ? (
          <>
            <Tile value={w.number((summary.pages_a ?? 0) + (summary.pages_b ?? 0))} label={w.pages} />
            <Tile value={w.number(summary.site_pairs ?? 0)} label={w.sitePairsSmall} href="#/sites" />
          </>
        ) : (
          <Tile value={w.number(summary.documents)} label={w.read} href={dedup ? "#/documents/" : undefined} />
        )}
        {dedup ? <Tile value={w.number(summary.documents - dropped)} label={w.kept} href="#/documents/kept" /> : null}
        {dedup ? <Tile value={w.number(dropped)} label={w.dropped} href="#/documents/dropped" /> : null}
        {dedup ? <Tile value={w.number(groups.length + limits.groups)} label={w.numberOfGroups} href="#/groups" /> : null}
        {limits.groups && summary.largest_group ? (
          <Tile value={w.number(summary.largest_group)} label={w.largestGroup} />
        ) : groups.length ? (
          <Tile value={w.number(groups[0].dropped.length + 1)} label={w.largestGroup} href={`#/group/${groups[0].kept}`} />
        ) : null}
        {mirrors ? (
          <Tile value={w.number(summary.counterparts ?? 0)} label={w.correspondingPages} href="#/pairs" />
        ) : (
          <Tile value={w.number(passages || limits.pairs ? (summary.pairs ?? 0) : collection.pairs.length)} label={w.numberOfPairs} href="#/pairs" />
        )}
      </ul>
      {dedup ? <ThresholdControl /> : null}
      <section class="card">
        <h2>{passages ? w.pairsAlike : w.closest}</h2>
        <p class="note">{passages ? figureIs : dedup ? w.closestNote(threshold) : w.leastNote(threshold)}</p>
        <ul class="plain-list">
          {closest.map((pair) => (
            <li key={`${pair.a} ${pair.b}`}>
              <a
                class="list-row"
                href={`#/pair/${pair.a}/${pair.b}`}
                onClick={() => (trail.pairs = closest.map(({ a, b }) => [a, b]))}
              >
                <PairRow pair={pair} />
              </a>
            </li>
          ))}
        </ul>
      </section>
      <div class="charts">
        <Similarities />
        <GroupSizes />
      </div>
      {data.counts.filter((counts) => dedup && counts.values.length > 1).map((counts) => (
        <CountsTable counts={counts} key={counts.field} />
      ))}
      <section class="card">
        <h2>{w.howCompared}</h2>
        <ul>
          <li>{rule}</li>
          {w.tokenIs[settings.tokens] ? <li>{w.tokenIs[settings.tokens]}</li> : null}
          {passages ? <li>{figureIs}</li> : <><li>{settings.tokens === "items" ? (contained ? w.containmentOfSets : w.resemblanceOfSets) : contained ? w.containmentIs(unit) : w.resemblanceIs(unit)}</li>
          <li>{settings.verify === "exact" ? w.verifiedExact : settings.verify === "sketch" ? w.verifiedSketch : w.verifiedNone}</li>
          <li>{w.sameText}</li>
          <li>
            {w.foundBy(settings.candidates)}{" "}
            {summary.found_at_threshold ? w.foundShare(`${Math.floor(summary.found_at_threshold * 1e4 + 1e-6) / 100} %`, settings.threshold) : ""}
          </li>
          </>}
        </ul>
      </section>
      <section class="card">
        <h2>{w.leftOut}</h2>
        {leftOut.length ? (
          <ul>
            {leftOut.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        ) : (
          <p>{w.nothingLeftOut}</p>
        )}
      </section>
      <footer class="note">lookalike {data.program}</footer>
    </>
  );
}

function Tile({ value, label, href }: { value: string; label: string; href?: string }) {
  const inner = (
    <>
      <b>{value}</b>
      <span>{label}</span>
    </>
  );
  return <li class="tile">{href ? <a href={href}>{inner}</a> : inner}</li>;
}

/** Documents in = kept + dropped, as a bar. */
function KeptDropped({ kept, exact, near }: { kept: number; exact: number; near: number }) {
  const w = useWords();
  const all = Math.max(1, kept + exact + near);
  const parts: [string, number, string][] = [
    ["is-kept", kept, w.Kept],
    ["is-exact", exact, w.droppedExact],
    ["is-near", near, w.droppedNear],
  ];
  return (
    <>
      <div class="stack" role="img" aria-label={parts.map(([, value, name]) => `${name}: ${w.number(value)}`).join(", ")}>
        {parts.map(([kind, value]) => (value ? <span class={kind} style={{ flexGrow: value }} key={kind} /> : null))}
      </div>
      <ul class="legend">
        {parts.map(([kind, value, name]) => (
          <li key={kind}>
            <i class={kind} aria-hidden="true" /> {name}: <b>{w.number(value)}</b> ({w.percent(value / all)})
          </li>
        ))}
      </ul>
    </>
  );
}

/** Counts of similarities in steps. A step contains its lower end. */
function counted(pairs: Pair[], steps: number): number[] {
  const counts = new Array<number>(steps).fill(0);
  for (const { similarity } of pairs) counts[Math.min(steps - 1, Math.floor(similarity * steps + 1e-9))]++;
  return counts;
}

const STEPS = 50;
const AT = Array.from({ length: STEPS }, (_, at) => at / STEPS);
const share = (value: number) => value.toFixed(2);

function Similarities() {
  const w = useWords();
  const { collection, threshold, theme } = useShared();
  const { command, curve, settings, summary } = collection.data;
  const figureIs = summary.regions ? w.regionsFigure : w.passagesFigure;
  // The curve is drawn over the bars if it is about the same similarity.
  const curved = curve.length > 0 && settings.measure === "resemblance";
  const x = useMemo(() => (curved ? curve.map(([at]) => at) : AT), [curve, curved]);
  const series = useMemo(
    () =>
      curved
        ? [
            { label: w.pairs, y: [...counted(collection.bySimilarity, 100), null], kind: "bars" as const },
            { label: w.found, y: curve.map(([, probability]) => probability), kind: "line" as const, scale: "right" as const },
          ]
        : [{ label: w.pairs, y: counted(collection.bySimilarity, STEPS), kind: "bars" as const }],
    [collection, curved, w],
  );
  if (!collection.pairs.length) return null;
  return (
    <Chart
      title={w.similarities}
      note={(command === "passages" ? figureIs : command !== "dedup" ? w.similaritiesOfPairs : w.similaritiesNote) + (curved ? ` ${w.curveNote}` : "")}
      xLabel={command === "passages" ? w.shareOfText : w[settings.measure]}
      yLabel={w.pairs}
      x={x}
      series={series}
      mark={command === "passages" ? undefined : { at: threshold, label: w.threshold }}
      xRange={[0, 1]}
      xFormat={share}
      yFormat={w.number}
      rightFormat={(value) => `${Math.round(100 * value)} %`}
      theme={theme}
    />
  );
}

const SIZES = [2, 3, 4, 5, 10, 20, 50, 100, 1000, 10_000, Infinity];

function GroupSizes() {
  const w = useWords();
  const { groups, collection } = useShared();
  const rows = useMemo(() => {
    const counts = SIZES.slice(1).map((to, at) => {
      const from = SIZES[at];
      const name = to === from + 1 ? w.number(from) : to === Infinity ? `${w.number(from)}+` : `${w.number(from)}–${w.number(to - 1)}`;
      return { name, count: groups.filter(({ dropped }) => dropped.length + 1 >= from && dropped.length + 1 < to).length };
    });
    return counts.slice(0, counts.findLastIndex(({ count }) => count) + 1);
  }, [groups, w]);
  if (!groups.length) return null;
  const most = Math.max(...rows.map(({ count }) => count));
  return (
    <figure class="chart">
      <figcaption>
        <h3>{w.sizes}</h3>
        <p>{collection.data.limits.groups ? w.sizesOfSample : w.sizesNote}</p>
      </figcaption>
      <table class="counts">
        <thead>
          <tr>
            <th scope="col">{w.size}</th>
            <th scope="col">{w.groupsOfSize}</th>
            <th scope="col" aria-hidden="true" />
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, count }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{w.number(count)}</td>
              <td class="bar-cell" aria-hidden="true">
                <div class="stack small" style={{ width: `${(100 * count) / most}%` }}>
                  {count ? <span class="is-size" style={{ flexGrow: 1 }} /> : null}
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

function CountsTable({ counts }: { counts: Counts }) {
  const w = useWords();
  const { collection, threshold } = useShared();
  const run = collection.data.settings.threshold;
  const rows = counts.values.map((value, at) => [value, counts.kept[at], counts.dropped[at]] as [string, number, number]);
  if (counts.others[0] + counts.others[1]) rows.push([w.otherValues, ...counts.others]);
  const most = Math.max(...rows.map(([, kept, dropped]) => kept + dropped));
  return (
    <section class="card">
      <h2>{counts.field === null ? w.byInput : w.byField(counts.field)}</h2>
      {threshold === run ? null : <p class="note">{w.countsOfRun(run)}</p>}
      <div class="scroll" tabIndex={0}>
        <table class="counts">
          <thead>
            <tr>
              <th scope="col">{counts.field ?? w.inputs}</th>
              <th scope="col">{w.Kept}</th>
              <th scope="col">{w.Dropped}</th>
              <th scope="col" aria-hidden="true" />
            </tr>
          </thead>
          <tbody>
            {rows.map(([value, kept, dropped], at) => (
              <tr key={at}>
                <th scope="row">{value ? <Short text={value} /> : w.noValue}</th>
                <td>{w.number(kept)}</td>
                <td>
                  {w.number(dropped)} ({w.percent(dropped / Math.max(1, kept + dropped))})
                </td>
                <td class="bar-cell" aria-hidden="true">
                  <div class="stack small" style={{ width: `${(100 * (kept + dropped)) / most}%` }}>
                    {kept ? <span class="is-kept" style={{ flexGrow: kept }} /> : null}
                    {dropped ? <span class="is-near" style={{ flexGrow: dropped }} /> : null}
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
