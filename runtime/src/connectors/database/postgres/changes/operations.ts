import type { PatternGrammar } from '../../../intake/dispatch/routes.ts';

/** What happens to rows. */
export const triggers = ['INSERT', 'UPDATE', 'DELETE'] as const;
export type Trigger = (typeof triggers)[number];

/** What an operation of a flow takes; undefined is any. Names are in lower case. */
export interface Taken {
  readonly trigger: Trigger | undefined;
  readonly schema: string | undefined;
  readonly table: string | undefined;
}

const spelling = 'write TRIGGER:table, such as INSERT:orders, *:orders, UPDATE:* or *';

/** Reads `INSERT:orders`, `*:sales.orders`, `UPDATE:*`, `*`, and `orders.INSERT`; otherwise the reason why it is not an operation. */
export function readOperation(operation: string): Taken | string {
  const text = operation.trim();
  if (text === '' || text === '*') return { trigger: undefined, schema: undefined, table: undefined };
  const colon = text.indexOf(':');
  const split = colon < 0 ? text.lastIndexOf('.') : colon;
  if (split < 0) return `"${operation}" names no trigger: ${spelling}`;
  const [first, last] = [text.slice(0, split), text.slice(split + 1)];
  const [written, place] = colon < 0 ? [last, first] : [first, last];
  const trigger = written === '*' ? undefined : triggers.find((known) => known === written.toUpperCase());
  if (trigger === undefined && written !== '*') {
    const why = written.toUpperCase() === 'TRUNCATE' ? 'reaches no flow, since it names no rows' : 'is not a trigger';
    return `"${written}" ${why}: a trigger is one of ${triggers.join(', ')} or *; ${spelling}`;
  }
  const parts = place.toLowerCase().split('.');
  const [schema, table] = parts.length === 1 ? [undefined, parts[0]] : parts;
  if (parts.length > 2 || !table || schema === '') return `"${place}" is not a table: ${spelling}`;
  return { trigger, schema: schema === '*' ? undefined : schema, table: table === '*' ? undefined : table };
}

/** Why an operation is malformed, or undefined. Pure. */
export function checkOperation(operation: string): string | undefined {
  const read = readOperation(operation);
  return typeof read === 'string' ? read : undefined;
}

/** A name as one word of a key. */
const word = (name: string) => name.toLowerCase().replaceAll(':', '%3a');

/** What operations are matched against: the most telling word comes first. */
export function keyOf(trigger: Trigger, schema: string, table: string): string {
  return `${word(table)}:${word(schema)}:${trigger}`;
}

/** Operations, spelled as keys are. The table says more than the trigger, and wins over it. */
export const operations: PatternGrammar = {
  separator: ':',
  one: '*',
  many: undefined,
  everyMatch: false,
  canonical: (operation) => {
    const read = readOperation(operation);
    if (typeof read === 'string') return operation;
    const { trigger, schema, table } = read;
    if (trigger === undefined && schema === undefined && table === undefined) return '*';
    return `${word(table ?? '*')}:${word(schema ?? '*')}:${trigger ?? '*'}`;
  },
};
