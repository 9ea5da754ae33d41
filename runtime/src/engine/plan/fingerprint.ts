import { createHash } from 'node:crypto';
import type { ConnectorDeclaration } from '@svc/protocol/model';
import type { ConnectorSpec } from '@svc/protocol/schema';

/**
 * A text that is equal for equal declarations, wherever they are written: an open connector may then serve the next
 * generation. Values are hashed, so the text gives no secret away.
 */
export function fingerprintOf(declaration: ConnectorDeclaration): string {
  return createHash('sha256').update(describe(declaration)).digest('base64url');
}

function describe({ name, spec, values, operations, profiles }: ConnectorDeclaration): string {
  return JSON.stringify([
    name,
    wordsOf(spec),
    plain(values),
    [...operations.values()].map((operation) => [operation.name, plain(operation.values)]),
    [...profiles.values()].map(describe),
  ]);
}

function wordsOf(spec: ConnectorSpec | undefined): readonly (string | undefined)[] {
  return [spec?.type, spec?.driver];
}

/** Values without the places they were written at; what `origin` holds is under symbols and is left out anyway. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  const entries = Object.entries(value)
    .filter(([name, item]) => name !== 'origin' && item !== undefined)
    .map(([name, item]) => [name, plain(item)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
