// A field for a number. What people type stays as they type it; an empty field means the usual value.

import { useLayoutEffect, useRef } from "preact/hooks";

interface Props {
  min: number;
  max?: number;
  step?: number;
  value: number;
  /** The value of an empty field. */
  usual: number;
  set: (value: number) => void;
}

export function NumberField({ min, max, step, value, usual, set }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const meant = (number: number) => (Number.isNaN(number) ? usual : number);
  useLayoutEffect(() => {
    // Written only if the value changes from outside, because writing would remove what is typed, such as a point.
    if (field.current && meant(field.current.valueAsNumber) !== value) field.current.value = String(value);
  }, [value]);
  return (
    <input type="number" ref={field} min={min} max={max} step={step} defaultValue={value} onInput={(event) => set(meant(event.currentTarget.valueAsNumber))} />
  );
}
