import type { Factory } from '../../../contracts/connector.ts';
import { ConnectedSource, constantReconnecting } from '../../../intake/connected.ts';
import { QueueDriver } from './driver.ts';
import type { amqp } from './spec.ts';

/** Takes messages of queues of a RabbitMQ broker over a connection of its own. */
export const create: Factory<typeof amqp> = (name, config, services) =>
  new ConnectedSource(name, new QueueDriver(name, config, services), constantReconnecting(config), services);
