import type { TargetKind } from './targets.ts';

export const verbs = ['insert', 'update', 'upsert', 'delete', 'read'] as const;
export type RowVerb = (typeof verbs)[number];

const words: Readonly<Record<RowVerb, string>> = {
  insert: 'INSERT',
  update: 'UPDATE',
  upsert: 'UPSERT',
  delete: 'DELETE',
  read: 'SELECT',
};

/** Verbs of sources without a caller that waits for an answer. */
export const written = verbs.filter((verb) => verb !== 'read');

export function to(target: TargetKind, verb: RowVerb, says: 'names the verb' | ''): string {
  const operation = verb === 'upsert' ? target.upsert : says === '' ? '' : `operation = "${words[verb]}"`;
  return `to {\n    connector = "${target.name}"\n    target    = ${target.place ?? '"orders"'}\n    ${operation}\n  }`;
}

export function flow(name: string, connector: string, operation: string, body: string): string {
  const asked = operation === '' ? '' : `operation = "${operation}"`;
  return `flow "${name}" {\n  from {\n    connector = "${connector}"\n    ${asked}\n  }\n  ${body}\n}\n`;
}
