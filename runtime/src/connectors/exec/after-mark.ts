/** Bytes before the mark that a login may write. */
const mostBefore = 65_536;

/** What comes behind a mark; nothing where it does not come. `begun` is called when it does. */
export async function* afterMark(
  output: AsyncIterable<Buffer>,
  mark: Uint8Array,
  begun: () => void,
): AsyncGenerator<Buffer, void, undefined> {
  let before: Buffer = Buffer.alloc(0);
  let hasBegun = false;
  for await (const piece of output) {
    if (hasBegun) {
      yield piece;
      continue;
    }
    before = Buffer.concat([before, piece]);
    const at = before.indexOf(mark);
    if (at < 0) {
      before = before.subarray(-mostBefore);
      continue;
    }
    hasBegun = true;
    begun();
    if (before.length > at + mark.length) yield before.subarray(at + mark.length);
  }
}
