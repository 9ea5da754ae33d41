import type { IncomingMessage } from 'node:http';
import type { Metadata, ServerUnaryCall } from '@grpc/grpc-js';
import { Fields } from '@svc/protocol/cel';
import type { AddressHeader, AuthenticationRequest } from '../../../foundation/contracts/http.ts';

/** What the calls of every kind have. */
export type AnyCall = Pick<
  ServerUnaryCall<Buffer, Buffer>,
  'metadata' | 'cancelled' | 'getAuthContext' | 'getPeer' | 'sendMetadata'
> & { on(event: 'cancelled', listener: () => void): unknown };

const noQuery: AuthenticationRequest['query'] = Object.freeze(Object.create(null));

/** One call as its transport has it: to checks of credentials and limits it is a request whose headers are its metadata. */
export class IncomingCall implements AuthenticationRequest {
  /** As it was asked for: `/shop.Orders/GetOrder`. */
  readonly path: string;
  readonly query = noQuery;
  readonly #call: AnyCall;
  #headers: Record<string, string> | undefined;
  /** Names and values in turn that go out before the answer. */
  #added: string[] | undefined;

  constructor(call: AnyCall, path: string) {
    this.#call = call;
    this.path = path;
  }

  /** Metadata that is text by name; of a repeated one the first value. */
  get headers(): Readonly<Record<string, string>> {
    return (this.#headers ??= headersOf(this.#call.metadata));
  }

  /** What checks of HTTP requests read of one. Keys are also taken under the name that clients of gRPC use. */
  get request(): IncomingMessage {
    const { headers } = this;
    const key = headers['x-api-key'] ?? headers['api-key'];
    return {
      headers: { ...headers, ...addressesIn(this.#call.metadata), ...(key !== undefined && { 'x-api-key': key }) },
      socket: {
        remoteAddress: addressOf(this.#call.getPeer()),
        getPeerCertificate: () => this.#call.getAuthContext().sslPeerCertificate,
      },
    } as unknown as IncomingMessage;
  }

  get cancelled(): boolean {
    return this.#call.cancelled;
  }

  /** Called when the caller has gone or its deadline is over. */
  onCancelled(listener: () => void): void {
    if (this.#call.cancelled) listener();
    else this.#call.on('cancelled', listener);
  }

  addHeader(name: string, value: string): void {
    (this.#added ??= []).push(name, value);
  }

  addHeaders(pairs: readonly string[]): void {
    if (pairs.length > 0) (this.#added ??= []).push(...pairs);
  }

  /** Sends what was added, before the answer. */
  sendHeaders(newMetadata: () => Metadata): void {
    const added = this.#added;
    if (added === undefined) return;
    const metadata = newMetadata();
    for (let at = 0; at < added.length; at += 2)
      metadata.add((added[at] as string).toLowerCase(), added[at + 1] as string);
    this.#call.sendMetadata(metadata);
  }
}

function headersOf(metadata: Metadata): Record<string, string> {
  const headers = new Fields() as Record<string, string>;
  const map = metadata.getMap();
  for (const name in map) {
    const value = map[name];
    if (typeof value === 'string') headers[name] = value;
  }
  return headers;
}

/** What proxies say of the caller, all of it: of a repeated name the last value is that of the nearest proxy. */
function addressesIn(metadata: Metadata): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip'] satisfies readonly AddressHeader[]) {
    const values = metadata.get(name);
    if (values.length > 0) headers[name] = values.join(', ');
  }
  return headers;
}

/** The address of a peer, which is followed by its port. */
function addressOf(peer: string): string {
  return peer.slice(0, Math.max(0, peer.lastIndexOf(':')));
}
