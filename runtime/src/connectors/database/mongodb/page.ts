import { refusedValue } from './documents/refused.ts';

/** Parameters that choose a part of the documents, their order and their fields. */
export const pageWords = ['limit', 'offset', 'sort', 'fields'] as const;
export type PageWord = (typeof pageWords)[number];

export interface Page {
  readonly limit?: number;
  readonly skip?: number;
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly projection?: Readonly<Record<string, 1>>;
}

const mostFields = 16;
const mostProjected = 200;

/** What of the documents is read. Throws value_refused naming the parameter. */
export function pageOf(asked: Readonly<Partial<Record<PageWord, unknown>>>, most: number): Page {
  const [limit, skip] = [countOf(asked.limit, 'limit'), countOf(asked.offset, 'offset')];
  if (limit !== undefined && limit > most) throw refusedValue('limit', 'max', `must be at most ${most}`);
  const [sort, fields] = [orderOf(asked.sort), projectionOf(asked.fields)];
  return {
    ...(limit !== undefined && { limit }),
    ...(skip !== undefined && { skip }),
    ...(sort && { sort }),
    ...(fields && { projection: fields }),
  };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function countOf(value: unknown, field: string): number | undefined {
  if (isAbsent(value)) return undefined;
  if (/^\d{1,9}$/.test(String(value))) return Number(value);
  throw refusedValue(field, 'type_mismatch', 'must be a whole number of 0 or more, and below 1 000 000 000');
}

function partsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((part) => String(part).split(','));
}

/** `name`, `-name` for the other direction, `name desc`; several are a list or divided by commas. */
function orderOf(sort: unknown): Page['sort'] | undefined {
  if (isAbsent(sort)) return undefined;
  const parts = partsOf(sort);
  if (parts.length > mostFields) throw refusedValue('sort', 'type_mismatch', `names more than ${mostFields} fields`);
  const entries = parts.map((part): [string, 1 | -1] => {
    const [whole, minus, name = '', direction = ''] =
      /^\s*([+-]?)([A-Za-z_][\w.]*)(?:\s+(asc|desc))?\s*$/i.exec(part) ?? [];
    if (whole === undefined) throw refusedValue('sort', 'type_mismatch', 'must name fields, such as `name` or `-age`');
    return [name, (minus === '-') !== (direction.toLowerCase() === 'desc') ? -1 : 1];
  });
  return Object.fromEntries(entries);
}

function projectionOf(fields: unknown): Page['projection'] | undefined {
  if (isAbsent(fields)) return undefined;
  const names = partsOf(fields).map((part) => part.trim());
  const wrong = names.length > mostProjected || names.some((name) => !/^[A-Za-z_][\w.]*$/.test(name));
  if (wrong) throw refusedValue('fields', 'type_mismatch', `must name fields, at most ${mostProjected}`);
  return Object.fromEntries(names.map((name) => [name, 1]));
}
