/** Bytes before the mark that a login may write. */
const mostBefore = 65_536;

/** What comes behind a mark. Nothing where it does not come. `begun` tells whether it did. */
export async function* afterMark(
  output: AsyncIterable<Buffer>,
  mark: Uint8Array,
  begun: { is: boolean },
): AsyncGenerator<Buffer, void, undefined> {
  let before: Buffer = Buffer.alloc(0);
  for await (const piece of output) {
    if (begun.is) {
      yield piece;
      continue;
    }
    before = Buffer.concat([before, piece]);
    const at = before.indexOf(mark);
    if (at < 0) {
      before = before.subarray(-mostBefore);
      continue;
    }
    begun.is = true;
    if (before.length > at + mark.length) yield before.subarray(at + mark.length);
  }
}
