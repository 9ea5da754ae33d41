import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Clients that connect between two looks at the heap. */
const clientsPerLook = 250;
/** Bytes of both halves of the young generation: 16 MiB each, the size that Node documents as V8's default. */
const largest = 32 * 1024 * 1024;

/**
 * Ends the growth of V8's young generation where clients stay connected. Each of them survives collections, for which V8
 * enlarges this generation to 128 MiB; it is not made smaller while clients are idle, since nothing is collected then.
 * The limit is of the process: V8 reads it whenever it would enlarge a generation, and has no other one that can be set
 * after its start.
 */
export class YoungGeneration {
  #connected = 0;
  #isBound = false;

  /** A client has connected. */
  connected(): void {
    if (this.#isBound || ++this.#connected % clientsPerLook !== 0) return;
    const size = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
    if (size < largest) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    this.#isBound = true;
  }
}
