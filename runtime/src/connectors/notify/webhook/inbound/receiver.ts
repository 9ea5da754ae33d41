import { randomUUID } from 'node:crypto';
import { Fields } from '@svc/protocol/cel';
import type { HttpExchange, Refusal, RefusalForm } from '../../../../foundation/contracts/http.ts';
import { anonymous } from '../../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../../foundation/contracts/outcome.ts';
import { failureOf } from '../../../../foundation/errors/answered.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Log } from '../../../../foundation/observe/log.ts';
import { copyOf } from '../../../../platform/formats/copy.ts';
import type { Codec } from '../../../../platform/formats/registry.ts';
import { readBody } from '../../../../platform/http/body/body.ts';
import { refusal } from '../../../../platform/http/refusal.ts';
import type { AddressRanges } from '../../../../platform/net/addresses/address-ranges.ts';
import type { ClientDriver } from '../../../intake/clients/client-driver.ts';
import type { Delivery } from '../../../intake/driver.ts';
import { type SignatureRules, signatureProblem } from '../signature.ts';
import { idOf, readEvent, typeOf } from './event.ts';
import { received } from './spec.ts';

export interface ReceiverRules {
  /** Undefined: everybody is believed. */
  readonly signature: SignatureRules | undefined;
  readonly signatureHeader: string;
  readonly timestampHeader: string;
  /** Undefined: any address. */
  readonly allowed: AddressRanges | undefined;
  /** Proxies that name the address; undefined: those of the service. */
  readonly trusted: AddressRanges | undefined;
  readonly timeout: number;
  readonly maxBody: number;
}

export interface ReceiverServices {
  readonly driver: ClientDriver;
  readonly codecs: () => ReadonlyMap<string, Codec>;
  readonly now: () => number;
  readonly log: Log;
}

const plain = 'text/plain; charset=utf-8';

/** Checks requests, hands them to the flows, and answers when these have ended. */
export class Receiver {
  readonly #rules: ReceiverRules;
  readonly #services: ReceiverServices;
  #isOpen = false;

  constructor(rules: ReceiverRules, services: ReceiverServices) {
    this.#rules = rules;
    this.#services = services;
  }

  open(): void {
    this.#isOpen = true;
  }

  /** What comes from now on is refused; its sender tries again. */
  close(): void {
    this.#isOpen = false;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  handle(exchange: HttpExchange): void {
    const { allowed, trusted, maxBody } = this.#rules;
    const { driver } = this.#services;
    if (!this.#isOpen || !driver.takes(received)) return refuse(exchange, new Failure('overloaded', 'Not available'));
    const source = exchange.clientAddress(trusted);
    if (allowed !== undefined && !allowed.has(source))
      return this.#turnAway(exchange, source, 403, 'Forbidden', 'its address is not allowed');
    const encoding = exchange.request.headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
      return refuse(exchange, new Failure('media_type_unsupported', 'Content-Encoding is not accepted'));
    readBody(exchange, maxBody, (body) => {
      if (body instanceof Failure) refuse(exchange, body);
      else this.#check(exchange, source, body);
    });
  }

  #check(exchange: HttpExchange, source: string, bytes: Buffer): void {
    const { signature, signatureHeader, timestampHeader } = this.#rules;
    const { headers } = exchange.request;
    const { now } = this.#services;
    if (signature !== undefined) {
      const signed = {
        signature: one(headers[signatureHeader]),
        timestamp: one(headers[timestampHeader]),
        body: bytes,
      };
      const problem = signatureProblem(signed, signature, now());
      if (problem !== undefined) return this.#turnAway(exchange, source, 401, 'Invalid signature', problem);
    }
    try {
      const body = readEvent(bytes, headers['content-type'], this.#services.codecs());
      if (!(body instanceof Promise)) return this.#deliver(exchange, source, body);
      body.then(
        (late) => this.#deliver(exchange, source, late),
        (error: unknown) => refuse(exchange, error),
      );
    } catch (error) {
      refuse(exchange, error);
    }
  }

  #deliver(exchange: HttpExchange, source: string, body: unknown): void {
    const { driver, now } = this.#services;
    const { headers } = exchange.request;
    const id = randomUUID();
    const input = new Fields() as Record<string, unknown>;
    input['id'] = id;
    const type = typeOf(headers, body);
    if (type !== undefined) input['type'] = type;
    input['source'] = source;
    input['timestamp'] = new Date(now()).toISOString();
    input['headers'] = copyOf(headers);
    input['body'] = body;
    const delivery: Delivery = {
      key: received,
      id: idOf(headers),
      tries: 0,
      returnable: false,
      timeout: this.#rules.timeout,
      identity: () => idOf(headers) ?? '',
      // Every flow changes an input of its own.
      message: () => {
        const own = driver.isTakenByOne(received) ? input : (copyOf(input) as typeof input);
        return { input: own, auth: anonymous, addressed: [] };
      },
      answer: (end) => answer(exchange, id, end),
      settle: () => driver.settled(),
    };
    driver.offer(delivery);
  }

  #turnAway(exchange: HttpExchange, source: string, status: number, says: string, reason: string): void {
    this.#services.log.debug('a webhook was refused', { source, reason });
    exchange.send(status, plain, says);
  }
}

function answer(exchange: HttpExchange, id: string, end: Outcome | Failure): void {
  if (!(end instanceof Failure) && end.kind !== 'failed') {
    exchange.send(200, 'application/json; charset=utf-8', `{"received":true,"id":"${id}"}`);
    return;
  }
  // Its sender reads nothing of what the flow wrote, so that the log has it.
  const failure = end instanceof Failure ? end : new Failure('flow_failed', failureOf(end).message);
  refuse(exchange, failure, ['overloaded', 'request_timeout'].includes(failure.code) ? undefined : 500);
}

/** A refusal is a text, with the status of the failure. What failed is in the log. */
export const refusalText: RefusalForm = (failure, production) => asText(failure, production, undefined);

function asText(failure: Error, production: boolean, status: number | undefined): Refusal {
  const usual = refusal(failure, production);
  const given = status ?? usual.status;
  const says = given === 500 ? 'Handler error' : given > 500 ? 'Not available' : asFailure(failure).message;
  return { ...usual, status: given, contentType: plain, body: says };
}

function refuse(exchange: HttpExchange, error: unknown, status?: number): void {
  exchange.refuse(error, undefined, (failure, production) => asText(failure, production, status));
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value;
}
