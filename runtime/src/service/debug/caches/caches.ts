import type { CacheEntry, FlowCache, KeptEntry, KeptKeys } from '@svc/protocol/wire';
import type { KeptAnswers, PlanAnswers } from '../../../foundation/contracts/kept-answers.ts';
import type { EntrySelection, ListedEntry, Storage, StorageInspection } from '../../../foundation/contracts/storage.ts';
import { maskCredentials } from '../../../foundation/observe/mask.ts';
import type { Metrics } from '../../../foundation/observe/metrics.ts';
import { withinTime } from '../../../platform/net/within-time.ts';
import type { DebuggedService } from '../inspect.ts';
import { askedLimits, type Secrecy } from '../values/snapshot.ts';
import { confusion, globOf } from './key-shape.ts';
import { keyShower, type ShownKey } from './shown-key.ts';

/** Milliseconds of work on a store for one request. */
const longestWork = 2_000;
/** Milliseconds after which a store that is silent is given up. */
const longestWait = 4_000;
/** Characters of a stored text that is decoded to be shown. */
const longestText = 4 * 1024 * 1024;

/** Questions that a store has not answered, beyond which it is not asked. */
const mostAsked = 8;

export const mostKeys = 200;

/** One flow's answers in a cache, and who looks at them. */
export interface Looked {
  readonly kept: KeptAnswers;
  readonly secrecy: Secrecy;
  readonly service: DebuggedService;
}

/** The caches in which flows keep answers. */
export function cacheEntries(service: DebuggedService, metrics: Metrics | undefined): readonly CacheEntry[] {
  const { project, answers } = service;
  const byConnector = Map.groupBy(answers?.kept ?? [], ({ connector }) => connector);
  return [...byConnector].map(([connector, kept]): CacheEntry => {
    const { storage } = kept[0] as KeptAnswers;
    const { cacheHits, cacheMisses, cacheDecodeErrors } = metrics?.families ?? {};
    return {
      connector,
      driver: project.connectors.get(connector)?.spec?.driver ?? '',
      isShared: !storage.processLocal,
      entries: storage.size?.() ?? null,
      hits: cacheHits?.known(connector)?.value ?? 0,
      misses: cacheMisses?.known(connector)?.value ?? 0,
      unreadable: cacheDecodeErrors?.known(connector)?.value ?? 0,
      flows: kept.map(
        (each): FlowCache => ({
          flow: each.flow,
          aspect: each.aspect ?? '',
          key: each.written ?? null,
          ttlMs: lifetimeOf(each, service) ?? null,
          obstacle: obstacleOf(each) ?? null,
        }),
      ),
    };
  });
}

/** What a flow, or an aspect of it, keeps; undefined: nothing. */
export function answersOf(answers: PlanAnswers | undefined, flow: string, aspect: string | undefined) {
  return answers?.kept.find((each) => each.flow === flow && (each.aspect ?? '') === (aspect ?? ''));
}

/** Why keys cannot be listed. */
export function obstacleOf({ storage, key }: KeptAnswers): string | undefined {
  return storage.inspection === undefined ? 'its cache cannot be looked at' : confusion(key);
}

export interface KeysWanted {
  readonly text: string | undefined;
  readonly limit: number;
  readonly after: string | undefined;
}

/** A page of keys. Rejects with the reason where the store is unavailable or silent. */
export async function keysOf(looked: Looked, { text = '', limit, after }: KeysWanted): Promise<KeptKeys> {
  const { kept } = looked;
  const { show, ...selection } = selectionOf(looked);
  const wanted: EntrySelection = {
    ...selection,
    isMeant: text === '' ? selection.isMeant : (key) => show(key)?.text.includes(text) ?? false,
  };
  const { entries, next } = await timed(kept, (signal) => inspectionOf(kept).list(wanted, { limit, after, signal }));
  const keys = entries.flatMap((entry) => {
    const shown = show(entry.key);
    if (shown === undefined) return [];
    return { key: shown.isWhole ? entry.key : null, shown: shown.text, ...timesOf(entry, looked) };
  });
  // A cursor that is a key is as secret as that.
  const isHidden = next !== undefined && kept.storage.processLocal && show(next)?.isWhole !== true;
  return {
    isShared: !kept.storage.processLocal,
    keys,
    next: isHidden ? null : (next ?? null),
    more: isHidden,
  };
}

