import type { Dialect } from './dialect.ts';

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Whether `name` is a plain column name. */
export function isIdentifier(name: string): boolean {
  return name.length <= 128 && identifier.test(name);
}

/** `table` or `schema.table` taken apart; undefined when it is neither. */
export function tableParts(
  target: string,
): { readonly schema: string | undefined; readonly table: string } | undefined {
  const parts = target.split('.');
  const last = parts.at(-1) as string;
  if (parts.length > 2 || !parts.every(isIdentifier)) return undefined;
  return { schema: parts.length === 2 ? parts[0] : undefined, table: last };
}

/** A name as standard SQL reads it literally. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Why a target as written in the configuration is not a table, or undefined. */
export function checkTarget(target: string): string | undefined {
  if (/^input(\.[A-Za-z_][A-Za-z0-9_]*)+$/.test(target) || tableParts(target) !== undefined) return undefined;
  if (/\s/.test(target.trim())) {
    return `"${target}" is not the name of a table; write the statement in \`query\`, with \`:name\` for each value`;
  }
  return `"${target}" is not the name of a table: letters, digits and underscores, or \`schema.table\``;
}

/** Tables that a message may not name, since they belong to the engine or to the runtime. */
export function isReserved(target: string, { ownTables }: Pick<Dialect, 'ownTables'>): boolean {
  return /^(information_schema\.|(.*\.)?(_svc_|svc_auth_|_mycel_))/i.test(target) || ownTables.test(target);
}
