import type { DatabaseConnector } from '../../../runtime/src/connectors/database/engine.ts';
import type { CallDescription, CallRequest } from '../../../runtime/src/foundation/contracts/target.ts';

/** What is measured, and most processor time beside the client library alone. */
export const floors = { read: 1.15, insert: 1.15, list: 1.1, batch: 1.1 } as const;

export type Kind = keyof typeof floors;

/** A row as it is written; the database numbers it. */
export interface User {
  readonly name: string;
  readonly email: string;
  readonly age: number;
}

/** One side of a comparison: the connector, or the client library as a program uses it. */
export interface Work {
  read(id: number): unknown;
  insert(user: User): unknown;
  /** Fifty rows from this one on. */
  list(from: number): unknown;
  /** Writes all of them, a thousand in a transaction. */
  batch(users: readonly User[]): Promise<unknown>;
}

/** How many rows there are to be read, and in a transaction of a batch. */
export const users = 10_000;
export const chunk = 1_000;

export const userOf = (index: number): User => ({
  name: `Person ${index}`,
  email: `person${index}@example.org`,
  age: 18 + (index % 70),
});

export const chunksOf = (all: readonly User[]): readonly (readonly User[])[] =>
  Array.from({ length: Math.ceil(all.length / chunk) }, (_, at) => all.slice(at * chunk, (at + 1) * chunk));

/** The same through the connector, as a flow asks it. */
export function throughConnector({ target }: DatabaseConnector): Work {
  const described = (verb: CallDescription['verb'], rest: Partial<CallDescription>): CallDescription => ({
    verb,
    operation: undefined,
    target: undefined,
    query: undefined,
    words: {},
    timeout: undefined,
    exact: false,
    flow: 'bench',
    label: 'to',
    ...rest,
  });
  const prepare = (verb: CallDescription['verb'], rest: Partial<CallDescription>) =>
    target.prepare(described(verb, rest)) as (request: CallRequest) => unknown;
  const read = prepare('read', { target: 'users' });
  const list = prepare('read', { query: 'SELECT * FROM users WHERE id >= :from ORDER BY id LIMIT 50' });
  const insert = prepare('create', { target: 'written' });
  const rows = target.prepareRows?.(described('create', { target: 'written' }));
  return {
    read: (id) => read({ filters: { id } }),
    list: (from) => list({ params: { from } }),
    insert: (user) => insert({ payload: user as unknown as Record<string, unknown> }),
    batch: async (all) => {
      for (const each of chunksOf(all)) {
        const write = await rows?.(each as unknown as Record<string, unknown>[]);
        if (write === undefined) throw new Error('the rows are not written at once');
        await target.transactions.run(write, undefined);
      }
    },
  };
}