/** One answer; `found` is false for a key that no answer of the flow has. */
export async function entryOf(looked: Looked, key: string): Promise<KeptEntry> {
  const { kept, secrecy, service } = looked;
  const absent = { found: false, value: null, status: null, size: 0, leftMs: null, ageMs: null, problem: null };
  if (!isKey(looked, key)) return absent;
  const entry = await timed(kept, () => inspectionOf(kept).read(key, longestText));
  if (entry === undefined) return absent;
  const known = { ...absent, found: true, ...timesOf(entry, looked) };
  const hidden = service.answers?.hidden(kept.flow).values;
  if (hidden === 'always' || (hidden !== undefined && secrecy.masksNames))
    return { ...known, problem: 'It is not shown: a rule of the flow reads what is hidden.' };
  if (entry.value === undefined) return { ...known, problem: `It is too large to be shown: ${entry.length} bytes.` };
  try {
    const { value, status } = await kept.decode(entry.value);
    return { ...known, value: secrecy.show(value, askedLimits), status: status ?? null };
  } catch {
    return { ...known, problem: 'It cannot be read, and counts as missing.' };
  }
}

/** Drops one entry; how many there were. */
export async function dropEntry(looked: Looked, key: string): Promise<number> {
  return isKey(looked, key) ? timed(looked.kept, () => looked.kept.storage.delete([key])) : 0;
}

/** Drops entries until all are dropped or the time is over. */
export async function dropAll(looked: Looked, after: string | undefined) {
  const stop = AbortSignal.timeout(longestWork);
  const { deleted, next } = await timed(looked.kept, (signal) =>
    inspectionOf(looked.kept).sweep(selectionOf(looked), after, AbortSignal.any([stop, signal])),
  );
  return { dropped: deleted, next: next ?? null };
}

function isKey(looked: Looked, key: string): boolean {
  return selectionOf(looked).show(key)?.isWhole === true;
}

function selectionOf({ kept, secrecy, service }: Looked) {
  const fields = service.answers?.hidden(kept.flow).fields ?? [];
  const show: (key: string) => ShownKey | undefined = keyShower(kept.key, { fields }, secrecy);
  return { pattern: globOf(kept.key), isMeant: (key: string) => show(key) !== undefined, show };
}

function inspectionOf({ storage }: KeptAnswers): StorageInspection {
  return storage.inspection as StorageInspection;
}

function timesOf({ length, left }: ListedEntry, { kept, service }: Looked) {
  const lifetime = lifetimeOf(kept, service);
  const isEndless = left === Number.POSITIVE_INFINITY;
  // One that has more time than answers are given was kept by an earlier configuration.
  const age = lifetime === undefined || isEndless || left > lifetime ? null : Math.round(lifetime - left);
  return { size: length, leftMs: isEndless ? null : Math.round(left), ageMs: age };
}

/** Milliseconds; undefined: for ever. */
function lifetimeOf({ ttl, connector }: KeptAnswers, { project }: DebuggedService): number | undefined {
  const { default_ttl: standard } = (project.connectors.get(connector)?.values ?? {}) as { default_ttl?: number };
  return ttl || standard || undefined;
}

/** Questions that each store has not answered, those that were given up among them. */
const asked = new WeakMap<Storage, number>();

/** Gives the reason without what connectors hold secret. */
async function timed<T>({ storage }: KeptAnswers, work: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
  const open = asked.get(storage) ?? 0;
  if (open >= mostAsked) throw new Error('the cache has not answered what it was asked before: ask again later');
  asked.set(storage, open + 1);
  const counted = async (signal: AbortSignal) => {
    try {
      return await work(signal);
    } finally {
      asked.set(storage, (asked.get(storage) ?? 1) - 1);
    }
  };
  try {
    return await withinTime(longestWait, counted);
  } catch (error) {
    throw new Error(maskCredentials((error as Error).message));
  }
}
