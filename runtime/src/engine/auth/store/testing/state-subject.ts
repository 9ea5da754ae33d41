import { createHash, randomUUID } from 'node:crypto';
import type { Session, SessionLife, SessionLimit } from '../sessions.ts';
import type { StateStore } from '../state.ts';
import type { Ticket } from '../tickets.ts';

/** A store under test, and how its time passes. Names are made by `unique`, so that a server may be shared. */
export interface StateSubject {
  readonly store: StateStore;
  /** The same state, as another process has it; the same store where no other process can have it. */
  readonly another: StateStore;
  readonly pass: (milliseconds: number) => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

/** Part of every name that tests give, by which they find what they left. */
export const run = `test-${randomUUID()}`;

export function unique(name: string): string {
  return `${run}:${name}:${randomUUID()}`;
}

export const at = 1_760_000_000_000;
export const long: SessionLife = { absolute: 60_000, idle: 60_000, extends: true };
export const many: SessionLimit = { most: 100, whenFull: 'reject_new' };

export function sessionOf(userId: string, over: Partial<Session> = {}): Session {
  return {
    id: randomUUID().replaceAll('-', ''),
    userId,
    ip: '203.0.113.9',
    userAgent: 'ÿ "agent"\n/1',
    createdAt: at,
    lastActiveAt: at,
    expiresAt: at + 60_000,
    refreshId: randomUUID(),
    facts: {},
    ...over,
  };
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function ticketOf(owner: string, secret: string, over: Partial<Ticket> = {}): Ticket {
  return { kind: 'reset', digest: digest(secret), owner, data: {}, ...over };
}

/** The answers of calls that all begin together, by turns on each of the stores. */
export function together<T>(
  times: number,
  stores: readonly StateStore[],
  ask: (store: StateStore, index: number) => T | Promise<T>,
): Promise<T[]> {
  const barrier = Promise.withResolvers<void>();
  const asked = Array.from({ length: times }, async (_, index) => {
    await barrier.promise;
    return ask(stores[index % stores.length] as StateStore, index);
  });
  barrier.resolve();
  return Promise.all(asked);
}
