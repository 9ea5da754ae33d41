import { Failure, type FailureOptions } from '../../../foundation/errors/failure.ts';
import type { FailureCode } from '../../../foundation/errors/failures.ts';
import type { Bound } from '../statement/bound.ts';
import { refused } from '../statement/rows.ts';

/** Result codes of SQLite (https://www.sqlite.org/rescode.html); the low byte is the primary code. */
export const primary = {
  busy: 5,
  locked: 6,
  readonly: 8,
  ioerr: 10,
  corrupt: 11,
  full: 13,
  cantopen: 14,
  constraint: 19,
  mismatch: 20,
  notadb: 26,
};
const constraintDatatype = 3091;

function codeOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
}

/** The primary code of an error of node:sqlite; 0 of any other one. */
export function primaryOf(error: unknown): number {
  return codeOf(error) & 0xff;
}

/** Gives an error of node:sqlite its code and says what to do about it. */
export function sqliteFailure(error: unknown, connector: string, bound?: Bound): Failure {
  if (error instanceof Failure) return error.within({ connector });
  const message = error instanceof Error ? error.message : String(error);
  const errcode = codeOf(error);
  const failure = (code: FailureCode, text: string, retriable?: boolean, isTargetMissing?: boolean) => {
    const options: FailureOptions = { cause: error, at: { connector }, retriable, isTargetMissing };
    return new Failure(code, text, options);
  };
  const refusedValue = errcode === constraintDatatype || (errcode & 0xff) === primary.mismatch;
  if (refusedValue && bound?.columns !== undefined) return refuse(error, message, bound).within({ connector });
  switch (errcode & 0xff) {
    case primary.constraint:
      return failure('constraint_violated', message);
    case primary.busy:
    case primary.locked:
      return failure(
        'connector_busy',
        `database "${connector}" was locked by another process for longer than five seconds`,
      );
    case primary.readonly:
      return failure('connector_failed', `database "${connector}" can only be read: ${message}`, false);
    case primary.full:
      return failure('connector_failed', `there is no room left for database "${connector}": ${message}`);
    case primary.ioerr:
      return failure('connector_failed', `the file of database "${connector}" cannot be read or written: ${message}`);
    case primary.cantopen:
      return failure('connector_refused', `the file of database "${connector}" cannot be opened: ${message}`);
    case primary.corrupt:
    case primary.notadb:
      return failure(
        'connector_failed',
        `the file of database "${connector}" is not an intact SQLite database: ${message}`,
        false,
      );
    default:
      return failure('connector_failed', explain(message, connector), false, message.startsWith(noTable));
  }
}

/** What is wrong when the file that is open is not the one at its path: the data would be lost, or others'. */
export function replacedFailure(connector: string): Failure {
  return new Failure(
    'connector_failed',
    `the file of database "${connector}" was replaced or removed while it was open: restart the service`,
    { retriable: false, at: { connector } },
  );
}

const noTable = 'no such table';

function explain(message: string, connector: string): string {
  if (message.startsWith(noTable)) {
    return `${message} in database "${connector}". Run \`svc migrate\` if a migration creates it, or correct the name`;
  }
  return `database "${connector}" refused the statement: ${message}`;
}

/** Names the field whose value the column cannot hold. */
function refuse(error: unknown, message: string, bound: Bound): Failure {
  const named = /column \S+?\.(\S+)$/.exec(message)?.[1];
  // "datatype mismatch" does not name its column: it is the integer primary key, the only column that converts or fails.
  const guilty = bound.columns?.find((column, index) =>
    named === undefined ? /int/.test(column.type) && !isWhole(bound.values[index]) : column.name === named,
  );
  const field = named ?? guilty?.name ?? '';
  const type = guilty?.type === undefined || guilty.type === '' ? 'the type of its column' : guilty.type;
  return refused([{ field, code: 'type_mismatch', message: `"${field}" does not convert to ${type}` }], error);
}

function isWhole(value: unknown): boolean {
  return value === null || typeof value === 'bigint' || (typeof value === 'string' && /^\s*[-+]?\d+\s*$/.test(value));
}
