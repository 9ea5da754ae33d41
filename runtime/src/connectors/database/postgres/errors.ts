import { DatabaseError } from 'pg';
import { Failure } from '../../../errors/failure.ts';
import type { FailureCode } from '../../../errors/failures.ts';
import type { Bound } from '../statement/dialect.ts';
import { refused } from '../statement/rows.ts';
import type { Column } from '../statement/table.ts';
import type { Address } from './address.ts';

/** What was being done when the error came. */
export type Moment =
  | { readonly doing: 'connect'; readonly address: Address }
  /** `lost`: what a lost connection means for the caller. */
  | { readonly doing: 'statement'; readonly bound?: Bound | undefined; readonly lost: 'repeatable' | 'unknown' };

/** Gives an error of pg its code and says what to do about it. */
export function postgresFailure(error: unknown, connector: string, moment: Moment): Failure {
  if (error instanceof Failure) return error.within({ connector });
  const failure = (code: FailureCode, text: string, retriable?: boolean) =>
    new Failure(code, text, { cause: error, at: { connector }, retriable });
  return moment.doing === 'connect'
    ? connectFailure(error, connector, moment.address, failure)
    : statementFailure(error, connector, moment.bound, moment.lost, failure);
}

type Make = (code: FailureCode, text: string, retriable?: boolean) => Failure;

function connectFailure(error: unknown, connector: string, address: Address, failure: Make): Failure {
  const place = `database "${connector}" at ${address.host}:${address.port}`;
  const message = messageOf(error);
  if (error instanceof DatabaseError) {
    if (error.code?.startsWith('28')) {
      return failure(
        'connector_refused',
        `${place} refused the credentials of user "${address.user}": ${message}`,
        false,
      );
    }
    if (error.code === '3D000')
      return failure('connector_refused', `${place} has no database "${address.database}"`, false);
    return failure('connector_refused', `${place} takes no connection: ${message}`);
  }
  if (message.startsWith('SASL') || /password/i.test(message)) {
    return failure(
      'connector_refused',
      `${place} refused the credentials of user "${address.user}": ${message}`,
      false,
    );
  }
  if (message === 'timeout exceeded when trying to connect') {
    return failure(
      'connector_busy',
      `every connection to ${place} was busy for ${address.connectTimeout} ms; raise \`pool.max\`, or look for statements that take long`,
    );
  }
  if (/timeout/i.test(message) || codeOf(error) === 'ETIMEDOUT') {
    return failure('connector_timeout', `${place} did not answer within ${address.connectTimeout} ms`);
  }
  if (isTls(error, message)) return failure('connector_refused', `TLS with ${place} failed: ${message}`, false);
  return failure('connector_refused', `${place} cannot be reached: ${reasons[codeOf(error)] ?? message}`);
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused; nothing listens there (ECONNREFUSED)',
  ENOTFOUND: 'the host name is not known (ENOTFOUND)',
  EAI_AGAIN: 'the host name cannot be looked up now (EAI_AGAIN)',
  ECONNRESET: 'the connection was reset (ECONNRESET)',
  EHOSTUNREACH: 'there is no route to the host (EHOSTUNREACH)',
  ENETUNREACH: 'there is no route to the network (ENETUNREACH)',
  EMFILE: 'this process has no file descriptors left (EMFILE)',
};

function isTls(error: unknown, message: string): boolean {
  const code = codeOf(error);
  return /CERT|SSL|TLS|SIGNATURE|EPROTO/.test(code) || /SSL|TLS/.test(message);
}

function statementFailure(
  error: unknown,
  connector: string,
  bound: Bound | undefined,
  lost: 'repeatable' | 'unknown',
  failure: Make,
): Failure {
  const message = messageOf(error);
  const code = error instanceof DatabaseError ? (error.code ?? '') : '';
  if (code === '' || /^(08|57P0)/.test(code)) {
    if (lost === 'repeatable')
      return failure('connector_refused', `the connection to database "${connector}" was lost: ${message}`);
    return failure(
      'outcome_unknown',
      `the connection to database "${connector}" was lost before it answered; the write may or may not have happened: ${message}`,
    );
  }
  const detail = error instanceof DatabaseError ? error : undefined;
  switch (code.slice(0, 2)) {
    case '23':
      return failure('constraint_violated', detail?.detail === undefined ? message : `${message}: ${detail.detail}`);
    case '22':
      if (bound?.columns !== undefined && detail !== undefined)
        return refuse(detail, bound, bound.columns).within({ connector });
      return failure('connector_failed', `database "${connector}" cannot use a value: ${message}`, false);
    case '40':
    case '53':
    case '55':
      return failure('connector_failed', `database "${connector}" could not finish the statement: ${message}`);
    default:
  }
  if (code === '57014')
    return failure('connector_timeout', `database "${connector}" stopped the statement: ${message}`);
  if (code === '42P01') {
    const text = `${message} in database "${connector}". Run \`svc migrate\` if a migration creates it, or correct the name`;
    return failure('connector_failed', text, false);
  }
  return failure(
    'connector_failed',
    `database "${connector}" refused the statement: ${message}`,
    /^(58|XX)/.test(code),
  );
}

/** Names the field whose value the server could not convert, as far as it can be known. */
function refuse(error: DatabaseError, bound: Bound, columns: readonly Column[]): Failure {
  const number = /parameter \$(\d+)/.exec(error.where ?? '')?.[1];
  const suspects = number === undefined ? suspectsOf(error, bound, columns) : [columns[Number(number) - 1]];
  const names = [...new Set(suspects.flatMap((column) => (column === undefined ? [] : [column.name])))];
  const one = names.length === 1;
  return refused(
    names.map((field) => ({
      field,
      code: 'type_mismatch',
      message: one ? `"${field}": ${error.message}` : `"${field}" may be what the database refuses: ${error.message}`,
    })),
    error,
  );
}

function suspectsOf(error: DatabaseError, bound: Bound, columns: readonly Column[]): readonly Column[] {
  const suspects = columns.filter((column, index) => {
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
  return suspects.length > 0 ? suspects : columns.filter((_, index) => bound.values[index] !== null);
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

function codeOf(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return '';
}

function messageOf(error: unknown): string {
  if (error instanceof Error && error.message !== '') return error.message;
  return codeOf(error) || String(error);
}
