import { rootCertificates } from 'node:tls';
import type * as Grpc from '@grpc/grpc-js';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import { type Credentials, credentials } from '../../../platform/net/client/credentials.ts';
import { tokenWithin } from '../../../platform/net/client/send.ts';
import { TokenSource } from '../../../platform/net/client/token.ts';
import { documentLimit, HttpClient } from '../../../platform/net/request.ts';
import type { TlsMaterial } from '../../../platform/net/tls.ts';
import type { ClientConfig } from './channels.ts';

/** It has no credentials, and nothing is asked of it. */
const noAddress = new URL('http://localhost');

/** How the calls of a client say who they come from, as metadata. */
export class CallCredentials {
  readonly #fixed: readonly [name: string, value: string] | undefined;
  readonly #tokens: TokenSource | undefined;
  readonly #client: HttpClient | undefined;
  readonly #clock: ConnectorServices['clock'];

  private constructor(
    given: Credentials | undefined,
    timeout: number,
    tls: TlsMaterial | undefined,
    { clock, userAgent }: ConnectorServices,
  ) {
    this.#clock = clock;
    if (given?.kind === 'header') this.#fixed = [given.name, given.value];
    if (given?.kind !== 'token') return;
    this.#client = new HttpClient({ tls, maxResponse: documentLimit });
    this.#tokens = new TokenSource(given.grant, this.#client, clock, timeout, userAgent);
  }

  /**
   * Fetches nothing. `tls` is that of the server: the provider of tokens is shown its certificate where it asks for one,
   * and trusted by its authorities beside those of the platform. Rejects with a Failure for what cannot be read or sent.
   */
  static async open(
    auth: ClientConfig['auth'],
    timeout: number,
    tls: TlsMaterial | undefined,
    services: ConnectorServices,
  ): Promise<CallCredentials> {
    const given = auth && (await credentials({ ...auth, api_key_query: undefined }, noAddress, services.directory));
    return new CallCredentials(given, timeout, tls && ofProvider(tls), services);
  }

  /** The access token for a call that ends at `end`; undefined: none is needed. Rejects with a Failure. */
  token(end: number, signal: AbortSignal | undefined): string | undefined | Promise<string> {
    return this.#tokens && tokenWithin(this.#tokens, end, signal, this.#clock);
  }

  add(metadata: Grpc.Metadata, token: string | undefined): void {
    if (this.#fixed !== undefined) metadata.set(...this.#fixed);
    if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
  }

  /** Notes that a token was refused; whether another one may be accepted. */
  refused(token: string): boolean {
    return this.#tokens?.refused(token) === true;
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }
}

/** The name is that of the server alone, and so is a verification that is switched off. */
function ofProvider({ ca, servername: _ofServer, ...shown }: TlsMaterial): TlsMaterial {
  const trusted = ca && Buffer.from([...rootCertificates, ca.toString()].join('\n'));
  return { ...shown, ...(trusted && { ca: trusted }), rejectUnauthorized: true };
}
