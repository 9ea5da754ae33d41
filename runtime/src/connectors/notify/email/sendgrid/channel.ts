import type { Values } from '@svc/protocol/schema';
import type { ConnectorServices } from '../../../../foundation/contracts/connector.ts';
import { single } from '../../../../platform/net/client/answer.ts';
import { refused } from '../../../../platform/net/oauth/signed-token.ts';
import type { HttpAnswer } from '../../../../platform/net/request.ts';
import type { Channel, Limits, Sent } from '../../channel.ts';
import type { Message } from '../../message.ts';
import type { Captured, ProviderClient } from '../../provider-client.ts';
import { type Composed, shownOf } from '../letter.ts';
import { LetterWriter } from '../writer.ts';
import { compose } from './compose.ts';
import { sendgridFields } from './message.ts';
import type { sendgrid } from './spec.ts';

type Config = Values<(typeof sendgrid)['config']>;
type SendgridMessage = Message<typeof sendgridFields>;
type Fields = Readonly<Record<string, unknown>>;

/** Letters over the Mail Send resource. */
export class SendgridChannel implements Channel<typeof sendgridFields> {
  readonly fields = sendgridFields;
  readonly provider = 'sendgrid';
  readonly #config: Config;
  readonly #client: ProviderClient;
  readonly #writer: LetterWriter;

  constructor(config: Config, services: ConnectorServices, client: ProviderClient) {
    this.#config = config;
    this.#client = client;
    this.#writer = new LetterWriter(config, services);
  }

  /** Variables that are not set arrive as empty texts. */
  async open(): Promise<void> {
    if (this.#config.api_key === '') throw refused('api_key is empty');
    await this.#writer.open();
  }

  async send(message: SendgridMessage, limits: Limits, given: Fields): Promise<Sent> {
    const [letter, left] = await this.#writer.within(message, limits, given);
    const composed = compose(letter, this.#config.api_url);
    const { raw, request } = composed;
    const { origin, pathname } = new URL(request?.url ?? '');
    const outgoing = {
      origin,
      path: pathname,
      headers: {
        authorization: `Bearer ${this.#config.api_key}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: raw.toString(),
      captured: (): Captured => ({
        provider: this.provider,
        medium: 'mail',
        shown: shownOf(composed),
        answer: (id) => ({ headers: { 'x-message-id': id } }),
      }),
    };
    return this.#client.post(outgoing, left, (answer) => this.#sent(answer));
  }

  async check(limits: Limits): Promise<void> {
    const { origin, pathname } = new URL(this.#config.api_url);
    const path = `${pathname.replace(/\/+$/, '')}/v3/scopes`;
    const headers = { authorization: `Bearer ${this.#config.api_key}`, accept: 'application/json' };
    await this.#client.question({ method: 'GET', origin, path, headers }, limits, () => undefined);
  }

  /** The letter of a message as it would be sent. The connector need not be open. */
  async compose(message: SendgridMessage, given: Fields, signal: AbortSignal): Promise<Composed> {
    return compose(await this.#writer.write(message, given, signal), this.#config.api_url);
  }

  /** The provider answers nothing to what it takes. */
  #sent(answer: HttpAnswer): Sent {
    if (answer.body.length > 0) throw this.#client.unreadable(answer, 'nothing');
    return { message_id: single(answer.headers['x-message-id']) };
  }
}
