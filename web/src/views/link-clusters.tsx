// The clusters of the report of `link`: their records, and the link by which each hangs together.

import { useMemo, useState } from "preact/hooks";
import { List } from "../parts/list";
import { Short, beginning, figure, visible } from "../parts/shown";
import { Steps } from "../parts/steps";
import { useWords } from "../words";

interface RecordData {
  id: string;
  /** With two collections: `a` or `b`. */
  of?: string;
  values: string[];
}

export interface ClusterData {
  size: number;
  weakest: { a: string; b: string; score: number };
  records: RecordData[];
}

/** Records that are no match of themselves. */
export interface UnlinkableData {
  records: number;
  share: number;
  examples: { id: string; of?: string; score: number | null; fields: string[] }[];
}

const shortened = (value: string) => (value.length > 200 ? `${beginning(value, 199)}…` : value);

function Id({ id, of }: { id: string; of?: string }) {
  return (
    <>
      <Short text={id} most={30} />
      {of ? <span class="note"> {of.toUpperCase()}</span> : null}
    </>
  );
}

export function ClusterList({ clusters, all }: { clusters: ClusterData[]; all: number }) {
  const w = useWords();
  const [words, setWords] = useState("");
  const [by, setBy] = useState("size");
  const shown = useMemo(() => {
    const small = words.toLowerCase();
    const has = (cluster: ClusterData) => cluster.records.some(({ id, values }) => [id, ...values].some((text) => text.toLowerCase().includes(small)));
    const found = clusters.map((cluster, at) => ({ cluster, at })).filter(({ cluster }) => !small || has(cluster));
    const key = ({ cluster }: { cluster: ClusterData }) => (by === "size" ? -cluster.size : cluster.weakest.score);
    return found.sort((x, y) => key(x) - key(y) || x.at - y.at);
  }, [clusters, words, by]);
  return (
    <>
      <h1>{w.clusters}</h1>
      <p class="note">{w.clustersNote}</p>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          {w.filterRecords} <input type="search" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
        </label>
        <label>
          {w.sortBy}{" "}
          <select value={by} onChange={(event) => setBy(event.currentTarget.value)}>
            <option value="size">{w.sortSize}</option>
            <option value="weakest">{w.weakestLink}</option>
          </select>
        </label>
      </form>
      <p role="status">{w.clustersShown(shown.length, all)}</p>
      <List
        label={w.clusters}
        count={shown.length}
        height={44}
        href={(at) => `#/cluster/${shown[at].at}`}
        version={shown}
        row={(at) => {
          const { size, weakest, records } = shown[at].cluster;
          return (
            <>
              <span class="figure">{w.number(size)}</span>
              <span class="pair-ids">
                <Id {...records[0]} />
                <span class="note">
                  {" "}
                  <Short text={records[0].values.filter(Boolean).join(" · ")} most={90} />
                </span>
              </span>
              <span class="verdict">{figure(weakest.score)}</span>
            </>
          );
        }}
      />
    </>
  );
}

/** A cluster with its records. `pairOf` finds a pair in the list of pairs by its two ids. */
export function ClusterView({
  cluster,
  number,
  count,
  fields,
  pairOf,
}: {
  cluster: ClusterData;
  number: number;
  count: number;
  fields: string[];
  pairOf: (a: string, b: string) => number;
}) {
  const w = useWords();
  const { a, b, score } = cluster.weakest;
  const pair = pairOf(a, b);
  // `a` is a record of the first collection, and `b` one of the second; both may have the same id.
  const isEnd = ({ id, of }: { id: string; of?: string }) => (of ? id === (of === "a" ? a : b) : id === a || id === b);
  const link = (
    <>
      <Short text={a} most={30} /> ↔ <Short text={b} most={30} />
    </>
  );
  return (
    <>
      <h1>{w.clusterOf(cluster.size)}</h1>
      <p class="why">
        {w.weakestLink}: {pair < 0 ? link : <a href={`#/pair/${pair}`}>{link}</a>} {figure(score)}
      </p>
      <p class="note">{w.weakestNote}</p>
      <p class="actions">
        <Steps view="cluster" number={number} count={count} previous={{ text: w.previousCluster }} next={{ text: w.nextCluster }} />
      </p>
      <section class="card">
        <div class="scroll whole" tabIndex={0}>
          <table class="fields records">
            <thead>
              <tr>
                <th scope="col">id</th>
                {fields.map((field) => (
                  <th scope="col" key={field}>
                    <Short text={field} most={30} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {cluster.records.map((record, at) => (
                <tr key={at}>
                  <th scope="row" class={isEnd(record) ? "differs" : ""}>
                    <Id {...record} />
                  </th>
                  {record.values.map((value, field) => (
                    <td key={field}>{value ? <bdi>{visible(shortened(value), w)}</bdi> : <i>{w.missingValue}</i>}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {cluster.size > cluster.records.length ? <p class="note">{w.otherRecords(cluster.size - cluster.records.length)}</p> : null}
      </section>
    </>
  );
}

export function UnlinkableCard({ unlinkable }: { unlinkable: UnlinkableData }) {
  const w = useWords();
  if (!unlinkable.records) return null;
  return (
    <section class="card">
      <h2>{w.unlinkable}</h2>
      <p>{w.unlinkableNote(unlinkable.records, w.percent(unlinkable.share))}</p>
      <ul class="plain-list">
        {unlinkable.examples.map((one, at) => (
          <li key={at}>
            <Id {...one} />{" "}
            <span class="note">
              {one.fields.length ? <Short text={one.fields.join(", ")} most={90} /> : w.noValues}
              {one.score === null ? null : ` · ${w.score} ${figure(one.score)}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
