import { Failure, type FailureOptions } from '../../../foundation/errors/failure.ts';
import type { FailureCode } from '../../../foundation/errors/failures.ts';
import type { Bound } from '../statement/bound.ts';
import { refused } from '../statement/rows.ts';
import type { Address } from './address.ts';
import { type MakeFailure, messageOf, unreachable } from './unreachable.ts';

/** What was being done when the error came. */
export type Moment =
  | { readonly doing: 'connect'; readonly address: Address }
  /** `lost`: what a lost connection means for the caller. */
  | { readonly doing: 'statement'; readonly bound?: Bound | undefined; readonly lost: 'repeatable' | 'unknown' };

/** Why there is no connection, as far as the server or the pool say. */
export type ConnectError =
  /** Every connection was in use for `connect_timeout`. */
  | 'busy'
  | 'credentials'
  | 'no database'
  /** The server refuses for another reason. */
  | 'refused';

/** What an error of a statement means. */
export type StatementError =
  /** The connection ended, or is about to. */
  | 'lost'
  | 'constraint'
  /** A value does not fit its column. */
  | 'value'
  /** The statement was not done; a later try may do it. */
  | 'passing'
  /** Another transaction holds what it needs, for longer than the server waits. */
  | 'locked'
  /** Stopped by a request of this side, or by a limit of the server. */
  | 'stopped'
  | 'no table'
  /** The statement is wrong. */
  | 'refused'
  /** The server itself failed; a later try may succeed. */
  | 'failed';

/** Reads the errors of one client library and its server. */
export interface ErrorReader {
  /** Undefined: an error of the network or of TLS. */
  connecting(error: unknown): ConnectError | undefined;
  /** `bound`: the statement, when it is known. */
  statement(error: unknown, bound?: Bound): StatementError;
  /** What a message says beside the text of the error; undefined: nothing. */
  detail(error: unknown, bound?: Bound): string | undefined;
  /** The columns whose value the server may have refused: one when it is known, each name once. */
  suspects(error: unknown, bound: Bound): readonly string[];
}

/** Gives an error of a client library its code and says what to do about it. */
export function serverFailure(error: unknown, connector: string, reader: ErrorReader, moment: Moment): Failure {
  if (error instanceof Failure) return error.within({ connector });
  const failure: MakeFailure = (code: FailureCode, text: string, retriable?: boolean, more: FailureOptions = {}) =>
    new Failure(code, text, { cause: error, at: { connector }, retriable, ...more });
  return moment.doing === 'connect'
    ? connectFailure(error, connector, reader, moment.address, failure)
    : statementFailure(error, connector, reader, moment, failure);
}

function connectFailure(
  error: unknown,
  connector: string,
  reader: ErrorReader,
  address: Address,
  failure: MakeFailure,
): Failure {
  const place = `database "${connector}" at ${address.host}:${address.port}`;
  const message = messageOf(error);
  const text = {
    credentials: `${place} refused the credentials of user "${address.user}": ${message}`,
    busy: `every connection to ${place} was busy for ${address.connectTimeout} ms; raise \`pool.max\`, or look for statements that take long`,
  };
  switch (reader.connecting(error)) {
    case 'busy':
      return failure('connector_busy', text.busy);
    case 'credentials':
      return failure('connector_refused', text.credentials, false);
    case 'no database':
      return failure('connector_refused', `${place} has no database "${address.database}"`, false);
    case 'refused':
      return failure('connector_refused', `${place} takes no connection: ${message}`);
    default:
      return unreachable(error, place, address, failure);
  }
}

function statementFailure(
  error: unknown,
  connector: string,
  reader: ErrorReader,
  { bound, lost }: Extract<Moment, { doing: 'statement' }>,
  failure: MakeFailure,
): Failure {
  const message = messageOf(error);
  const database = `database "${connector}"`;
  const meaning = reader.statement(error, bound);
  switch (meaning) {
    case 'lost':
      return lost === 'repeatable'
        ? failure('connector_refused', `the connection to ${database} was lost: ${message}`)
        : failure(
            'outcome_unknown',
            `the connection to ${database} was lost before it answered; ${unknown}: ${message}`,
          );
    case 'constraint': {
      const detail = reader.detail(error, bound);
      return failure('constraint_violated', detail === undefined ? message : `${message}: ${detail}`);
    }
    case 'value':
      return bound?.columns === undefined
        ? failure('connector_failed', `${database} cannot use a value: ${message}`, false, { passes: 'never' })
        : refusedValue(message, reader.suspects(error, bound), error).within({ connector });
    case 'passing':
      return failure('connector_failed', `${database} could not finish the statement: ${message}`);
    case 'locked':
      return failure('connector_busy', `${database} did not get a lock that another transaction holds: ${message}`);
    case 'stopped':
      return failure('connector_timeout', `${database} stopped the statement: ${message}`);
    case 'no table': {
      const advice = 'Run `svc migrate` if a migration creates it, or correct the name';
      return failure('connector_failed', `${message} in ${database}. ${advice}`, false, { isTargetMissing: true });
    }
    default:
      return failure('connector_failed', `${database} refused the statement: ${message}`, meaning === 'failed');
  }
}

/** Names the field whose value the server could not use, as far as it is known. */
function refusedValue(message: string, names: readonly string[], cause: unknown): Failure {
  const fields = names.map((field) => ({
    field,
    code: 'type_mismatch',
    message: names.length === 1 ? `"${field}": ${message}` : `"${field}" may be what the database refuses: ${message}`,
  }));
  return refused(fields, cause);
}

const unknown = 'the write may or may not have happened';

/** The time of a statement was over before the server answered. */
export function lateFailure(connector: string, timeout: number): Failure {
  return new Failure('connector_timeout', lateText(connector, timeout));
}

/** The same of a write: only the error that the server answers then can say that it was stopped before it was done. */
export function lateWriteFailure(error: unknown, connector: string, reader: ErrorReader, timeout: number): Failure {
  if (reader.statement(error) === 'stopped') return lateFailure(connector, timeout);
  return new Failure('outcome_unknown', `${lateText(connector, timeout)}; ${unknown}`, { cause: error });
}

/** The time of a statement was over before there was a connection for it. */
export function busyFailure(connector: string, timeout: number): Failure {
  const text = `database "${connector}" had no free connection within ${timeout} ms; raise \`pool.max\`, or look for statements that take long`;
  return new Failure('connector_busy', text, { at: { connector } });
}

function lateText(connector: string, timeout: number): string {
  return `database "${connector}" did not answer within ${timeout} ms`;
}
