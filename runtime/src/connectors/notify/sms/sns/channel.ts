import { createHash } from 'node:crypto';
import type { Values } from '@svc/protocol/schema';
import { accessOf } from '../../../../aws/access.ts';
import type { CredentialSource, Credentials } from '../../../../aws/credentials/credentials.ts';
import type { Signer } from '../../../../aws/signer.ts';
import type { ConnectorServices } from '../../../../contracts/connector.ts';
import type { Failure } from '../../../../errors/failure.ts';
import type { HttpAnswer } from '../../../../net/request.ts';
import type { Channel, Limits, Sent } from '../../channel.ts';
import { formBody, type Message } from '../../message.ts';
import type { Captured, Outgoing, ProviderClient } from '../../provider-client.ts';
import { smsFields } from '../message.ts';
import type { sns } from './spec.ts';

type Config = Values<(typeof sns)['config']>;

/** Who signs, once the connector is open. */
interface Signing {
  readonly signer: Signer;
  readonly credentials: CredentialSource;
}

const contentType = 'application/x-www-form-urlencoded; charset=utf-8';
const throttled = /<Code>(?:Throttl\w*|TooManyRequests\w*|RequestLimitExceeded)<\/Code>/;
const endedCredentials = /<Code>(?:ExpiredToken\w*|InvalidClientTokenId)<\/Code>/;

/** Where the service of a region is. */
export function regionAddress(region: string): string {
  return `https://sns.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/** Text messages by the action Publish. */
export class SnsChannel implements Channel<typeof smsFields> {
  readonly fields = smsFields;
  readonly provider = 'sns';
  readonly #config: Config;
  readonly #services: ConnectorServices;
  readonly #client: ProviderClient;
  readonly #address: URL;
  #signing: Signing | undefined;

  constructor(config: Config, services: ConnectorServices, client: ProviderClient) {
    this.#config = config;
    this.#services = services;
    this.#client = client;
    this.#address = new URL(config.api_url ?? regionAddress(config.region));
  }

  get origin(): string {
    return this.#address.origin;
  }

  /** Looks for credentials, where the block does not have them. */
  async open(signal: AbortSignal): Promise<void> {
    const { region, access_key_id: accessKey, secret_access_key: secretKey } = this.#config;
    const names = ['access_key_id', 'secret_access_key'] as const;
    const { credentials } = await accessOf({ region, accessKey, secretKey }, names, this.#services);
    await credentials.get(signal);
    const { Signer } = await import('../../../../aws/signer.ts');
    this.#signing = { signer: new Signer(region, 'sns'), credentials };
  }

  /** Credentials that have ended before it was known are replaced, and the message, which was not taken, is sent again. */
  async send(message: Message<typeof smsFields>, limits: Limits): Promise<Sent> {
    const body = this.#body(message);
    const captured = () => this.#captured(message);
    if (this.#services.capture !== undefined)
      return this.#post({ ...this.#place, headers: { 'content-type': contentType }, body, captured }, limits);
    const { credentials: source } = this.#signing as Signing;
    const signal = limits.signal ?? new AbortController().signal;
    const began = this.#services.clock.elapsed();
    const credentials = await source.get(signal);
    try {
      return await this.#post({ ...(await this.#signed(body, credentials)), captured }, limits);
    } catch (error) {
      const { upstream } = error as Partial<Failure>;
      if (!endedCredentials.test(upstream?.body ?? '') || !source.refused(credentials)) throw error;
      const left = limits.timeout - (this.#services.clock.elapsed() - began);
      const again = { ...(await this.#signed(body, await source.get(signal))), captured };
      return this.#post(again, { ...limits, timeout: Math.max(left, 1) });
    }
  }

  async check(limits: Limits): Promise<void> {
    const credentials = await this.#signing?.credentials.get(limits.signal ?? new AbortController().signal);
    if (credentials === undefined) return;
    const body = formBody({ Action: 'GetSMSAttributes', Version: '2010-03-31' });
    await this.#client.question(await this.#signed(body, credentials), limits, () => undefined);
  }

  #post(outgoing: Outgoing, limits: Limits): Promise<Sent> {
    return this.#client.post(outgoing, limits, (answer) => this.#sent(answer));
  }

  #body({ to, body, from = this.#config.sender_id }: Message<typeof smsFields>): string {
    const attributes = [
      ['AWS.SNS.SMS.SMSType', this.#config.sms_type],
      ...(from ? [['AWS.SNS.SMS.SenderID', from]] : []),
    ];
    const entries = attributes.flatMap(([name = '', value = ''], at) => {
      const entry = `MessageAttributes.entry.${at + 1}`;
      return [
        [`${entry}.Name`, name],
        [`${entry}.Value.DataType`, 'String'],
        [`${entry}.Value.StringValue`, value],
      ];
    });
    return formBody({
      Action: 'Publish',
      Version: '2010-03-31',
      PhoneNumber: to,
      Message: body,
      ...Object.fromEntries(entries),
    });
  }

  #captured({ to, body, from = this.#config.sender_id }: Message<typeof smsFields>): Captured {
    return {
      provider: this.provider,
      medium: 'text',
      shown: { to: [to], from, text: body },
      answer: (id) => ({ body: `<MessageId>${id}</MessageId>` }),
    };
  }

  get #place() {
    return { origin: this.#address.origin, path: this.#address.pathname };
  }

  async #signed(body: string, credentials: Credentials): Promise<Omit<Outgoing, 'captured'>> {
    const { signer } = this.#signing as Signing;
    const { href } = this.#address;
    const hash = createHash('sha256').update(body).digest('hex');
    const request = { method: 'POST', url: href, headers: { 'content-type': contentType } };
    const signed = await signer.headers(request, hash, credentials, this.#services.clock.now());
    const { accessKey, secretKey, sessionToken } = credentials;
    return {
      ...this.#place,
      headers: Object.fromEntries(signed),
      body,
      secrets: [secretKey, accessKey, ...(sessionToken === undefined ? [] : [sessionToken])],
      asksForLess: ({ status, body: said }) => status === 400 && throttled.test(said.toString()),
    };
  }

  #sent(answer: HttpAnswer): Sent {
    const id = /<MessageId>([^<]{1,2000})<\/MessageId>/.exec(answer.body.toString())?.[1];
    if (id === undefined) throw this.#client.unreadable(answer, 'a message with its id');
    return { message_id: id };
  }
}
