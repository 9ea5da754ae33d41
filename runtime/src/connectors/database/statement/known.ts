import type { KnownTarget } from '@svc/protocol/wire';
import { mostKnown } from '../../../foundation/contracts/connector.ts';
import type { Dialect } from './dialect.ts';
import { isReserved, tableParts } from './identifier.ts';

/**
 * The tables of rows with their `name`, `kind` and a `column`, in the order of their names. Left out: what no call can
 * name, and what belongs to the engine or the runtime.
 */
export function knownTables(
  rows: readonly Readonly<Record<string, unknown>>[],
  dialect: Pick<Dialect, 'ownTables'>,
): readonly KnownTarget[] {
  const found = new Map<string, { readonly name: string; readonly kind: string; readonly columns: string[] }>();
  for (const row of rows) {
    const [name, kind, column] = [String(row['name']), String(row['kind']), String(row['column'])];
    if (tableParts(name) === undefined || isReserved(name, dialect)) continue;
    const known = found.get(name);
    if (known === undefined) found.set(name, { name, kind, columns: [column] });
    else known.columns.push(column);
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, mostKnown);
}
