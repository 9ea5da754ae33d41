import type { ServerWritableStream } from '@grpc/grpc-js';

/** Writes messages as fast as the caller takes them, and ends the stream. Resolves as well when the caller has gone. */
export async function writeAll(call: ServerWritableStream<Buffer, Buffer>, messages: readonly Uint8Array[]) {
  const gone = new Promise<void>((resolve) => call.once('cancelled', () => resolve()));
  for (const message of messages) {
    if (call.cancelled) return;
    if (call.write(message as Buffer)) continue;
    await Promise.race([new Promise<void>((resolve) => call.once('drain', () => resolve())), gone]);
  }
  call.end();
}
