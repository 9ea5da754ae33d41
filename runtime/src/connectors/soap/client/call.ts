import { Fields as OwnFields } from '@svc/protocol/cel';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { CallDescription, CallRequest } from '../../../foundation/contracts/target.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { RequestForm } from '../../../platform/formats/wsdl/requests.ts';
import type { Access } from '../../../platform/net/client/access.ts';
import { sendTried } from '../../../platform/net/client/send.ts';
import { fixedHeaders, sentHeaders } from '../../../platform/net/client/sent-headers.ts';
import { HttpFailure } from '../../../platform/net/request.ts';
import { actionOf, type SoapVersion, versions } from '../envelope/version.ts';
import { envelopeText, operationElement } from '../envelope/write.ts';
import { checkName } from '../operation.ts';
import { securityBlock, type TokenCredentials } from '../security/sent-token.ts';
import { readAnswer } from './answer.ts';
import { operationOf } from './asked-operation.ts';
import { type DescribedPeer, unknownOperation, unknownParameter } from './described.ts';
import { describedFields } from './described-fields.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What every call of one connector shares once it is open. */
export interface Peer extends Access {
  readonly name: string;
  /** Path of the endpoint, with its query and a key that goes there. */
  readonly path: string;
  readonly version: SoapVersion;
  /** What is written of every operation; undefined where the description says it. */
  readonly namespace: string | undefined;
  /** Whether the elements inside that of the operation have its namespace. */
  readonly isQualified: boolean | undefined;
  /** What the file says of the service, with its path; undefined without one. */
  readonly described: (DescribedPeer & { readonly file: string }) | undefined;
  readonly production: boolean;
  readonly security: TokenCredentials | undefined;
}

/** One place that calls an operation. */
export class SoapCall {
  readonly #open: () => Peer;
  readonly #description: CallDescription;
  /** Undefined: it comes with each message. */
  readonly #operation: string | undefined;

  /** `open` gives the peer once the connector is open. Throws for an operation that no element can be named after. */
  constructor(open: () => Peer, description: CallDescription, connector: string) {
    this.#open = open;
    this.#description = description;
    this.#operation = operationOf(description.operation, description.target);
    const problem = this.#operation === undefined ? undefined : checkName(this.#operation);
    if (problem !== undefined)
      throw new Failure('connector_failed', `the operation ${problem}`, { at: { connector }, retriable: false });
  }

