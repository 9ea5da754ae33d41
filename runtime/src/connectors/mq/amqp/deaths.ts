/** The header in which the broker says which queues gave a message up, the latest first. */
export const deathsHeader = 'x-death';

/** A queue that gave a message up, and why, as far as it is read here. */
interface Death {
  readonly queue?: unknown;
  readonly reason?: unknown;
  readonly count?: unknown;
  readonly time?: unknown;
}

/** What the broker says of a message and what it said before it was published again; undefined where it said nothing. */
export function together(recent: unknown, before: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(recent) && !Array.isArray(before)) return undefined;
  const found: Death[] = [];
  for (const death of [...listed(recent), ...listed(before)]) {
    const at = found.findIndex(({ queue, reason }) => queue === death.queue && reason === death.reason);
    const known = found[at];
    if (known === undefined) found.push(death);
    else found[at] = { ...known, count: countOf(known) + countOf(death), time: death.time ?? known.time };
  }
  return found;
}

/** What the broker would say, had it moved a message that a queue rejected. */
export function rejectedBy(queue: string, exchange: string, routingKey: string, before: unknown): readonly unknown[] {
  const time = { '!': 'timestamp', value: Math.floor(Date.now() / 1000) };
  const death = { queue, reason: 'rejected', count: 1, exchange, 'routing-keys': [routingKey], time };
  return together([death], before) as readonly unknown[];
}

function listed(deaths: unknown): readonly Death[] {
  return (Array.isArray(deaths) ? deaths : []).filter((death) => typeof death === 'object' && death !== null);
}

function countOf({ count }: Death): number {
  return Number(count) || 1;
}
