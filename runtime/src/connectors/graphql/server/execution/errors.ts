import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import type { Failure } from '../../../../foundation/errors/failure.ts';
import { logged, type Report, reportOf } from '../../../../foundation/errors/report.ts';
import type { Log } from '../../../../foundation/observe/log.ts';

export interface ErrorFormOptions {
  readonly connector: string;
  readonly production: boolean;
  readonly log: Pick<Log, 'error' | 'warn'>;
}

/** Lines about the values of one result that do not fit their fields. */
const mostLines = 10;

/**
 * Errors as callers read them: those of their document in full, those of flows as far as they may read them. What the
 * service has to answer for is logged, once for each failure, however many fields wait for it.
 */
export class ErrorForm {
  readonly #options: ErrorFormOptions;
  /** What callers read of a failure that was logged. */
  readonly #reports = new WeakMap<object, Report>();

  constructor(options: ErrorFormOptions) {
    this.#options = options;
  }

  /** The errors of one result. */
  all(errors: readonly GraphQLError[]): readonly GraphQLFormattedError[] {
    const unfit = new Set<string>();
    return errors.map((error) => this.#one(error, unfit));
  }

  /** The failure of a request that is answered in the shape of GraphQL. */
  request(error: unknown): { readonly errors: readonly GraphQLFormattedError[] } {
    const failure = asFailure(error);
    return { errors: this.all([new GraphQLError(failure.message, { originalError: failure })]) };
  }

  #one(error: GraphQLError, unfit: Set<string>): GraphQLFormattedError {
    const { locations, path, message } = error;
    const place = { ...(locations && { locations }), ...(path && { path }) };
    const cause = causeOf(error);
    if (cause === undefined) {
      // What an execution says of a value without a cause of its own names nothing but fields and types of the schema.
      if (path !== undefined) this.#unfit(message, path, unfit);
      return { message, ...place, ...(hasExtensions(error) && { extensions: error.extensions }) };
    }
    const failure = asFailure(cause);
    const { text, code, fields, body, requestId } = this.#tell(cause, failure, path);
    const { answered } = failure;
    const extensions = {
      code: code ?? 'internal',
      ...(fields && { fields }),
      ...(answered && { status: answered.status, body }),
      ...(code === undefined && { request_id: requestId }),
    };
    return { message: text, ...place, extensions };
  }

  #tell(cause: unknown, failure: Failure, path: GraphQLError['path']): Report {
    const key = typeof cause === 'object' && cause !== null ? cause : failure;
    const known = this.#reports.get(key);
    if (known !== undefined) return known;
    const { connector, production, log } = this.#options;
    const said = reportOf(failure, production);
    this.#reports.set(key, said);
    // Overload is counted; a line for each of its refusals would add to it.
    if (said.requestId !== undefined && failure.code !== 'overloaded')
      log.error('request failed', {
        connector,
        request_id: said.requestId,
        field: path?.join('.'),
        ...logged(failure),
      });
    return said;
  }

  #unfit(message: string, path: readonly (string | number)[], known: Set<string>): void {
    if (known.has(message) || known.size >= mostLines) return;
    known.add(message);
    const { connector, log } = this.#options;
    log.warn('an answer does not fit its field', { connector, field: path.join('.'), error: message });
  }
}

/** What a resolver threw; undefined: the error is one of GraphQL itself. */
function causeOf({ originalError }: GraphQLError): unknown {
  if (originalError === undefined || originalError === null) return undefined;
  return originalError instanceof GraphQLError ? causeOf(originalError) : originalError;
}

function hasExtensions({ extensions }: GraphQLError): boolean {
  // Errors of compiled documents lack them.
  return Object.keys(extensions ?? {}).length > 0;
}
