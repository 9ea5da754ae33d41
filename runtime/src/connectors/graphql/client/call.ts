import { createHash } from 'node:crypto';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { CallDescription, CallRequest } from '../../../foundation/contracts/target.ts';
import type { FixedWords } from '../../../foundation/contracts/words.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { encodeJson } from '../../../platform/formats/json.ts';
import type { Codec } from '../../../platform/formats/registry.ts';
import type { Access } from '../../../platform/net/client/access.ts';
import { sendTried } from '../../../platform/net/client/send.ts';
import {
  type FixedHeaders,
  fixedHeaders,
  type SentHeaders,
  sentHeaders,
} from '../../../platform/net/client/sent-headers.ts';
import { HttpFailure } from '../../../platform/net/request.ts';
import type { AskedDocument } from '../document/parse.ts';
import { failureOf, isFields, type Response, readResponse, rowsOf } from './answer.ts';
import { GraphqlFailure } from './failure.ts';
import type { spokenWords } from './spec.ts';
import { variablesOf } from './variables.ts';

/** What every call of one connector shares once it is open. */
export interface Peer extends Access {
  readonly name: string;
  /** Path of the endpoint, with its query and a key that goes there. */
  readonly path: string;
  readonly errors: 'fail' | 'data';
  /** Whether documents go by their hash; false from then on when the server takes none. */
  persisted: boolean;
  readonly json: Codec;
  readonly services: Pick<ConnectorServices, 'clock' | 'log'>;
}

export type GraphqlDescription = CallDescription<FixedWords<typeof spokenWords>>;

/** The document of a call, checked. */
export interface Document extends AskedDocument {
  readonly text: string;
}

/** One place that sends a document: everything that no message changes is decided once. */
export class GraphqlCall {
  readonly #open: () => Peer;
  readonly #document: Document;
  readonly #description: GraphqlDescription;
  readonly #hash: string;
  #headers: FixedHeaders | undefined;

  /** `open` gives the peer once the connector is open. */
  constructor(open: () => Peer, document: Document, description: GraphqlDescription) {
    this.#open = open;
    this.#document = document;
    this.#description = description;
    this.#hash = createHash('sha256').update(document.text).digest('hex');
  }

  /**
   * Rejects with `upstream_error` for errors and for a status of 400 or more, and with `outcome_unknown` for a mutation
   * that was sent and whose answer did not come or cannot be used.
   */
  async execute(request: CallRequest): Promise<CallResult> {
    const peer = this.#open();
    try {
      return this.#result(await this.answer(request), this.#errorsOf(peer));
    } catch (error) {
      throw asFailure(this.#unknown(error, request), { connector: peer.name });
    }
  }

  /** The answer as it is. Rejects with the failure as it came, such as a GraphqlFailure. */
  async answer(request: CallRequest): Promise<Response> {
    const peer = this.#open();
    const { clock } = peer.services;
    const end = clock.elapsed() + (this.#description.timeout ?? Number.POSITIVE_INFINITY);
    const variables = variablesOf(this.#document.variables, request);
    const missing = this.#document.variables.find(({ name, isRequired }) => isRequired && variables[name] == null);
    if (missing !== undefined)
      throw new Failure('value_refused', `the variable $${missing.name} of the document has no value`);
    this.#headers ??= headersOf(peer);
    const headers = sentHeaders(this.#headers, request, request.headers);
    const send = (body: Readonly<Record<string, unknown>>) =>
      this.#send(peer, encodeJson(body), headers, request, end - clock.elapsed());
    const { name, text: query } = this.#document;
    const common = { ...(name !== undefined && { operationName: name }), variables };
    if (!peer.persisted) return send({ query, ...common });
    const extensions = { persistedQuery: { version: 1, sha256Hash: this.#hash } };
    try {
      return await send({ ...common, extensions });
    } catch (error) {
      if (!(error instanceof GraphqlFailure)) throw error;
      if (error.takesNoHashes) {
        peer.persisted = false;
        peer.services.log.warn('the server takes no hashes of documents: persisted has no effect', {
          connector: peer.name,
        });
        return send({ query, ...common });
      }
      if (error.isUnknownDocument) return send({ query, ...common, extensions });
      throw error;
    }
  }

  #send(peer: Peer, body: string, headers: SentHeaders, { signal }: CallRequest, timeout: number): Promise<Response> {
    const { services, json, path } = peer;
    const fails = this.#errorsOf(peer) === 'fail';
    if (services.log.enabled('debug'))
      services.log.debug('graphql request', {
        connector: peer.name,
        operation: this.#document.name ?? this.#document.type,
        size_bytes: Buffer.byteLength(body),
        variables: this.#document.variables.map(({ name }) => name),
      });
    return sendTried(peer, {
      method: 'POST',
      path,
      headers,
      body,
      timeout,
      signal,
      isSafe: this.#document.type === 'query',
      read: async (answer) => {
        const response = await readResponse(answer, json, services.clock.now());
        if (response.errors.length === 0) return response;
        const failure = failureOf(response, answer);
        const isAboutHash = failure.isUnknownDocument || failure.takesNoHashes;
        const isRefused = failure.upstream?.status === 401 && peer.tokens !== undefined;
        if (fails || isAboutHash || isRefused) throw failure;
        return response;
      },
    });
  }

  /** A mutation that may have been carried out is said to be one that may have been. */
  #unknown(error: unknown, { headers = {} }: CallRequest): unknown {
    if (!(error instanceof HttpFailure) || !error.sent || this.#document.type === 'query') return error;
    if (error.upstream !== undefined || error.code === 'cancelled') return error;
    const isKeyed =
      this.#headers?.names.has('idempotency-key') === true ||
      Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key');
    if (isKeyed) return error;
    return new Failure('outcome_unknown', `${error.message}; whether the mutation was carried out is not known`, {
      cause: error,
    });
  }

  #errorsOf({ errors }: Peer): Peer['errors'] {
    return this.#description.words?.errors ?? errors;
  }

  #result({ data, errors }: Response, mode: Peer['errors']): CallResult {
    const { verb } = this.#description;
    const affected = verb === 'call' || verb === 'read' ? undefined : { affected: 1 };
    if (mode === 'data')
      return verb === 'call' ? { value: { data, errors } } : { rows: [{ data, errors }], ...affected };
    if (verb === 'call') return { value: data };
    return { rows: isFields(data) ? rowsOf(data) : [], ...affected };
  }
}

function headersOf({ headers }: Peer): FixedHeaders {
  return fixedHeaders(
    new Map([
      ['accept', 'application/graphql-response+json, application/json;q=0.9'],
      ['content-type', 'application/json'],
      ...headers,
    ]),
  );
}
