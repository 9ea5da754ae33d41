import { type Handlers, wireError } from '@svc/protocol/wire';
import {
  answersOf,
  cacheEntries,
  dropAll,
  dropEntry,
  entryOf,
  keysOf,
  type Looked,
  mostKeys,
  obstacleOf,
} from '../caches/caches.ts';
import { type Caller, serviceOf, unlockedSession } from './caller.ts';

type Names = 'inspect.caches' | 'inspect.cacheKeys' | 'inspect.cacheEntry' | 'debug.dropCacheEntry' | 'debug.dropCache';

const usuallyListed = 100;

/** Answers for those who look at what flows keep in caches. */
export const cacheHandlers: Pick<Handlers<Caller>, Names> = {
  'inspect.caches': (caller) => cacheEntries(serviceOf(caller), caller.metrics),
  'inspect.cacheKeys': (caller, { flow, aspect, text, limit = usuallyListed, after }) => {
    if (limit < 1) throw wireError('invalidParams', '"limit" is a number from 1');
    return keysOf(lookedAt(caller, flow, aspect), { text, limit: Math.min(limit, mostKeys), after });
  },
  'inspect.cacheEntry': (caller, { flow, aspect, key }) => entryOf(lookedAt(caller, flow, aspect), key),
  'debug.dropCacheEntry': async (caller, { flow, aspect, key }) => {
    unlockedSession(caller);
    return { ok: true, dropped: await dropEntry(lookedAt(caller, flow, aspect), key) };
  },
  'debug.dropCache': async (caller, { flow, aspect, after }) => {
    unlockedSession(caller);
    return { ok: true, ...(await dropAll(lookedAt(caller, flow, aspect), after)) };
  },
};

function lookedAt(caller: Caller, flow: string, aspect: string | undefined): Looked {
  const service = serviceOf(caller);
  const kept = answersOf(service.answers, flow, aspect);
  if (kept === undefined) {
    if (!service.stages.has(flow)) throw wireError('flowNotFound', `there is no flow "${flow}"`);
    const by = aspect ? ` for the aspect "${aspect}"` : '';
    throw wireError('invalidParams', `flow "${flow}" keeps no answers in a cache${by}`);
  }
  const obstacle = obstacleOf(kept);
  if (obstacle !== undefined) throw wireError('invalidParams', `flow "${flow}": ${obstacle}`);
  return { kept, service, secrecy: caller.hub.secrecy };
}