  /** Throws a Failure where the description does not have the operation. */
  check({ name: connector, described }: Peer): void {
    const { flow, label } = this.#description;
    if (this.#operation === undefined || described === undefined || described.operations.has(this.#operation)) return;
    const { message, help } = unknownOperation(described, this.#operation, described.file);
    throw new Failure('connector_failed', `flow "${flow}": ${label}: ${message}. ${help}`, {
      at: { connector },
      retriable: false,
    });
  }

  /**
   * Rejects with `upstream_error` for a fault and for a status of 400 or more, and with `outcome_unknown` for a request that
   * was sent and whose answer did not come or cannot be used, unless it reads.
   */
  async execute(request: CallRequest): Promise<CallResult> {
    const peer = this.#open();
    const { verb } = this.#description;
    try {
      const value = await this.#send(peer, this.#named(request), request);
      if (verb === 'call') return { value };
      return verb === 'read' ? { rows: [value] } : { rows: [value], affected: 1 };
    } catch (error) {
      throw asFailure(this.#unknown(error), { connector: peer.name });
    }
  }

  #named({ target }: CallRequest): string {
    if (this.#operation !== undefined) return this.#operation;
    const problem = target === undefined ? 'must be named by the message' : checkName(target);
    if (problem !== undefined) throw new Failure('value_refused', `the operation ${problem}`);
    return (target as string).trim();
  }

  #send(peer: Peer, operation: string, request: CallRequest): Promise<Fields> {
    const { version, security, path, services } = peer;
    const { namespace, isQualified, action, fields } = askedOf(peer, operation, fieldsOf(this.#description, request));
    const body = envelopeText({
      version,
      headers: security && securityBlock(security, services.clock.now()),
      body: operationElement(namespace, operation, fields, isQualified),
    });
    if (services.log.enabled('debug'))
      services.log.debug('soap request', {
        connector: peer.name,
        operation,
        size_bytes: Buffer.byteLength(body),
        top_level_keys: Object.keys(fields),
      });
    return sendTried(peer, {
      method: 'POST',
      path,
      headers: sentHeaders(headersOf(peer, action), request, request.headers),
      body,
      timeout: this.#description.timeout,
      signal: request.signal,
      isSafe: false,
      read: (answer) => readAnswer(answer, services.clock.now()),
    });
  }

  /** A request that may have been carried out is said to be one that may have been. */
  #unknown(error: unknown): unknown {
    if (!(error instanceof HttpFailure) || !error.sent || this.#description.verb === 'read') return error;
    if (error.upstream !== undefined || error.code === 'cancelled') return error;
    return new Failure('outcome_unknown', `${error.message}; whether the operation was carried out is not known`, {
      cause: error,
    });
  }
}

/** How an operation is asked for: as its description says, else as it is written. Throws a Failure for what that does not have. */
function askedOf(peer: Peer, operation: string, fields: Fields) {
  const { described, namespace, isQualified = false } = peer;
  if (described === undefined) return { namespace, isQualified, action: actionOf(namespace, operation), fields };
  const form = described.operations.get(operation);
  if (form === undefined) {
    const { message, help } = unknownOperation(described, operation, described.file);
    throw new Failure('value_refused', `${message}. ${help}`);
  }
  const own = namespace ?? form.namespace;
  const ordered = inOrder(peer, form, fields);
  // What is written in the configuration is for all elements.
  const isOwn = namespace !== undefined || peer.isQualified !== undefined || form.elements === undefined;
  return {
    namespace: own,
    isQualified: peer.isQualified ?? form.isQualified,
    action: form.action ?? actionOf(own, operation),
    fields: isOwn ? ordered : describedFields(ordered, form.elements, form.isQualified ? own : undefined),
  };
}

/**
 * Parameters in the order of the schema. One that the operation does not have is an error while a service is made, and left
 * out where it serves others.
 */
function inOrder({ name: connector, production, services }: Peer, form: RequestForm, fields: Fields): Fields {
  const { name: operation, parameters } = form;
  if (parameters === undefined) return fields;
  const ordered = new OwnFields();
  for (const name of Object.keys(fields)) {
    const unknown = unknownParameter(form, name);
    if (unknown === undefined) {
      if (!parameters.includes(name)) ordered[name] = fields[name];
      continue;
    }
    if (!production) throw new Failure('value_refused', `${unknown.message}. ${unknown.help}`);
    services.log.warn('a parameter is not in the operation', { connector, operation, field: name });
  }
  for (const name of parameters) if (Object.hasOwn(fields, name)) ordered[name] = fields[name];
  return ordered;
}

/** A call sends its payload, else its parameters; everything else sends filters, parameters and payload together. */
function fieldsOf({ verb }: CallDescription, { filters, params, payload }: CallRequest): Fields {
  const named = Array.isArray(params) ? undefined : (params as Fields | undefined);
  if (verb === 'call') return payload !== undefined && Object.keys(payload).length > 0 ? payload : (named ?? {});
  return { ...filters, ...named, ...payload };
}

function headersOf({ version, headers }: Peer, action: string) {
  const { contentType, mediaType } = versions[version];
  // A quoted text of ASCII: what is not is written as an address has it.
  const quoted = `"${encodeURI(action.toWellFormed()).replaceAll('%25', '%')}"`;
  const own: [string, string][] =
    version === '1.1'
      ? [
          ['content-type', contentType],
          ['soapaction', quoted],
        ]
      : [['content-type', `${contentType}; action=${quoted}`]];
  return fixedHeaders(new Map([['accept', mediaType], ...own, ...headers]));
}
