import { configured } from '../../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../../test/support/connector-services.ts';
import type { EventConnector } from '../../../intake/testing/conformance.ts';
import type { DeadLetterBed } from '../../../intake/testing/dead-letters.ts';
import { create } from '../connector.ts';
import { nats } from '../spec.ts';
import { NatsBed, natsUrl } from './bed.ts';

const durables = ['billing', 'shipping'] as const;

/** A stream with two consumers, and one of their letters which would honour what these say. */
export async function deadLetterBed(): Promise<DeadLetterBed> {
  const bed = await NatsBed.ofStream();
  const { name, manager, client } = bed;
  const dead = `${name}_dead`;
  const [major = 0, minor = 0] = (client.info?.version ?? '').split('.').map(Number);
  const isLater = major > 2 || minor >= 11;
  const honouring = { allow_rollup_hdrs: true, ...(isLater && { allow_msg_ttl: true }) };
  await manager.streams.update(name, honouring);
  await manager.streams.add({ name: dead, subjects: [dead], ...honouring });
  let sent = 0;
  return {
    connector: (which, services) => {
      const dlq = { max_retries: 0, retry_delay: 20, subject: dead };
      const consumer = { stream: name, durable: durables[which], create_if_missing: true, dlq };
      return create(
        'orders',
        configured(nats.config, { url: natsUrl, consumer }),
        connectorServices(services),
      ) as EventConnector;
    },
    binding: { flow: 'take', operation: undefined, words: {} },
    honoured: [
      { 'Nats-Msg-Id': 'one' },
      { 'Nats-Rollup': 'sub' },
      { 'Nats-Expected-Stream': name },
      { 'Nats-Expected-Last-Subject-Sequence': '0' },
      { 'Nats-TTL': '300s' },
      { tenant: 'nord' },
    ],
    publish: async (body, honoured = {}) =>
      bed.publish([body], `${name}.n${sent++}`, honoured as Record<string, string>),
    fieldsOf: ({ headers }) => headers as Record<string, unknown>,
    letters: async () => (await manager.streams.info(dead)).state.messages,
    waiting: async () => {
      const infos = await Promise.all(durables.map((durable) => manager.consumers.info(name, durable)));
      return infos.reduce((sum, { num_pending, num_ack_pending }) => sum + num_pending + num_ack_pending, 0);
    },
    take: async (isTaking) => {
      await manager.streams.update(dead, { subjects: [isTaking ? dead : `${dead}.not`] });
    },
    returnsToAll: true,
    close: () => bed.close(),
  };
}
