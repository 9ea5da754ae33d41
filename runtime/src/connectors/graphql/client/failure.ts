import { HttpFailure } from '../../../platform/net/request.ts';

/** An error as a server reports it. */
export interface ReportedError {
  readonly message: string;
  readonly extensions?: unknown;
}

interface Answered {
  readonly status: number;
  /** Its beginning. */
  readonly body: string;
  readonly retryAfter: number | undefined;
}

/** Codes that servers agree on (`extensions.code`), and the status that means the same. */
const statusOf: Readonly<Record<string, number>> = {
  GRAPHQL_PARSE_FAILED: 400,
  GRAPHQL_VALIDATION_FAILED: 400,
  BAD_USER_INPUT: 400,
  BAD_REQUEST: 400,
  OPERATION_RESOLUTION_FAILURE: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  INTERNAL_SERVER_ERROR: 500,
};

/** Characters of the messages of all errors together, and of their count. */
const longestText = 4096;
const mostMessages = 20;

/**
 * Errors that a server answered with. Its status is that of HTTP where that is an error, else what the codes of all its
 * errors say.
 */
export class GraphqlFailure extends HttpFailure {
  readonly errors: readonly ReportedError[];

  constructor(errors: readonly ReportedError[], { status, body, retryAfter }: Answered) {
    const isUnknown = errors.some(isUnknownHash) || errors.some(isHashRefused);
    const meant = status >= 400 ? status : codedStatus(errors);
    super('upstream_error', textOf(errors), true, {
      upstream: { status: meant ?? status, body },
      retryAfter,
      ...(isUnknown && { retriable: false }),
    });
    this.errors = errors;
  }

  /** The server does not know the document of a hash. */
  get isUnknownDocument(): boolean {
    return this.errors.some(isUnknownHash);
  }

  /** The server takes no hashes. */
  get takesNoHashes(): boolean {
    return this.errors.some(isHashRefused);
  }
}

/** The errors of an answer; undefined for what is not a list of errors. */
export function messagesOf(errors: unknown): readonly ReportedError[] | undefined {
  if (!Array.isArray(errors)) return errors === null ? [] : undefined;
  const isError = (each: unknown) =>
    typeof each === 'object' && each !== null && typeof (each as { readonly message?: unknown }).message === 'string';
  return errors.every(isError) ? (errors as readonly ReportedError[]) : undefined;
}

/** Their messages in one text. */
export function textOf(errors: readonly ReportedError[]): string {
  const shown = errors.slice(0, mostMessages).map(({ message }) => message);
  if (errors.length > mostMessages) shown.push(`and ${errors.length - mostMessages} more`);
  return shown.join('; ').slice(0, longestText);
}

function codedStatus(errors: readonly ReportedError[]): number | undefined {
  const statuses = errors.map((error) => statusOf[codeOf(error) ?? '']);
  return statuses.every((status) => status !== undefined) ? statuses[0] : undefined;
}

/** The code that a server gives an error. */
function codeOf({ extensions }: ReportedError): string | undefined {
  const code = (extensions as { readonly code?: unknown } | undefined | null)?.code;
  return typeof code === 'string' && Object.hasOwn(statusOf, code) ? code : undefined;
}

function isUnknownHash(error: ReportedError): boolean {
  return error.message === 'PersistedQueryNotFound' || hasCode(error, 'PERSISTED_QUERY_NOT_FOUND');
}

function isHashRefused(error: ReportedError): boolean {
  return error.message === 'PersistedQueryNotSupported' || hasCode(error, 'PERSISTED_QUERY_NOT_SUPPORTED');
}

function hasCode({ extensions }: ReportedError, code: string): boolean {
  return (extensions as { readonly code?: unknown } | undefined | null)?.code === code;
}
