import { type ExecutionResult, GraphQLError } from 'graphql';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import type { ErrorForm } from '../execution/errors.ts';
import type { Asker } from '../execution/field-message.ts';
import type { Prepared } from '../execution/prepared.ts';
import type { Subscription } from './subscription.ts';

export interface ResultOptions {
  readonly errors: ErrorForm;
}

/**
 * What one event is for the documents of its subscribers: executed and encoded once for each document and variables,
 * unless a flow was asked for a field below, since that may answer everybody something else.
 */
export class EventResults {
  readonly #event: unknown;
  readonly #options: ResultOptions;
  readonly #shared = new Map<Prepared, Map<string, Buffer>>();

  constructor(event: unknown, options: ResultOptions) {
    this.#event = event;
    this.#options = options;
  }

  /** Never throws and never rejects. */
  of(subscription: Subscription): Buffer | Promise<Buffer> {
    const { asked, key } = subscription;
    const { prepared } = asked;
    const known = this.#shared.get(prepared)?.get(key);
    if (known !== undefined) return known;
    const asker = new WatchedAsker(subscription.asker());
    const failed = (error: unknown) => this.#failure(error);
    try {
      const result = prepared.execute(asker, subscription.request.variables, { [asked.field.name]: this.#event });
      if (result instanceof Promise) return result.then((late) => this.#encode(late)).catch(failed);
      const encoded = this.#encode(result);
      if (!asker.isAsked) this.#share(prepared, key, encoded);
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
    return encodeResult(result, this.#options.errors);
  }

  #failure(error: unknown): Buffer {
    const failure = asFailure(error);
    return this.#encode({ errors: [new GraphQLError(failure.message, { originalError: failure })] });
  }
}

/** Knows whether a flow was asked on behalf of the subscriber. */
class WatchedAsker implements Asker {
  isAsked = false;
  readonly #asker: Asker;

  constructor(asker: Asker) {
    this.#asker = asker;
  }

  get auth() {
    return this.#own.auth;
  }

  get cancelled() {
    return this.#own.cancelled;
  }

  get timeout() {
    return this.#own.timeout;
  }

  get request() {
    return this.#own.request;
  }

  signal() {
    return this.#own.signal();
  }

  hold() {
    return this.#own.hold();
  }

  get #own(): Asker {
    this.isAsked = true;
    return this.#asker;
  }
}

/** A result as its caller reads it, in JSON. */
export function encodeResult({ data, errors }: ExecutionResult, form: ErrorForm): Buffer {
  const formatted = errors && { errors: form.all(errors) };
  return Buffer.from(JSON.stringify({ ...(data !== undefined && { data }), ...formatted }));
}
