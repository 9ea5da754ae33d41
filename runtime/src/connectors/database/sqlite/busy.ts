import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../../errors/failure.ts';
import { cancelled } from './gate.ts';

/** How long a statement waits for a writer in another process; milliseconds. */
export const patience = 5000;
/** The part of it that is spent inside SQLite, where nothing else can run. */
export const blocking = 50;

const busy = 5;

/** Whether another process held the database, so that nothing of the statement was done. */
export function isBusy(error: unknown): boolean {
  const cause: unknown = error instanceof Failure ? error.cause : error;
  return cause instanceof Error && 'errcode' in cause && (Number(cause.errcode) & 0xff) === busy;
}

/** Repeats `work` while another process writes, leaving time for everything else in between. */
export async function patiently<T>(work: () => T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (const end = performance.now() + patience; ; await sleep(20)) {
    if (signal?.aborted) throw cancelled(signal);
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= end) throw error;
    }
  }
}
