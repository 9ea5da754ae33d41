// Buffers are kept beside the heap of the engine. While bytes go through, little is allocated in it, so that the engine would
// look for buffers that are free only when some 64 MB of them are there.

/** Frees the memory of a chunk that no one needs any more, where it is the chunk's alone. */
export function free({ buffer, byteOffset, byteLength }: Uint8Array): void {
  if (byteOffset === 0 && byteLength === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

const heap: { weight?: readonly unknown[] | undefined } = {};

/**
 * For chunks of which no one knows when they are not needed any more: an object of the same size is in the heap for a
 * moment, so that the engine looks as early as if the chunk were in it.
 */
export function weigh({ byteLength }: Uint8Array): void {
  heap.weight = new Array(byteLength >> 3);
  heap.weight = undefined;
}
