import type { ChannelModel } from 'amqplib';
import type { Log } from '../../../foundation/observe/log.ts';

/** What a broker says of itself when a connection is made (AMQP 0-9-1, connection.start). */
export interface BrokerProperties {
  readonly product?: unknown;
  readonly version?: unknown;
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
}

/** What is an addition of RabbitMQ to the protocol, and not announced. */
const additions = [
  'delayed tries (retry_delay)',
  'dead letters of queues',
  'priority',
  'quorum queues and streams',
  'arguments that begin with x-',
];

/** What does not work without an addition that RabbitMQ announces, by the name of the addition. */
const announced: Readonly<Record<string, string>> = {
  publisher_confirms: 'confirms: whether a queue has a message is not known',
  'basic.nack': 'giving back a message that is tried again',
  consumer_cancel_notify: 'being notified that a queue is gone',
  direct_reply_to: 'REQUEST',
};

/** What the broker of a connection says of itself. */
export function propertiesOf(model: ChannelModel): BrokerProperties {
  const { connection } = model as unknown as { readonly connection: { readonly serverProperties?: BrokerProperties } };
  return connection.serverProperties ?? {};
}

const isRabbit = ({ product }: BrokerProperties) => product === 'RabbitMQ';

/** Whether a broker confirms a message with `expiration`, and loses it: Qpid Broker-J. */
export function losesExpiring({ product }: BrokerProperties): boolean {
  return /qpid/i.test(String(product));
}

/** Why a message with `expiration` is not sent to such a broker. */
export const expirationRefused =
  'the broker (Qpid) confirms a message with `expiration` and loses it: write no expiration';

/** Says once, whatever connections are made, what will not work at a broker that is not RabbitMQ. */
export class BrokerNotice {
  readonly #log: Log;
  #isSaid = false;

  constructor(log: Log) {
    this.#log = log;
  }

  readonly seen = (broker: BrokerProperties): void => {
    if (this.#isSaid || isRabbit(broker)) return;
    this.#isSaid = true;
    const { product, version, capabilities = {} } = broker;
    const missing = Object.keys(announced).filter((name) => capabilities[name] !== true);
    this.#log.warn('the broker is not RabbitMQ, and what RabbitMQ has added to the protocol may not work there', {
      product: String(product ?? 'unknown'),
      version: String(version ?? 'unknown'),
      does_not_work: missing.map((name) => announced[name]),
      may_not_work: [...additions, ...(losesExpiring(broker) ? ['expiration, which is refused'] : ['expiration'])],
    });
  };
}
