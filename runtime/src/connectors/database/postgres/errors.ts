import { DatabaseError } from 'pg';
import type { Driver } from '../server/driver.ts';
import type { StatementError } from '../server/failure.ts';
import { messageOf } from '../server/unreachable.ts';
import type { Bound } from '../statement/bound.ts';
import type { Column } from '../statement/column.ts';

/** Classes of error codes, and codes (PostgreSQL, Appendix A), by what they mean; a code wins over its class. */
const meanings: Readonly<Record<string, StatementError>> = {
  '08': 'lost',
  '22': 'value',
  '23': 'constraint',
  '40': 'passing',
  '53': 'passing',
  '55': 'passing',
  '58': 'failed',
  XX: 'failed',
  '42P01': 'no table',
  '55P03': 'locked',
  '57014': 'stopped',
};

/** The errors of pg. */
export const postgresErrors: Driver<unknown, never, never>['errors'] = {
  connecting: (error) => {
    const message = messageOf(error);
    if (!(error instanceof DatabaseError)) {
      if (message.startsWith('SASL') || /password/i.test(message)) return 'credentials';
      return message === 'timeout exceeded when trying to connect' ? 'busy' : undefined;
    }
    if (error.code?.startsWith('28')) return 'credentials';
    return error.code === '3D000' ? 'no database' : 'refused';
  },
  statement: (error) => {
    const code = codeOf(error);
    // 57P01 and its neighbours: the server is shut down.
    if (code === '' || code.startsWith('57P0')) return 'lost';
    return meanings[code] ?? meanings[code.slice(0, 2)] ?? 'refused';
  },
  detail: (error) => (error instanceof DatabaseError ? error.detail : undefined),
  suspects,
  tableChanged: (error) => codeOf(error).startsWith('42'),
  // A transaction in which a statement failed refuses all others, and its COMMIT rolls back.
  undone: () => false,
};

function codeOf(error: unknown): string {
  return error instanceof DatabaseError ? (error.code ?? '') : '';
}

/** The columns whose value the server could not convert, as far as it can be known. */
function suspects(error: unknown, bound: Bound): readonly string[] {
  const { columns = [] } = bound;
  if (!(error instanceof DatabaseError)) return [];
  const number = /parameter \$(\d+)/.exec(error.where ?? '')?.[1];
  const found = number === undefined ? likely(error, bound, columns) : [columns[Number(number) - 1]];
  return [...new Set(found.flatMap((column) => (column === undefined ? [] : [column.name])))];
}

function likely(error: DatabaseError, bound: Bound, columns: readonly Column[]): readonly Column[] {
  const found = columns.filter((column, index) => {
    const value = bound.values[index];
    if (value === null) return false;
    if (error.code === '22001') return column.maxLength !== undefined && [...String(value)].length > column.maxLength;
    if (error.code === '22021' || error.code === '22P05')
      return String(value).includes('\0') || String(value).includes('\\u0000');
    const type = /type (.+?):/.exec(error.message)?.[1];
    if (type !== undefined) return spelled(column.type) === type && error.message.includes(String(value));
    const power = /10\^(\d+)/.exec(error.detail ?? '')?.[1];
    if (power !== undefined) return column.type === 'numeric' && !(Math.abs(Number(value)) < 10 ** Number(power));
    return /^(numeric|int|float)/.test(column.type) && /numeric|out of range|overflow/.test(error.message);
  });
  return found.length > 0 ? found : columns.filter((_, index) => bound.values[index] !== null);
}

/** The server's long names of the types whose short name pg_type has. */
function spelled(type: string): string {
  const long: Readonly<Record<string, string>> = {
    int2: 'smallint',
    int4: 'integer',
    int8: 'bigint',
    float4: 'real',
    float8: 'double precision',
    bool: 'boolean',
    timestamptz: 'timestamp with time zone',
    varchar: 'character varying',
  };
  return long[type] ?? type;
}
