/**
 * What a source gives until the signal fires, which rejects with its reason at once: the source may be silent, and is not
 * waited for.
 */
export async function* untilEnded(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let refuse: (reason: unknown) => void = () => undefined;
  const end = () => refuse(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const { value, done } = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        refuse = reject;
        iterator.next().then(resolve, reject);
      });
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', end);
    iterator.return?.()?.then(undefined, () => undefined);
  }
}
