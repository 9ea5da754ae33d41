import { createHash } from 'node:crypto';
import type { ConnectorServices } from '../../foundation/contracts/connector.ts';
import type { Failure } from '../../foundation/errors/failure.ts';
import { accessOf } from '../../platform/aws/access.ts';
import type { CredentialSource, Credentials } from '../../platform/aws/credentials/credentials.ts';
import type { Signer } from '../../platform/aws/signer.ts';
import type { HttpAnswer } from '../../platform/net/request.ts';
import type { Limits } from './channel.ts';
import type { Captured, Outgoing, ProviderClient, Question } from './provider-client.ts';

/** What a connector says of a service of AWS. */
export interface AwsAccess {
  readonly region: string;
  readonly access_key_id?: string | undefined;
  readonly secret_access_key?: string | undefined;
}

/** What a service of AWS is like. */
export interface AwsService {
  /** Its name in signatures. */
  readonly name: string;
  readonly address: URL;
  /** Begins with `/`. */
  readonly path: string;
  readonly contentType: string;
  /** Finds in an answer that credentials have ended before that was known. */
  readonly endedCredentials: RegExp;
  readonly asksForLess: (answer: HttpAnswer) => boolean;
}

/** Where the service of a region is. */
export function regionAddress(service: string, region: string): string {
  return `https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/** Who signs, once the connector is open. */
interface Signing {
  readonly signer: Signer;
  readonly credentials: CredentialSource;
}

/** Signed requests to one service of AWS, which take one message each. */
export class AwsRequests {
  readonly #access: AwsAccess;
  readonly #service: AwsService;
  readonly #services: ConnectorServices;
  readonly #client: ProviderClient;
  #signing: Signing | undefined;

  constructor(access: AwsAccess, service: AwsService, services: ConnectorServices, client: ProviderClient) {
    this.#access = access;
    this.#service = service;
    this.#services = services;
    this.#client = client;
  }

  /** Looks for credentials, where the block does not have them. */
  async open(signal: AbortSignal): Promise<void> {
    const { region, access_key_id: accessKey, secret_access_key: secretKey } = this.#access;
    const names = ['access_key_id', 'secret_access_key'] as const;
    const { credentials } = await accessOf({ region, accessKey, secretKey }, names, this.#services);
    await credentials.get(signal);
    const { Signer } = await import('../../platform/aws/signer.ts');
    this.#signing = { signer: new Signer(region, this.#service.name), credentials };
  }

  /**
   * Sends a body, and resolves with what `read` makes of a good answer. Credentials that have ended before it was known are
   * replaced, and the message, which was not taken, is sent again. Rejects as `ProviderClient.post` does.
   */
  async post<T>(body: string, limits: Limits, read: (answer: HttpAnswer) => T, captured: () => Captured): Promise<T> {
    // Where messages are captured there may be no credentials to sign with.
    if (this.#services.capture !== undefined)
      return this.#client.post({ ...this.#place, headers: this.#headers, body, captured }, limits, read);
    const { credentials: source } = this.#signing as Signing;
    const signal = limits.signal ?? new AbortController().signal;
    const began = this.#services.clock.elapsed();
    const credentials = await source.get(signal);
    try {
      return await this.#client.post({ ...(await this.#signed(body, credentials)), captured }, limits, read);
    } catch (error) {
      const { upstream } = error as Partial<Failure>;
      if (!this.#service.endedCredentials.test(upstream?.body ?? '') || !source.refused(credentials)) throw error;
      const left = limits.timeout - (this.#services.clock.elapsed() - began);
      const outgoing = { ...(await this.#signed(body, await source.get(signal))), captured };
      return this.#client.post(outgoing, { ...limits, timeout: Math.max(left, 1) }, read);
    }
  }

  /** A request that changes nothing. Rejects as `ProviderClient.post` does. */
  async question(body: string, limits: Limits, place: Partial<Pick<Question, 'method' | 'path'>> = {}): Promise<void> {
    const { credentials } = this.#signing as Signing;
    const found = await credentials.get(limits.signal ?? new AbortController().signal);
    await this.#client.question(await this.#signed(body, found, place), limits, () => undefined);
  }

  get #place() {
    const { address, path } = this.#service;
    return { origin: address.origin, path: `${address.pathname.replace(/\/+$/, '')}${path}` };
  }

  get #headers() {
    return { 'content-type': this.#service.contentType };
  }

  async #signed(
    body: string,
    credentials: Credentials,
    { method = 'POST', path }: Partial<Pick<Question, 'method' | 'path'>> = {},
  ): Promise<Omit<Outgoing, 'captured'>> {
    const { signer } = this.#signing as Signing;
    const { asksForLess } = this.#service;
    const place = { ...this.#place, ...(path !== undefined && { path }) };
    const hash = createHash('sha256').update(body).digest('hex');
    const request = {
      method,
      url: `${place.origin}${place.path}`,
      headers: this.#headers,
    };
    const signed = await signer.headers(request, hash, credentials, this.#services.clock.now());
    const { accessKey, secretKey, sessionToken } = credentials;
    return {
      ...place,
      method,
      headers: Object.fromEntries(signed),
      body,
      secrets: [secretKey, accessKey, ...(sessionToken === undefined ? [] : [sessionToken])],
      asksForLess,
    };
  }
}
