import type { Values } from '@svc/protocol/schema';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { basic } from '../../../../platform/net/client/token.ts';
import type { HttpAnswer } from '../../../../platform/net/request.ts';
import type { Channel, Limits, Sent } from '../../channel.ts';
import { formBody, type Message } from '../../message.ts';
import type { ProviderClient } from '../../provider-client.ts';
import { smsFields } from '../message.ts';
import type { twilio } from './spec.ts';

type Config = Values<(typeof twilio)['config']>;

/** A sender with several numbers has a parameter of its own. */
const messagingService = /^MG[0-9a-f]{32}$/i;

/** Text messages over the Messages resource. */
export class TwilioChannel implements Channel<typeof smsFields> {
  readonly fields = smsFields;
  readonly provider = 'twilio';
  readonly #config: Config;
  readonly #client: ProviderClient;

  constructor(config: Config, client: ProviderClient) {
    this.#config = config;
    this.#client = client;
  }

  /** Variables that are not set arrive as empty texts. */
  async open(): Promise<void> {
    for (const name of ['account_sid', 'auth_token', 'from'] as const)
      if (this.#config[name] === '') throw new Failure('connector_refused', `${name} is empty`, { retriable: false });
  }

  send({ to, body, from = this.#config.from }: Message<typeof smsFields>, limits: Limits): Promise<Sent> {
    const { account_sid: account, auth_token: token } = this.#config;
    const { origin, pathname } = new URL(this.#config.api_url);
    const sender = messagingService.test(from) ? { MessagingServiceSid: from } : { From: from };
    const outgoing = {
      origin,
      path: `${pathname.replace(/\/+$/, '')}/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`,
      headers: {
        authorization: basic(account, token),
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: formBody({ To: to, ...sender, Body: body }),
      captured: () => ({
        provider: this.provider,
        medium: 'text' as const,
        shown: { to: [to], from, text: body },
        answer: (sid: string) => ({ body: JSON.stringify({ sid }) }),
      }),
    };
    return this.#client.post(outgoing, limits, (answer) => this.#sent(answer));
  }

  async check(limits: Limits): Promise<void> {
    const { account_sid: account, auth_token: token } = this.#config;
    const { origin, pathname } = new URL(this.#config.api_url);
    const path = `${pathname.replace(/\/+$/, '')}/2010-04-01/Accounts/${encodeURIComponent(account)}.json`;
    const headers = { authorization: basic(account, token), accept: 'application/json' };
    await this.#client.question({ method: 'GET', origin, path, headers }, limits, () => undefined);
  }

  #sent(answer: HttpAnswer): Sent {
    const { sid } = this.#client.json(answer);
    if (typeof sid !== 'string') throw this.#client.unreadable(answer, 'a message with its sid');
    return { message_id: sid };
  }
}
