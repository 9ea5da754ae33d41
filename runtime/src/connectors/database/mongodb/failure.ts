import { Failure } from '../../../foundation/errors/failure.ts';
import type { FailureCode } from '../../../foundation/errors/failures.ts';
import { refusedValue } from './documents/refused.ts';

/** What an operation was doing when its error came. */
export interface Attempt {
  readonly connector: string;
  /** Where the server is, for people. */
  readonly address: string;
  /** Something is changed: without an answer it is unknown whether it was. */
  readonly writes: boolean;
  /** Whether a write has left; absent: that is not known. */
  readonly wasSent?: (() => boolean) | undefined;
  /** It may have been done in part when the server reports an error. */
  readonly isMany?: boolean | undefined;
  /** Milliseconds that it may take; 0 for ever. */
  readonly timeout: number;
}

/** Errors of the driver and the server, as far as they are read. */
interface DriverError extends Error {
  readonly code?: unknown;
  readonly hasErrorLabel?: (label: string) => boolean;
  readonly reason?: { readonly servers?: ReadonlyMap<string, { readonly error?: Error | null }> };
  /** What the server said, where the driver gives its own advice instead. */
  readonly originalError?: { readonly code?: unknown; readonly message: string };
  readonly result?: { readonly insertedCount?: number };
  /** Of many documents: what the server answered, or the error because of which it did not. */
  readonly errorResponse?: unknown;
}

/** What the server's codes mean. */
const codes = {
  constraint: [11_000, 11_001, 12_582, 121],
  late: [50, 262],
  credentials: [18, 11],
  /** Another operation was at the same document: a later try may succeed. */
  passing: [112, 24, 46, 225, 43, 237, 246, 251],
  /** The server did nothing, since another one is the primary. */
  elsewhere: [10_107, 13_435, 13_436, 10_058],
  /** The server stops, or steps down: what it was doing may have been done. */
  interrupted: [91, 189, 11_600, 11_602, 6, 7, 89, 9001, 64, 79],
  tooLarge: [10_334, 17_280, 17_419],
} as const;

const unknown = 'the write may or may not have happened';

/** Gives an error of the driver its code, and says what to do about it. */
export function mongodbFailure(error: unknown, attempt: Attempt): Failure {
  const { connector } = attempt;
  if (error instanceof Failure) return error.within({ connector });
  const make: Make = (code, text, retriable) =>
    new Failure(code, text, { cause: error, at: { connector }, ...(retriable !== undefined && { retriable }) });
  if (!(error instanceof Error)) return make('connector_failed', `database "${connector}": ${String(error)}`);
  const found = ofExchange(error);
  if (found !== error) return mongodbFailure(found, attempt);
  if (found.hasErrorLabel?.('UnknownTransactionCommitResult') === true)
    return make('outcome_unknown', `database "${connector}" did not say whether it committed: ${error.message}`);
  const said = found.originalError ?? found;
  if (said.code === 20) return standaloneFailure(connector, said.message, make);
  return typeof found.code === 'number' && !isNetwork(found)
    ? serverFailure(found, found.code, attempt, make)
    : clientFailure(found, attempt, make);
}

/** The driver gives an exchange of many documents that broke an error of another kind around that of the connection. */
function ofExchange(error: DriverError): DriverError {
  return error.name === 'MongoBulkWriteError' && error.errorResponse instanceof Error ? error.errorResponse : error;
}

type Make = (code: FailureCode, text: string, retriable?: boolean) => Failure;

function serverFailure(error: DriverError, code: number, attempt: Attempt, make: Make): Failure {
  const { connector, writes, isMany = false, timeout } = attempt;
  const database = `database "${connector}"`;
  const { message } = error;
  const isOf = (kind: keyof typeof codes) => (codes[kind] as readonly number[]).includes(code);
  if (isOf('constraint')) return make('constraint_violated', withCount(message, error));
  if (isOf('late'))
    return writes && isMany
      ? make('outcome_unknown', `${database} stopped the operation after ${timeout} ms; ${unknown} in part`)
      : make('connector_timeout', `${database} stopped the operation after ${timeout} ms`);
  if (isOf('credentials')) return make('connector_refused', `${database} refused the credentials: ${message}`, false);
  if (isOf('passing')) return make('connector_failed', `${database} could not finish the operation: ${message}`, true);
  if (isOf('elsewhere')) return make('connector_refused', `${database} is not the primary: ${message}`);
  if (isOf('interrupted'))
    return writes
      ? make('outcome_unknown', `${database} was interrupted; ${unknown}: ${message}`)
      : make('connector_refused', `${database} was interrupted: ${message}`);
  if (isOf('tooLarge') || message.startsWith('object to insert too large'))
    return refusedValue('document', 'too_large', `is larger than the server takes: ${message}`);
  if (code === 263) return make('connector_failed', `${database} does not do this in a transaction: ${message}`, false);
  if (code === 40_573)
    return make('connector_failed', `${database} is not a replica set, and has no changes to take`, false);
  return make('connector_failed', `${database} refused the operation: ${message}`, false);
}

