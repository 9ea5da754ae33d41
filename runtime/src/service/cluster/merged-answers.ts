import type { CacheEntry, KeptEntry, KeptKeys, MetricsEntry } from '@svc/protocol/wire';
import { mergedCaches, mergedDrops, mergedEntry, mergedKeys, mergedMetrics } from './merged-caches.ts';

interface Source {
  readonly connector: string;
  /** Messages that the process holds. */
  readonly unacked?: number;
  /** Messages that wait and that the process does not hold; null when it does not know. */
  readonly ready?: number | null;
  /** What its broker says; null when that is not known. */
  readonly places?: readonly unknown[] | null;
}

interface Module {
  readonly name: string;
  readonly kind: string;
  readonly serves: readonly string[];
  readonly hash: string | null;
}

interface Schedule {
  readonly flow: string;
  readonly running: number;
  readonly waiting: number;
  readonly last: { readonly at: string; readonly outcome: string } | null;
}

/** What is counted of a module. */
const counts = ['instances', 'waiting', 'calls', 'failed', 'ended', 'rebuilt'] as const;

interface Members {
  readonly threads: readonly unknown[];
  readonly sources: readonly Source[];
  readonly cancelled: number;
  readonly modules: readonly Module[];
  readonly schedules: readonly Schedule[];
}

/** The answers of several workers to one request of a client as one; at least one answer is given. */
export function mergedAnswer(method: string, answers: readonly unknown[]): unknown {
  const [first] = answers;
  const all = answers as readonly Members[];
  switch (method) {
    case 'debug.threads':
      return { threads: all.flatMap(({ threads }) => threads) };
    case 'debug.ready':
    case 'debug.sources':
      return { ...(first as Members), sources: mergedSources(all.flatMap(({ sources }) => sources)) };
    case 'debug.figures':
      return { ...(first as Members), sources: knownFigures(all.flatMap(({ sources }) => sources)) };
    case 'debug.cancelConsume':
      return { ...(first as Members), cancelled: all.reduce((sum, { cancelled }) => sum + cancelled, 0) };
    case 'inspect.modules':
      return { ...(first as Members), modules: mergedModules(all.flatMap(({ modules }) => modules)) };
    case 'inspect.schedules':
      return { ...(first as Members), schedules: mergedSchedules(all.flatMap(({ schedules }) => schedules)) };
    case 'inspect.caches':
      return mergedCaches(answers as readonly (readonly CacheEntry[])[]);
    case 'inspect.cacheKeys':
      return mergedKeys(answers as readonly KeptKeys[]);
    case 'inspect.cacheEntry':
      return mergedEntry(answers as readonly KeptEntry[]);
    case 'debug.dropCacheEntry':
    case 'debug.dropCache':
      return mergedDrops(answers as readonly { readonly dropped: number }[]);
    case 'inspect.metrics':
      return mergedMetrics(answers as readonly MetricsEntry[]);
    default:
      return first;
  }
}

/** Every worker has every source; what each of them holds is added up, and nothing of it waits. */
function mergedSources(sources: readonly Source[]): readonly Source[] {
  const merged = new Map<string, Source>();
  for (const source of sources) {
    const { unacked, ready } = merged.get(source.connector) ?? {};
    const sum = unacked === undefined || source.unacked === undefined ? {} : { unacked: unacked + source.unacked };
    const known = [ready, source.ready].filter((count) => typeof count === 'number');
    const least = known.length === 0 ? {} : { ready: Math.min(...known) };
    merged.set(source.connector, { ...source, ...sum, ...least });
  }
  return [...merged.values()];
}

/** Every worker runs every module, with instances of its own: these, and what they did, are added up. */
function mergedModules(modules: readonly Module[]): readonly Module[] {
  type Counted = Module & Record<(typeof counts)[number], number>;
  const merged = new Map<string, Counted>();
  for (const module of modules as readonly Counted[]) {
    const key = JSON.stringify([module.name, module.kind, module.serves]);
    const known = merged.get(key);
    if (known === undefined) merged.set(key, module);
    else {
      const sums = Object.fromEntries(counts.map((count) => [count, known[count] + module[count]]));
      merged.set(key, { ...known, ...sums, hash: known.hash ?? module.hash });
    }
  }
  return [...merged.values()];
}

/** Every worker has every schedule: their runs are added up, and the last one is the latest that one of them had. */
function mergedSchedules(schedules: readonly Schedule[]): readonly Schedule[] {
  const merged = new Map<string, Schedule>();
  for (const schedule of schedules) {
    const known = merged.get(schedule.flow);
    merged.set(
      schedule.flow,
      known === undefined
        ? schedule
        : {
            ...known,
            running: known.running + schedule.running,
            waiting: known.waiting + schedule.waiting,
            last: [known.last, schedule.last].reduce(laterRun),
          },
    );
  }
  return [...merged.values()];
}

/** The later run; of one tick, that of the worker which had it. */
function laterRun(one: Schedule['last'], other: Schedule['last']): Schedule['last'] {
  if (one === null || other === null) return one ?? other;
  if (one.at !== other.at) return one.at > other.at ? one : other;
  return one.outcome === 'elsewhere' ? other : one;
}

/** A broker says the same to every worker; one whose connection is lost knows nothing. */
function knownFigures(sources: readonly Source[]): readonly Source[] {
  const known = new Map<string, Source>();
  for (const source of sources) if (known.get(source.connector)?.places == null) known.set(source.connector, source);
  return [...known.values()];
}
