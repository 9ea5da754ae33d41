import type { AuthBed } from './bed.ts';

/** Calls of stores between which it matters what happens. */
const steps: ReadonlySet<string> = new Set([
  'byEmail',
  'byId',
  'generation',
  'begin',
  'held',
  'passkey',
  'take',
  'find',
  'addPasskey',
  'confirmTotp',
  'link',
  'setFacts',
]);

/** Carries something out just before one of the calls that a request makes to its stores. */
export function beforeCall(bed: AuthBed, number: number, act: () => Promise<unknown>): { calls(): number } {
  const { state, accounts } = bed.system;
  let calls = 0;
  let isActing = false;
  for (const store of [accounts, accounts.factors, accounts.identities, state.sessions, state.tickets])
    for (const name of steps) {
      const method = (store as unknown as Record<string, unknown>)[name];
      if (typeof method !== 'function') continue;
      const watched = async (...all: unknown[]) => {
        if (!isActing && ++calls === number) {
          isActing = true;
          await act();
          isActing = false;
        }
        return method.apply(store, all);
      };
      Object.defineProperty(store, name, { value: watched, configurable: true });
    }
  return { calls: () => calls };
}
