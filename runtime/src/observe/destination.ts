import { writeSync } from 'node:fs';
import sonic from 'sonic-boom';

/** Where finished log lines go. */
export interface LogDestination {
  /** Takes one line with its line break; never blocks and never throws. */
  write(line: string): void;
  /** Writes out what is held, before the process ends. */
  flush(): void;
}

/** Most bytes held for a reader that does not read; newer lines are dropped then. */
const mostHeld = 16 * 1024 * 1024;

/** Writes to a file descriptor without blocking; a reader that went away is no error. */
export function fileDestination(descriptor: number): LogDestination {
  const stream = new sonic.SonicBoom({ fd: descriptor, sync: false, maxLength: mostHeld });
  let isFailing = false;
  stream.on('error', () => (isFailing = true));
  stream.on('write', () => (isFailing = false));
  return {
    write: (line) => void stream.write(line),
    flush: () => {
      // The stream would try again for ever where nobody reads any more, and the process would never end.
      if (isFailing) return;
      try {
        writeFirst(descriptor, stream as unknown as Held);
        stream.flushSync();
      } catch {
        // Whoever read the log has gone; nobody is left to be told.
      }
    },
  };
}

/** What the stream holds, by its own names. */
interface Held {
  readonly _bufs: string[];
}

/** Writes the first piece that is held. Throws when it cannot be written at all; a reader that is slow is none of that. */
function writeFirst(descriptor: number, { _bufs: held }: Held): void {
  const [first] = held;
  if (first === undefined) return;
  const bytes = Buffer.from(first);
  try {
    const written = writeSync(descriptor, bytes);
    if (written === bytes.length) held.shift();
    else held[0] = bytes.subarray(written).toString();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
  }
}
