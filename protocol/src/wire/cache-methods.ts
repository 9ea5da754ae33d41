import type { CacheEntry, KeptEntry, KeptKeys, MetricsEntry } from './cache-shapes.ts';
import { method } from './method.ts';

const aspect = { kind: 'string?', doc: 'The aspect that keeps them; absent: the flow itself does.' } as const;

/** Methods about answers that flows keep, and about what they have done. */
export const cacheMethods = {
  'inspect.caches': method<readonly CacheEntry[]>()({
    doc: 'The caches in which flows keep answers. Counts are those of all processes, since each was started.',
    params: {},
    result:
      'list of `connector`, `driver`, `isShared` (one store for every process), `entries` (null where it is not known), `hits`, `misses`, `unreadable`, and `flows`: each with `flow`, `aspect` (empty where the flow itself keeps them), `key` (as it is written; null where flow, input and caller are the key), `ttlMs` (null: for ever), `obstacle` (why its keys cannot be listed, or null)',
  }),
  'inspect.cacheKeys': method<KeptKeys>()({
    doc: 'Keys of the answers that a flow keeps, in pages. A server is asked in slices, for two seconds at most, so that a page may have fewer keys than asked for, or none, though others follow. Expressions of the key that name what is hidden are masked.',
    params: {
      flow: { kind: 'string', doc: 'Name of the flow.' },
      aspect,
      text: { kind: 'string?', doc: 'Only keys that contain it, as they are shown.' },
      limit: { kind: 'int?', doc: 'How many, 200 at most; absent: 100.' },
      after: { kind: 'string?', doc: '`next` of the page before.' },
    },
    result:
      '`isShared`; `keys`: each with `key` (null where something of it is not shown), `shown`, `size` (bytes, or characters where the entries are in memory), `leftMs` (null: no end), `ageMs` (null where it is not known); `next` (null: no other page), `more`: there are others that no page has',
  }),
  'inspect.cacheEntry': method<KeptEntry>()({
    doc: 'One answer that a flow keeps, decoded. It is neither counted nor kept for longer by that.',
    params: {
      flow: { kind: 'string', doc: 'Name of the flow.' },
      aspect,
      key: { kind: 'string', doc: 'The key, as `inspect.cacheKeys` gives it.' },
    },
    result:
      '`found`, `value` (large ones are cut), `status` (null: the usual one), `size`, `leftMs`, `ageMs`, `problem`: why the value is not shown, or null',
  }),
  'debug.dropCacheEntry': method<{ readonly ok: true; readonly dropped: number }>()({
    doc: 'Drops one answer that a flow keeps, in each of several processes. Refused without `debug.unlock`. A message that is computing the answer at that time stores it afterwards.',
    params: {
      flow: { kind: 'string', doc: 'Name of the flow.' },
      aspect,
      key: { kind: 'string', doc: 'The key, as `inspect.cacheKeys` gives it.' },
    },
    result: '`ok`, `dropped`: how many entries there were, of processes with caches of their own all together',
  }),
  'debug.dropCache': method<{ readonly ok: true; readonly dropped: number; readonly next: string | null }>()({
    doc: 'Drops all answers that a flow keeps, in each of several processes. Refused without `debug.unlock`. Servers are asked in slices, for two seconds at most; what is left then is dropped by the same call with `after`.',
    params: {
      flow: { kind: 'string', doc: 'Name of the flow.' },
      aspect,
      after: { kind: 'string?', doc: '`next` of the call before.' },
    },
    result: '`ok`, `dropped`; `next` (null: all are dropped)',
  }),
  'inspect.metrics': method<MetricsEntry>()({
    doc: 'Counts of flows and of what runs them, as `GET /metrics` has them; two looks make a rate. Several processes are added up.',
    params: {},
    result:
      '`bounds` (seconds), `flows`: each with `flow`, `succeeded`, `failed`, `dropped`, `inFlight` (messages that began while a client was attached), `seconds` (all together), `durations` (messages by the bounds, the last without one); `sources`: each with `connector`, `flows` (those that take its messages), `retried`, `rejected`, `dropped`; `process`: `processes`, `uptimeSeconds`, `memoryBytes`, `heapBytes`, `cpuSeconds`, `lagSeconds` (of the event loop), `requestsInFlight`, `tasks`',
  }),
} as const;
