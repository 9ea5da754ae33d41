import type { KnownColumn, RuntimeTables } from '../../../../foundation/contracts/sql.ts';

/** What a column holds, as far as the accounts differ by it. */
type Kind = 'integer' | 'number' | 'flag' | 'moment' | 'date' | 'json' | 'list' | 'uuid' | 'text';

/** Seconds since 1970 are less, and milliseconds since 1973 are more. */
const mostSeconds = 100_000_000_000;
const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
/** Of 64 bits, in the one spelling that the database answers with. */
const integer = /^(?:0|-?[1-9]\d{0,17})$/;

export function kindOf({ type }: KnownColumn): Kind {
  if (type.startsWith('_')) return 'list';
  if (/^(?:tiny|small|medium|big)?int|^serial/.test(type)) return 'integer';
  if (/^bool/.test(type)) return 'flag';
  if (/^(?:timestamp|datetime)/.test(type)) return 'moment';
  if (/^date\b/.test(type)) return 'date';
  if (/^json/.test(type)) return 'json';
  if (/^(?:real|double|float|numeric|decimal|number)/.test(type)) return 'number';
  return type === 'uuid' ? 'uuid' : 'text';
}

/** How one column of an existing table keeps moments. */
export interface Moments {
  encode(milliseconds: number | undefined): unknown;
}

/** `sample`: a value of the column, which says what its numbers count. */
export function momentsOf(column: KnownColumn, sample: unknown, dialect: RuntimeTables): Moments {
  const kind = kindOf(column);
  const iso = (milliseconds: number) => new Date(milliseconds).toISOString();
  const encode = (milliseconds: number) => {
    switch (kind) {
      case 'integer':
      case 'number':
        return isSeconds(sample, column) ? Math.floor(milliseconds / 1_000) : Math.round(milliseconds);
      case 'moment':
        return dialect.moment(iso(milliseconds));
      case 'date':
        return iso(milliseconds).slice(0, 10);
      default:
        return iso(milliseconds);
    }
  };
  return { encode: (milliseconds) => (milliseconds === undefined ? null : encode(milliseconds)) };
}

/** Milliseconds since 1970; undefined for what is not a time. */
export function momentFrom(value: unknown): number | undefined {
  if (value === null || value === undefined) return undefined;
  const number = typeof value === 'string' && !/^\d+(\.\d+)?$/.test(value) ? Number.NaN : Number(value);
  if (!Number.isNaN(number)) return Math.round(Math.abs(number) < mostSeconds ? number * 1_000 : number);
  const text = String(value).trim().replace(' ', 'T');
  const parsed = Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$|^\d{4}-\d{2}-\d{2}$/i.test(text) ? text : `${text}Z`);
  return Number.isNaN(parsed) ? undefined : parsed;
}

function isSeconds(sample: unknown, { type }: KnownColumn): boolean {
  if (sample === null || sample === undefined)
    return /^(?:int|int4|integer\(?|mediumint)$/.test(type) && type !== 'integer';
  return Math.abs(Number(sample)) < mostSeconds;
}

/** An id of an account as its column takes it; undefined where the column cannot hold it, so that no account has it. */
export function idFor(column: KnownColumn, id: string): unknown {
  switch (kindOf(column)) {
    case 'integer':
      return integer.test(id) ? BigInt(id) : undefined;
    case 'uuid':
      return uuid.test(id) ? id : undefined;
    default:
      return id.includes('\0') ? undefined : id;
  }
}

/** The id of a new account as its column is meant: 32 hexadecimal digits, or those of a UUID; undefined: the table numbers its rows. */
export function newIdFor(column: KnownColumn, id: string): string | undefined {
  const kind = kindOf(column);
  if (kind === 'integer') return undefined;
  const isUuid = kind === 'uuid' || column.maxLength === 36 || /\(36\)/.test(column.type);
  return isUuid ? id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') : id;
}

export function flagFor(column: KnownColumn, value: boolean): unknown {
  const kind = kindOf(column);
  if (kind === 'flag') return value;
  return kind === 'text' ? String(value) : Number(value);
}

export function flagFrom(value: unknown): boolean {
  return value === true || (value !== null && value !== undefined && /^(?:1|t|true|y|yes)$/i.test(String(value)));
}

/** Roles of a JSON list, of a list of the database, or separated by commas. */
export function rolesFrom(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(String);
  if (typeof value !== 'string') return [];
  const text = value.trim();
  const listed = text.startsWith('[') ? listIn(text) : undefined;
  return (listed ?? text.split(',')).map((role) => String(role).trim()).filter((role) => role !== '');
}

/** In the form in which the column, or the row before, has them. */
export function rolesFor(column: KnownColumn, roles: readonly string[], former: unknown): string {
  if (kindOf(column) === 'list') return `{${roles.map((role) => `"${role.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
  const separated = typeof former === 'string' && former.trim() !== '' && listIn(former.trim()) === undefined;
  const fits = roles.every((role) => !role.includes(','));
  return kindOf(column) !== 'json' && separated && fits ? roles.join(',') : JSON.stringify(roles);
}

function listIn(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
