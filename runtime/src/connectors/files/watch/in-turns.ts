/** Items between two turns of other work. */
const together = 2000;

/** Does something with each item, in turns with other work where there are many. Items that come meanwhile have theirs too. */
export async function inTurns<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let count = 0;
  for (const item of items) {
    work(item);
    if (++count % together === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}