function standaloneFailure(connector: string, message: string, make: Make): Failure {
  const text = `database "${connector}" is not a replica set, which this needs: ${message}`;
  return make('connector_failed', text, false);
}

function clientFailure(error: DriverError, attempt: Attempt, make: Make): Failure {
  const { connector, address, writes, timeout } = attempt;
  const place = `database "${connector}" at ${address}`;
  const { name, message } = error;
  const lost = `the connection to ${place} was lost before it answered; ${unknown}: ${message}`;
  if (error.hasErrorLabel?.('NoWritesPerformed') === true)
    return make('connector_refused', `the connection to ${place} was lost: ${message}`);
  // The driver sends a write again, and there was no connection for that.
  if (writes && attempt.wasSent?.() === true && /ServerSelection|Pool|Client|NotConnected|Topology/.test(name))
    return make('outcome_unknown', lost);
  if (name === 'MongoServerSelectionError') {
    const inner = [...(error.reason?.servers?.values() ?? [])].find((server) => server.error)?.error;
    const why = inner?.message ?? message;
    return make('connector_refused', `${place} cannot be reached: ${why}`, !isTls(inner ?? error));
  }
  if (/PoolCleared|PoolClosed|ClientClosed|NotConnected|TopologyClosed/.test(name))
    return make('connector_refused', `the connection to ${place} was lost: ${message}`);
  if (/WaitQueueTimeout/.test(name)) return make('connector_busy', `${place} had no free connection: ${message}`);
  if (isNetwork(error)) {
    if (writes) return make('outcome_unknown', lost);
    return /Timeout/.test(name)
      ? make('connector_timeout', `${place} did not answer within ${timeout} ms`)
      : make('connector_refused', `the connection to ${place} was lost: ${message}`);
  }
  if (name === 'MongoInvalidArgumentError')
    return refusedValue('document', 'type_mismatch', `cannot be sent: ${message}`);
  return make('connector_failed', `database "${connector}": ${message}`, false);
}

/** The time of an operation was over before the server answered. */
export function lateFailure({ connector, writes, timeout }: Attempt): Failure {
  const text = `database "${connector}" did not answer within ${timeout} ms`;
  return writes
    ? new Failure('outcome_unknown', `${text}; ${unknown}`, { at: { connector } })
    : new Failure('connector_timeout', text, { at: { connector } });
}

/** The connector was closed while the operation was under way. */
export function closedFailure({ connector, writes }: Attempt): Failure {
  const text = `database "${connector}" is being closed`;
  return writes
    ? new Failure('outcome_unknown', `${text}; ${unknown}`, { at: { connector } })
    : new Failure('connector_refused', text, { at: { connector } });
}

/** Nothing came that can be read as an answer. Some errors of sockets come as they are. */
function isNetwork({ name, code, message }: DriverError): boolean {
  const isSystem =
    typeof code === 'string' && /^(?:E[A-Z]+|ERR_(?:SOCKET|STREAM|OUT_OF_RANGE|BUFFER_OUT_OF_BOUNDS)\w*)$/.test(code);
  return (
    isSystem ||
    // An answer whose lengths are wrong is read past its end.
    (name === 'RangeError' && /buffer|offset|range/i.test(message)) ||
    /^(?:MongoNetwork|MongoParse|MongoUnexpected|BSON)/.test(name) ||
    name === 'MongoOperationTimeoutError'
  );
}

function isTls(error: Error): boolean {
  const { code } = (error.cause ?? error) as { readonly code?: unknown };
  return /CERT|SSL|TLS|SIGNATURE|EPROTO/.test(String(code)) || /SSL|TLS|certificate|altnames/i.test(error.message);
}

/** Of many documents, those before the one that failed are there. */
function withCount(message: string, { result }: DriverError): string {
  const count = result?.insertedCount ?? 0;
  return count > 0 ? `${message}; ${count} documents before it were inserted` : message;
}
