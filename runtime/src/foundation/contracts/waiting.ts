import type { EventSource } from './events.ts';
import type { QueueCounts } from './queue.ts';

/** Milliseconds in which a broker must report how much it holds, before it counts as not known. */
const countTimeout = 1_000;

/** Messages that wait at the broker; undefined when it does not report them in time. */
export async function waitingAt(source: EventSource): Promise<number | undefined> {
  return inTime(source.waiting?.());
}

/** What the broker says of each place that messages come from; undefined when it says nothing in time. */
export async function figuresAt(source: EventSource): Promise<ReadonlyMap<string, QueueCounts> | undefined> {
  return inTime(source.figures?.());
}

async function inTime<T>(answer: Promise<T | undefined> | undefined): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, countTimeout, undefined);
  });
  try {
    return await Promise.race([answer, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Of these, the ones that this process does not hold. */
export async function waitingBehind(source: EventSource): Promise<number | undefined> {
  const waiting = await waitingAt(source);
  return waiting === undefined || source.countsHeld !== true ? waiting : Math.max(0, waiting - source.unsettled);
}
