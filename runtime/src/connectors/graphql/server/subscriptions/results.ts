import { type ExecutionResult, GraphQLError } from 'graphql';
import { asFailure } from '../../../../errors/classify.ts';
import type { Log } from '../../../../observe/log.ts';
import type { Prepared } from '../execution/documents.ts';
import { formatError } from '../execution/errors.ts';
import type { Asker } from '../execution/field-message.ts';
import type { FieldContext } from '../execution/resolvers.ts';
import type { Subscription } from './subscription.ts';

/** The root value with which the document of a subscription is executed for one event. */
export interface EventRoot {
  readonly event: unknown;
}

export interface ResultOptions {
  readonly production: boolean;
  readonly log: Log;
}

/**
 * What one event is for the documents of its subscribers: executed and encoded once for each document and variables,
 * unless a flow was asked for a field below, since that may answer everybody something else.
 */
export class EventResults {
  readonly #root: EventRoot;
  readonly #options: ResultOptions;
  readonly #shared = new Map<Prepared, Map<string, Buffer>>();

  constructor(event: unknown, options: ResultOptions) {
    this.#root = { event };
    this.#options = options;
  }

  /** Never throws and never rejects. */
  of(subscription: Subscription): Buffer | Promise<Buffer> {
    const { asked, key } = subscription;
    const { prepared } = asked;
    const known = this.#shared.get(prepared)?.get(key);
    if (known !== undefined) return known;
    const context = new EventContext(subscription);
    const failed = (error: unknown) => this.#failure(error);
    try {
      const result = prepared.run.query(this.#root, context, context.variables);
      if (result instanceof Promise) return result.then((late) => this.#encode(late)).catch(failed);
      const encoded = this.#encode(result);
      if (!context.isOwn) this.#share(prepared, key, encoded);
      return encoded;
    } catch (error) {
      return failed(error);
    }
  }

  #share(prepared: Prepared, key: string, encoded: Buffer): void {
    const known = this.#shared.get(prepared);
    if (known === undefined) this.#shared.set(prepared, new Map([[key, encoded]]));
    else known.set(key, encoded);
  }

  #encode(result: ExecutionResult): Buffer {
    return encodeResult(result, this.#options.production);
  }

  #failure(error: unknown): Buffer {
    const failure = asFailure(error);
    this.#options.log.error('an event could not be made ready for a subscriber', {
      code: failure.code,
      error: failure.message,
    });
    return this.#encode({ errors: [new GraphQLError(failure.message, { originalError: failure })] });
  }
}

/** Knows whether a flow was asked on behalf of the subscriber. */
class EventContext implements FieldContext {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly answers = new Map<string, unknown>();
  readonly contents = undefined;
  isOwn = false;
  readonly #subscription: Subscription;

  constructor(subscription: Subscription) {
    this.variables = subscription.request.variables;
    this.#subscription = subscription;
  }

  get asker(): Asker {
    this.isOwn = true;
    return this.#subscription.asker();
  }
}

/** A result as its caller reads it, in JSON. */
export function encodeResult({ data, errors }: ExecutionResult, production: boolean): Buffer {
  const formatted = errors && { errors: errors.map((error) => formatError(error, production)) };
  return Buffer.from(JSON.stringify({ ...(data !== undefined && { data }), ...formatted }));
}
