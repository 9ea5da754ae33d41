import type { Report } from '../../../foundation/errors/report.ts';
import type { Framing } from '../frames.ts';

/** What a client asks, whatever its envelope looks like. */
export interface TcpRequest {
  /** What operations of flows are matched against. */
  readonly type: string;
  readonly data: unknown;
  /** The client waits for no answer. */
  readonly isEvent: boolean;
  /** The message that answers it. */
  answer(value: unknown, now: number): string | Uint8Array;
  /** The message that says that it failed. */
  refuse(failure: Report, now: number): string | Uint8Array;
}

/** What a server answered, whatever its envelope looks like. */
export interface TcpReply {
  /** That of the request; undefined where the server does not say it. */
  readonly id: string | undefined;
  /** What the server says went wrong; undefined where it answered. */
  readonly error: string | undefined;
  readonly data: unknown;
}

/** One of the protocols: frames and what is in them (docs/specification/tcp.md#envelopes). */
export interface Envelopes {
  readonly framing: Framing;
  /** Every message is answered, also one whose client waits for nothing. */
  readonly answersAll: boolean;
  /** Throws or rejects with a Failure for what is not a request. */
  readRequest(message: Buffer): TcpRequest | Promise<TcpRequest>;
  /** Throws or rejects with a Failure for what is not an answer. */
  readReply(message: Buffer): TcpReply | Promise<TcpReply>;
  /** What a client sends; without an id where it is not answered. `now` in milliseconds since 1970. */
  request(type: string, data: unknown, id: string | undefined, now: number): string | Uint8Array;
  /** What `type` is called in the answer to one that no flow takes. */
  readonly unknown: string;
}

/** A map of decoded data, as far as it is one. */
export function mapOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Uint8Array)
    return undefined;
  return value as Readonly<Record<string, unknown>>;
}

/** What a flow gave, as the `data` of an answer: an object as it is, nothing as success, anything else by a name. */
export function answerData(value: unknown): unknown {
  if (value === null || value === undefined) return { success: true };
  return mapOf(value) ?? { result: value };
}

/** The details of a failure, as the `data` of its message: what the flow wrote, else what is known of it. */
export function failureData({ code, fields, body, requestId }: Report): unknown {
  if (code === undefined) return { request_id: requestId };
  return body ?? (fields && { fields });
}

/** Milliseconds to the seconds of a `timestamp`. */
export function secondsOf(now: number): number {
  return Math.floor(now / 1000);
}
