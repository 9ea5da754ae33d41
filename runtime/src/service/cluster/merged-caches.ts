import type { CacheEntry, KeptEntry, KeptKey, KeptKeys, MetricsEntry } from '@svc/protocol/wire';

/** The caches of several workers: what each counts is added up, and so are entries that each has for itself. */
export function mergedCaches(answers: readonly (readonly CacheEntry[])[]): readonly CacheEntry[] {
  return [...Map.groupBy(answers.flat(), ({ connector }) => connector).values()].map((all) => {
    const sum = (of: (cache: CacheEntry) => number) => all.reduce((total, cache) => total + of(cache), 0);
    const [first] = all as [CacheEntry];
    return {
      ...first,
      entries: first.entries === null ? null : sum(({ entries }) => entries ?? 0),
      hits: sum(({ hits }) => hits),
      misses: sum(({ misses }) => misses),
      unreadable: sum(({ unreadable }) => unreadable),
    };
  });
}

/**
 * A store that is shared says the same to each. Workers with entries of their own list them by their keys: the page ends
 * where that of one of them ends, and an entry that several have is listed as the one that is kept for longest.
 */
export function mergedKeys(answers: readonly KeptKeys[]): KeptKeys {
  const [first] = answers as [KeptKeys];
  if (first.isShared) return first;
  const ends = answers.flatMap(({ next }) => next ?? []).sort();
  const [end] = ends;
  const byKey = new Map<string, KeptKey>();
  const masked: KeptKey[] = [];
  for (const { keys } of answers)
    for (const each of keys) {
      if (each.key === null) masked.push(each);
      else if (end === undefined || each.key <= end) {
        const known = byKey.get(each.key);
        if (known === undefined || (known.leftMs !== null && (each.leftMs ?? Infinity) > known.leftMs))
          byKey.set(each.key, each);
      }
    }
  const listed = [...byKey.values()].sort((a, b) => (a.shown < b.shown ? -1 : 1));
  return { ...first, keys: [...listed, ...masked], next: end ?? null, more: answers.some(({ more }) => more) };
}

/** That of the first worker that has it, so that a value is shown rather than none. */
export function mergedEntry(answers: readonly KeptEntry[]): KeptEntry {
  return answers.find(({ found }) => found) ?? (answers[0] as KeptEntry);
}

/** What each worker has dropped, added up; where one of them is not done, it continues there. */
export function mergedDrops<D extends { readonly dropped: number; readonly next?: string | null }>(
  answers: readonly D[],
): D {
  const [first] = answers as readonly [D];
  const dropped = answers.reduce((sum, each) => sum + each.dropped, 0);
  if (first.next === undefined) return { ...first, dropped };
  return { ...first, dropped, next: answers.map(({ next }) => next).find((next) => next !== null) ?? null };
}

/** Counts are added up; how late an event loop is, and how long a process runs, is that of the worst and the oldest. */
export function mergedMetrics(answers: readonly MetricsEntry[]): MetricsEntry {
  const [first] = answers as [MetricsEntry];
  const flows = [
    ...Map.groupBy(
      answers.flatMap((each) => each.flows),
      ({ flow }) => flow,
    ).values(),
  ].map((all) =>
    all.reduce((sum, each) => ({
      flow: sum.flow,
      succeeded: sum.succeeded + each.succeeded,
      failed: sum.failed + each.failed,
      dropped: sum.dropped + each.dropped,
      inFlight: sum.inFlight + each.inFlight,
      seconds: sum.seconds + each.seconds,
      durations: longer(sum.durations, each.durations).map(
        (_, at) => (sum.durations[at] ?? 0) + (each.durations[at] ?? 0),
      ),
    })),
  );
  const bySource = Map.groupBy(
    answers.flatMap((each) => each.sources),
    ({ connector }) => connector,
  );
  const sources = [...bySource.values()].map((all) =>
    all.reduce((sum, each) => ({
      connector: sum.connector,
      flows: sum.flows,
      retried: sum.retried + each.retried,
      rejected: sum.rejected + each.rejected,
      dropped: sum.dropped + each.dropped,
    })),
  );
  const processes = answers.map((each) => each.process);
  const process = processes.reduce((sum, each) => ({
    processes: sum.processes + each.processes,
    uptimeSeconds: Math.max(sum.uptimeSeconds, each.uptimeSeconds),
    memoryBytes: sum.memoryBytes + each.memoryBytes,
    heapBytes: sum.heapBytes + each.heapBytes,
    cpuSeconds: sum.cpuSeconds + each.cpuSeconds,
    lagSeconds: Math.max(sum.lagSeconds, each.lagSeconds),
    requestsInFlight: sum.requestsInFlight + each.requestsInFlight,
    tasks: sum.tasks + each.tasks,
  }));
  return { bounds: first.bounds, flows, sources, process };
}

/** A flow that has not run yet has no durations. */
function longer(one: readonly number[], other: readonly number[]): readonly number[] {
  return one.length < other.length ? other : one;
}
