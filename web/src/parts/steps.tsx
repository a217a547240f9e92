// Links to the entries before and after one of several.

type Entry = { text: string; key?: string };

/** The key of an entry, if it has one, is shown when the pointer is on the link. */
export function Steps({ view, number, count, previous, next }: { view: string; number: number; count: number; previous: Entry; next: Entry }) {
  return (
    <>
      <a class="button" aria-disabled={number === 0} href={`#/${view}/${Math.max(0, number - 1)}`} title={previous.key}>
        {previous.text}
      </a>
      <a class="button" aria-disabled={number + 1 === count} href={`#/${view}/${Math.min(count - 1, number + 1)}`} title={next.key}>
        {next.text}
      </a>
    </>
  );
}
