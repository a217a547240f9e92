// A list of any length: only the rows in view are in the page.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface Props {
  label: string;
  count: number;
  /** Pixels of a row; all rows have the same height. */
  height: number;
  /** The address of a row. */
  href: (row: number) => string;
  row: (row: number) => ComponentChildren;
  onOpen?: (row: number) => void;
  /** The name under which the list remembers how far it was scrolled, if it does. */
  memory?: string;
  /** Changes when the list has other rows, to scroll back to its start. */
  version?: unknown;
}

const BEFORE = 6;

const MOST_PIXELS = 15_000_000;

/** How far each list was scrolled when its view was left. */
const scrolled = new Map<string, number>();

export function List({ label, count, height, href, row, onOpen, memory, version }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [view, setView] = useState(600);
  const [wanted, setWanted] = useState<number | null>(null);
  // The row to which the tab key goes: the last one that was in focus.
  const [current, setCurrent] = useState(0);

  useLayoutEffect(() => {
    const measure = () => box.current && setView(box.current.clientHeight);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);

  // Browsers show boxes of up to 16 to 33 million pixels. Longer lists have a box of fewer pixels, and move faster than their bar.
  const whole = count * height;
  const pixels = Math.min(whole, MOST_PIXELS);
  const scale = pixels > view ? (whole - view) / (pixels - view) : 1;
  const start = top * scale;

  const shown = useRef<unknown>(undefined);
  useLayoutEffect(() => {
    // A list that is shown again begins where it was left, and a list with other rows at its start.
    const start = shown.current === undefined ? (scrolled.get(memory ?? "") ?? 0) : 0;
    shown.current = version;
    if (box.current) box.current.scrollTop = start;
    setTop(box.current?.scrollTop ?? 0);
    setWanted(null);
    setCurrent(0);
  }, [version]);

  const first = Math.max(0, Math.floor(start / height) - BEFORE);
  const last = Math.min(count, Math.ceil((start + view) / height) + BEFORE);

  // Focus the wanted row after it is in the page.
  useLayoutEffect(() => {
    if (wanted === null || !box.current) return;
    const element = box.current.querySelector<HTMLElement>(`[data-row="${wanted}"]`);
    if (element) {
      element.focus({ preventScroll: true });
      setWanted(null);
    }
  }, [wanted, first, last]);

  const go = (to: number) => {
    if (!box.current || to < 0 || to >= count) return;
    const { clientHeight } = box.current;
    const seen = box.current.scrollTop * scale;
    if (to * height < seen) box.current.scrollTop = Math.floor((to * height) / scale);
    else if ((to + 1) * height > seen + clientHeight) box.current.scrollTop = Math.ceil(((to + 1) * height - clientHeight) / scale);
    setTop(box.current.scrollTop);
    setWanted(to);
    setCurrent(to);
  };

  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!count || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target as HTMLElement;
      const inside = box.current?.contains(target) ?? false;
      if (!inside && (target.closest("input, select, textarea, button, a, summary, dialog, [tabindex='0']") || document.querySelector("dialog[open]"))) return;
      const at = inside ? Number(target.dataset.row ?? -1) : Math.ceil(start / height) - 1;
      const page = Math.max(1, Math.floor(view / height) - 1);
      const steps: Record<string, number> = {
        j: at + 1,
        ArrowDown: at + 1,
        k: at - 1,
        ArrowUp: at - 1,
        PageDown: Math.min(count - 1, at + page),
        PageUp: Math.max(0, at - page),
        Home: 0,
        End: count - 1,
      };
      if (!(event.key in steps)) return;
      event.preventDefault();
      go(steps[event.key]);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });

  const visible = Math.min(count - 1, Math.ceil(start / height));
  const reached = current >= first && current < last ? current : visible;
  const rows = [];
  for (let at = first; at < last; at++) {
    rows.push(
      <div role="listitem" aria-setsize={count} aria-posinset={at + 1} class="list-item" style={{ top: `${at * height - start + top}px`, height: `${height}px` }} key={at}>
        <a class="list-row" href={href(at)} data-row={at} tabIndex={at === reached ? 0 : -1} onFocus={() => setCurrent(at)} onClick={() => onOpen?.(at)}>
          {row(at)}
        </a>
      </div>,
    );
  }
  return (
    <div
      class="list"
      ref={box}
      tabIndex={-1}
      onScroll={(event) => {
        setTop(event.currentTarget.scrollTop);
        if (memory) scrolled.set(memory, event.currentTarget.scrollTop);
      }}
    >
      <div role="list" aria-label={label} style={{ height: `${pixels}px` }}>
        {rows}
      </div>
    </div>
  );
}
