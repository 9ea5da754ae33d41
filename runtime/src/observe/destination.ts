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
  stream.on('error', () => undefined);
  return {
    write: (line) => void stream.write(line),
    flush: () => {
      try {
        stream.flushSync();
      } catch {
        // Whoever read the log has gone; nobody is left to be told.
      }
    },
  };
}
