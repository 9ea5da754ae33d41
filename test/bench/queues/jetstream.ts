import { AckPolicy, jetstreamManager, jetstream as streamClient } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { nats } from '../../support/servers/nats.ts';
import { bytesOf } from './order.ts';
import { inPieces, ownName, type Source, type Supply, withServer } from './source.ts';

async function openStream(url: string): Promise<Supply> {
  const client = await connect({ servers: url });
  const manager = await jetstreamManager(client);
  const name = ownName();
  await manager.streams.add({ name, subjects: [name] });
  await manager.consumers.add(name, { durable_name: name, ack_policy: AckPolicy.Explicit });
  const stream = streamClient(client);
  return {
    env: { NATS_URL: url, STREAM: name },
    send: (from, count) =>
      inPieces(from, count, (ids) => Promise.all(ids.map((id) => stream.publish(name, bytesOf(id))))),
    close: async () => {
      await manager.streams.delete(name);
      await client.close();
    },
  };
}

export const jetstream: Source = {
  name: 'jetstream',
  title: 'a stream of NATS',
  keeps: true,
  warmUp: 30_000,
  measured: 120_000,
  serve: (work) => withServer(nats, (url) => work(() => openStream(url))),
};
