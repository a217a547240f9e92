// Reads the blocks of data in the page: JSON, compressed, as base64.

function bytes(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64);
  const found = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) found[at] = binary.charCodeAt(at);
  return found;
}

/** Reads a block, once: its element is removed to free the memory. */
export async function block<T>(name: string): Promise<T> {
  const element = document.getElementById(name);
  if (!element) throw new Error(`this file has no block ${name}; it may have been cut`);
  const stream = new Blob([bytes(element.textContent ?? "")]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  element.remove();
  return (await new Response(stream).json()) as T;
}

/** Finds elements that are spread over blocks, and keeps the blocks that were read. */
export class Blocks<T> {
  private held = new Map<number, Promise<T[]>>();
  private starts: number[] = [];

  constructor(
    private prefix: string,
    counts: number[],
  ) {
    let start = 0;
    for (const count of counts) {
      this.starts.push(start);
      start += count;
    }
  }

  /** Returns the element with this number. */
  async at(number: number): Promise<T> {
    let low = 0;
    let high = this.starts.length;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (this.starts[middle] <= number) low = middle;
      else high = middle;
    }
    let held = this.held.get(low);
    if (!held) {
      held = block<T[]>(`${this.prefix}-${low}`);
      this.held.set(low, held);
    }
    return (await held)[number - this.starts[low]];
  }
}
