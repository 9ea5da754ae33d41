import type { EventEmitter } from 'node:events';

/** Changes what comes over a connection. */
export interface Rewriting {
  /** What is passed on of these bytes; of those with a problem, what is before it. */
  rewrite(bytes: Buffer): Buffer;
  /** What ends the connection: nothing more is passed on. */
  readonly problem: Error | undefined;
}

/**
 * Has everything that a stream gives rewritten before anything that listens to it has it.
 *
 * @param exceeded is called once with what ends the connection
 */
export function rewriteData(stream: EventEmitter, rewriting: Rewriting, exceeded: (problem: Error) => void): void {
  const emit = stream.emit.bind(stream);
  let isOver = false;
  stream.emit = (event, ...given) => {
    if (event !== 'data') return emit(event, ...given);
    if (isOver) return true;
    const bytes = rewriting.rewrite(given[0] as Buffer);
    if (bytes.length > 0) emit('data', bytes);
    if (rewriting.problem !== undefined) {
      isOver = true;
      exceeded(rewriting.problem);
    }
    return true;
  };
}
