import type { KeyObject } from 'node:crypto';
import type { Values } from '@svc/protocol/schema';
import type { ConnectorServices } from '../../../../foundation/contracts/connector.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { single } from '../../../../platform/net/client/answer.ts';
import { privateKey, refused, signedToken, writtenText } from '../../../../platform/net/oauth/signed-token.ts';
import type { HttpAnswer } from '../../../../platform/net/request.ts';
import type { Channel, Limits, Sent } from '../../channel.ts';
import { jsonBody, type Message } from '../../message.ts';
import type { ProviderClient } from '../../provider-client.ts';
import { sendToDevices } from '../devices.ts';
import { devicesOf, textsOf } from '../message.ts';
import { apnsFields } from './message.ts';
import type { apns } from './spec.ts';

type Config = Values<(typeof apns)['config']>;
type ApnsMessage = Message<typeof apnsFields>;

/** The provider takes a token for an hour, and refuses others that come more often than every 20 minutes. */
const tokenLifetime = 40 * 60_000;
const device = /^[\w-]{1,200}$/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const longestKey = 64;

/** Where the service for apps of the store, or of the sandbox, is. */
export function standardAddress(production: boolean): string {
  return production ? 'https://api.push.apple.com' : 'https://api.sandbox.push.apple.com';
}

/** Messages to devices. */
export class ApnsChannel implements Channel<typeof apnsFields> {
  readonly fields = apnsFields;
  readonly provider = 'apns';
  readonly #config: Config;
  readonly #services: ConnectorServices;
  readonly #client: ProviderClient;
  readonly #address: URL;
  #key: KeyObject | undefined;
  #token: { readonly text: string; readonly until: number } | undefined;

  constructor(config: Config, services: ConnectorServices, client: ProviderClient) {
    this.#config = config;
    this.#services = services;
    this.#client = client;
    this.#address = new URL(config.api_url ?? standardAddress(config.production));
  }

  get origin(): string {
    return this.#address.origin;
  }

  /** Reads the key. */
  async open(): Promise<void> {
    for (const name of ['team_id', 'key_id'] as const) if (this.#config[name] === '') throw refused(`${name} is empty`);
    const { private_key: written } = this.#config;
    const isText = written.includes('-----BEGIN');
    this.#key = privateKey(
      await writtenText(written, 'private_key', isText, this.#services.directory),
      'private_key',
      'ec',
    );
  }

  async send(message: ApnsMessage, limits: Limits): Promise<Sent> {
    const devices = devicesOf(message);
    if (devices.length === 0) throw new Failure('value_refused', 'the message has no token or tokens');
    const headers = this.#headers(message);
    const body = bodyOf(message);
    return sendToDevices(devices, limits, this.#services.clock, async (token, left) => {
      // It becomes a part of a path.
      if (!device.test(token)) throw new Failure('value_refused', 'token is not that of a device');
      const path = `${this.#address.pathname.replace(/\/+$/, '')}/3/device/${token}`;
      const signed = this.#key && { authorization: `bearer ${this.#signed(this.#key)}` };
      const captured = () => ({
        provider: this.provider,
        medium: 'push' as const,
        shown: { to: [token], title: message.title, text: message.body },
        answer: (id: string) => ({ headers: { 'apns-id': id } }),
      });
      const outgoing = { origin: this.origin, path, headers: { ...headers, ...signed }, body, captured };
      return this.#client.post(outgoing, left, (answer) => this.#idIn(answer));
    });
  }

  #headers({
    title,
    body,
    priority,
    ttl,
    collapse_key: key,
    idempotency_key: id,
  }: ApnsMessage): Record<string, string> {
    if (ttl !== undefined && ttl < 0) throw new Failure('value_refused', 'ttl must be 0 or more');
    if (key !== undefined && Buffer.byteLength(key) > longestKey)
      throw new Failure('value_refused', `collapse_key is longer than ${longestKey} bytes`);
    if (id !== undefined && !uuid.test(id)) throw new Failure('value_refused', 'idempotency_key must be a UUID');
    const isShown = title !== undefined || body !== undefined;
    const expiration = ttl === undefined ? 0 : Math.floor(this.#services.clock.now() / 1000) + ttl;
    return {
      'content-type': 'application/json',
      'apns-push-type': isShown ? 'alert' : 'background',
      // A message in the background may not wake up the device.
      'apns-priority': isShown && priority !== 'normal' ? '10' : '5',
      'apns-expiration': String(expiration),
      ...(this.#config.bundle_id && { 'apns-topic': this.#config.bundle_id }),
      ...(key !== undefined && { 'apns-collapse-id': key }),
      ...(id !== undefined && { 'apns-id': id }),
    };
  }

  /** A message that is taken is answered without a body. */
  #idIn(answer: HttpAnswer): string | undefined {
    const id = single(answer.headers['apns-id']);
    if (id === undefined && answer.body.length > 0) throw this.#client.unreadable(answer, 'the id of a message');
    return id;
  }

  /** One token for many messages. */
  #signed(key: KeyObject): string {
    const { clock } = this.#services;
    if (this.#token === undefined || clock.elapsed() >= this.#token.until) {
      const claims = { iss: this.#config.team_id, iat: Math.floor(clock.now() / 1000) };
      const text = signedToken(key, { kid: this.#config.key_id }, claims);
      this.#token = { text, until: clock.elapsed() + tokenLifetime };
    }
    return this.#token.text;
  }
}

/** The values for the app are beside what the system shows, and replace none of it. */
function bodyOf({ title, body, data = {} }: ApnsMessage): string {
  const isShown = title !== undefined || body !== undefined;
  const aps = isShown ? { alert: { title, body } } : { 'content-available': 1 };
  return jsonBody({ ...textsOf(data), aps });
}
