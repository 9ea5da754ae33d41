import { connectorServices } from '../../../../../../test/support/connector-services.ts';
import type { QueueDesk } from '../../../../foundation/contracts/queue.ts';
import { create } from '../connector.ts';
import type { TestBrokers } from './broker.ts';
import { cleanups, never, written } from './consuming.ts';

/** A desk of the group that tests read a topic with. */
export async function deskOf(brokers: TestBrokers, topic: string, consumer: object = {}): Promise<QueueDesk> {
  const connector = create('orders', written(brokers, topic, { consumer }), connectorServices());
  const desk = await connector.openDesk?.({ operations: [], signal: never });
  if (desk === undefined) throw new Error('a log has a desk');
  cleanups.push(() => desk.close());
  return desk;
}
