import { Failure } from '../../../foundation/errors/failure.ts';
import type { Answered, AuthBed } from './bed.ts';

/** Counts the calls of every store, and lets one of them find its store unavailable. */
export function faults(bed: AuthBed) {
  const { state, accounts } = bed.system;
  const seen = { calls: 0, failing: 0, lasting: false };
  const watch = (store: object) => {
    const names = [...Object.getOwnPropertyNames(Object.getPrototypeOf(store)), ...Object.keys(store)];
    for (const name of new Set(names)) {
      const method = (store as Record<string, unknown>)[name];
      if (name === 'constructor' || typeof method !== 'function') continue;
      const watched = (...all: unknown[]) => {
        seen.calls++;
        if (seen.calls === seen.failing || (seen.lasting && seen.calls > seen.failing))
          return Promise.reject(new Failure('store_unavailable', 'the store is unavailable', { retryAfter: 2_000 }));
        return method.apply(store, all);
      };
      Object.defineProperty(store, name, { value: watched, configurable: true });
    }
  };
  for (const store of [accounts, accounts.factors, accounts.identities, ...Object.values(state)])
    if (typeof store === 'object' && store !== null) watch(store);
  return {
    /** The calls that a request makes; the one of this number fails, and where it lasts all after it. */
    async during(
      number: number,
      ask: () => Promise<Answered>,
      lasting = false,
    ): Promise<{ answer: Answered; calls: number }> {
      Object.assign(seen, { calls: 0, failing: number, lasting });
      const answer = await ask();
      const { calls } = seen;
      Object.assign(seen, { calls: 0, failing: 0, lasting: false });
      return { answer, calls };
    },
  };
}
