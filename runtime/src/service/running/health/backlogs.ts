import type { EventSource } from '../../../foundation/contracts/events.ts';
import { waitingAt } from '../../../foundation/contracts/waiting.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { Metrics } from '../../../foundation/observe/metrics.ts';

/** Milliseconds between two questions. */
const askEvery = 5_000;

/**
 * Asks event sources how many messages wait at their peers, until the signal fires: answers to scrapes never wait for
 * a broker. A source that does not know has no sample, so that nothing is scaled by an old number.
 */
export async function countBacklogs(
  sources: () => ReadonlyMap<string, EventSource>,
  metrics: Metrics,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    // In a function of its own: what this one has is kept through its pause, also sources of an earlier configuration.
    await countOnce(sources(), metrics);
    await clock.sleep(askEvery, signal).catch(() => undefined);
  }
}

async function countOnce(
  sources: ReadonlyMap<string, EventSource>,
  { families: { messagesBacklog } }: Metrics,
): Promise<void> {
  const asked = [...sources].filter(([, { waiting }]) => waiting !== undefined);
  const counts = await Promise.all(
    asked.map(async ([name, source]) => ({ name, source, count: await waitingAt(source) })),
  );
  messagesBacklog.clear();
  for (const { name, source, count } of counts)
    if (count !== undefined) messagesBacklog.of(name, source.type).value = count;
}
