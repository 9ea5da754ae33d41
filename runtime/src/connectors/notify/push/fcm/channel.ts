import type { Values } from '@svc/protocol/schema';
import type { ConnectorServices } from '../../../../foundation/contracts/connector.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { jwtBearer, TokenSource } from '../../../../platform/net/client/token.ts';
import { refused, signedToken, writtenText } from '../../../../platform/net/oauth/signed-token.ts';
import type { HttpAnswer } from '../../../../platform/net/request.ts';
import type { Channel, Limits, Sent } from '../../channel.ts';
import { jsonBody, type Message } from '../../message.ts';
import type { ProviderClient } from '../../provider-client.ts';
import { sendToDevices } from '../devices.ts';
import { devicesOf, textsOf } from '../message.ts';
import { type ServiceAccount, serviceAccount } from './account.ts';
import { fcmFields } from './message.ts';
import type { fcm } from './spec.ts';

type Config = Values<(typeof fcm)['config']>;
type FcmMessage = Message<typeof fcmFields>;

const scope = 'https://www.googleapis.com/auth/firebase.messaging';

/** Messages to devices, topics and conditions. */
export class FcmChannel implements Channel<typeof fcmFields> {
  readonly fields = fcmFields;
  readonly provider = 'fcm';
  readonly #config: Config;
  readonly #services: ConnectorServices;
  readonly #client: ProviderClient;
  #project = '';
  #tokens: TokenSource | undefined;

  constructor(config: Config, services: ConnectorServices, client: ProviderClient) {
    this.#config = config;
    this.#services = services;
    this.#client = client;
  }

  /** Reads the key; an access token is fetched with the first message. */
  async open(): Promise<void> {
    const { service_account_json: written, project_id: project } = this.#config;
    const isText = written.trimStart().startsWith('{');
    const account = serviceAccount(
      await writtenText(written, 'service_account_json', isText, this.#services.directory),
    );
    this.#project = project || account.project || '';
    if (this.#project === '')
      throw refused('project_id is written neither in the connector nor in service_account_json');
    this.#tokens = this.#tokenSource(account);
  }

  async send(message: FcmMessage, limits: Limits): Promise<Sent> {
    const devices = devicesOf(message);
    const content = contentOf(message);
    if (devices.length > 0)
      return sendToDevices(devices, limits, this.#services.clock, (token, left) =>
        this.#post({ token, ...content }, left),
      );
    const { topic, condition } = message;
    if (topic === undefined && condition === undefined)
      throw new Failure('value_refused', 'the message has no token, tokens, topic or condition');
    const addressee = topic === undefined ? { condition } : { topic };
    return { message_id: await this.#post({ ...addressee, ...content }, limits) };
  }

  #post(message: ToDevice, limits: Limits): Promise<string> {
    const { origin, pathname } = new URL(this.#config.api_url);
    const project = encodeURIComponent(this.#project || this.#config.project_id || 'project');
    const { token, topic, condition, notification } = message;
    const outgoing = {
      origin,
      path: `${pathname.replace(/\/+$/, '')}/v1/projects/${project}/messages:send`,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: jsonBody({ message }),
      tokens: this.#tokens,
      captured: () => ({
        provider: this.provider,
        medium: 'push' as const,
        shown: { to: [token ?? topic ?? condition ?? ''], title: notification?.title, text: notification?.body },
        answer: (name: string) => ({ body: JSON.stringify({ name }) }),
      }),
    };
    return this.#client.post(outgoing, limits, (answer) => this.#nameIn(answer));
  }

  #nameIn(answer: HttpAnswer): string {
    const { name } = this.#client.json(answer);
    if (typeof name !== 'string') throw this.#client.unreadable(answer, 'the name of a message');
    return name;
  }

  #tokenSource({ email, key, keyId, tokenUrl }: ServiceAccount): TokenSource {
    const { clock, userAgent } = this.#services;
    const assertion = () => {
      const iat = Math.floor(clock.now() / 1000);
      const header = { typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) };
      return signedToken(key, header, { iss: email, scope, aud: tokenUrl, iat, exp: iat + 3600 });
    };
    const grant = {
      url: tokenUrl,
      grant: jwtBearer,
      assertion,
      client: undefined,
      scopes: [],
      refreshToken: undefined,
    } as const;
    return new TokenSource(grant, this.#client.http, clock, this.#config.timeout, userAgent);
  }
}

/** What one request holds. */
interface ToDevice extends ReturnType<typeof contentOf> {
  readonly token?: string | undefined;
  readonly topic?: string | undefined;
  readonly condition?: string | undefined;
}

/** What all devices get. */
function contentOf({ title, body, data, priority, ttl, collapse_key }: FcmMessage) {
  if (ttl !== undefined && ttl < 0) throw new Failure('value_refused', 'ttl must be 0 or more');
  return {
    notification: title === undefined && body === undefined ? undefined : { title, body },
    data: data && textsOf(data),
    android: { priority: priority ?? 'high', ...(ttl !== undefined && { ttl: `${ttl}s` }), collapse_key },
  };
}
