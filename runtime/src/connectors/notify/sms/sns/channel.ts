import type { Values } from '@svc/protocol/schema';
import type { ConnectorServices } from '../../../../foundation/contracts/connector.ts';
import type { HttpAnswer } from '../../../../platform/net/request.ts';
import { AwsRequests, regionAddress } from '../../aws-requests.ts';
import type { Channel, Limits, Sent } from '../../channel.ts';
import { formBody, type Message } from '../../message.ts';
import type { Captured, ProviderClient } from '../../provider-client.ts';
import { smsFields } from '../message.ts';
import type { sns } from './spec.ts';

type Config = Values<(typeof sns)['config']>;

const throttled = /<Code>(?:Throttl\w*|TooManyRequests\w*|RequestLimitExceeded)<\/Code>/;

/** Text messages by the action Publish. */
export class SnsChannel implements Channel<typeof smsFields> {
  readonly fields = smsFields;
  readonly provider = 'sns';
  readonly origin: string;
  readonly #config: Config;
  readonly #client: ProviderClient;
  readonly #requests: AwsRequests;

  constructor(config: Config, services: ConnectorServices, client: ProviderClient) {
    const address = new URL(config.api_url ?? regionAddress('sns', config.region));
    this.origin = address.origin;
    this.#config = config;
    this.#client = client;
    const service = {
      name: 'sns',
      address,
      path: '/',
      contentType: 'application/x-www-form-urlencoded; charset=utf-8',
      endedCredentials: /<Code>(?:ExpiredToken\w*|InvalidClientTokenId)<\/Code>/,
      asksForLess: ({ status, body }: HttpAnswer) => status === 400 && throttled.test(body.toString()),
    };
    this.#requests = new AwsRequests(config, service, services, client);
  }

  open(signal: AbortSignal): Promise<void> {
    return this.#requests.open(signal);
  }

  async send(message: Message<typeof smsFields>, limits: Limits): Promise<Sent> {
    return this.#requests.post(
      this.#body(message),
      limits,
      (answer) => this.#sent(answer),
      () => this.#captured(message),
    );
  }

  check(limits: Limits): Promise<void> {
    return this.#requests.question(formBody({ Action: 'GetSMSAttributes', Version: '2010-03-31' }), limits);
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

  #sent(answer: HttpAnswer): Sent {
    const id = /<MessageId>([^<]{1,2000})<\/MessageId>/.exec(answer.body.toString())?.[1];
    if (id === undefined) throw this.#client.unreadable(answer, 'a message with its id');
    return { message_id: id };
  }
}
