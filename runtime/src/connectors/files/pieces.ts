/** Bytes of a piece that a store is given. */
const pieceBytes = 64 * 1024;

/** Pieces of a document, put together to fewer and larger ones. The event loop gets a turn after each. */
export async function* pieced(
  pieces: Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>,
): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    waiting.push(bytes);
    size += bytes.byteLength;
    if (size < pieceBytes) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    size = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (size > 0) yield Buffer.concat(waiting);
}
