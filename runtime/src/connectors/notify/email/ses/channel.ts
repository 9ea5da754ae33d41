import type { Values } from '@svc/protocol/schema';
import type { ConnectorServices } from '../../../../foundation/contracts/connector.ts';
import type { HttpAnswer } from '../../../../platform/net/request.ts';
import { AwsRequests, regionAddress } from '../../aws-requests.ts';
import type { Channel, Limits, Sent } from '../../channel.ts';
import type { Message } from '../../message.ts';
import type { ProviderClient } from '../../provider-client.ts';
import { type Composed, shownOf } from '../letter.ts';
import { LetterWriter } from '../writer.ts';
import { compose, path, type SesSettings } from './compose.ts';
import { sesFields } from './message.ts';
import type { ses } from './spec.ts';

type Config = Values<(typeof ses)['config']>;
type SesMessage = Message<typeof sesFields>;
type Fields = Readonly<Record<string, unknown>>;

/** Letters by the action SendEmail. */
export class SesChannel implements Channel<typeof sesFields> {
  readonly fields = sesFields;
  readonly provider = 'ses';
  readonly #settings: SesSettings;
  readonly #client: ProviderClient;
  readonly #requests: AwsRequests;
  readonly #writer: LetterWriter;

  constructor(config: Config, services: ConnectorServices, client: ProviderClient) {
    const address = new URL(config.api_url ?? regionAddress('email', config.region));
    this.#settings = { address, configurationSet: config.configuration_set };
    this.#client = client;
    this.#writer = new LetterWriter(config, services);
    const service = {
      name: 'ses',
      address,
      path,
      contentType: 'application/json',
      endedCredentials: /security token included in the request is (?:expired|invalid)/i,
      asksForLess: ({ status, body }: HttpAnswer) =>
        status === 400 && /"(?:__type|code)":"[\w.#]*Throttl/i.test(body.toString()),
    };
    this.#requests = new AwsRequests(config, service, services, client);
  }

  get origin(): string {
    return this.#settings.address.origin;
  }

  async open(signal: AbortSignal): Promise<void> {
    await this.#writer.open();
    await this.#requests.open(signal);
  }

  async send(message: SesMessage, limits: Limits, given: Fields): Promise<Sent> {
    const [letter, left] = await this.#writer.within(message, limits, given);
    const composed = compose(letter, this.#settings);
    return this.#requests.post(
      composed.raw.toString(),
      left,
      (answer) => this.#sent(answer),
      () => ({
        provider: this.provider,
        medium: 'mail',
        shown: shownOf(composed),
        answer: (MessageId) => ({ body: JSON.stringify({ MessageId }) }),
      }),
    );
  }

  async check(limits: Limits): Promise<void> {
    await this.#requests.question('', limits, { method: 'GET', path: '/v2/email/account' });
  }

  /** The letter of a message as it would be sent. The connector need not be open. */
  async compose(message: SesMessage, given: Fields, signal: AbortSignal): Promise<Composed> {
    return compose(await this.#writer.write(message, given, signal), this.#settings);
  }

  #sent(answer: HttpAnswer): Sent {
    const { MessageId: id } = this.#client.json(answer);
    if (typeof id !== 'string') throw this.#client.unreadable(answer, 'a message with its id');
    return { message_id: id };
  }
}
