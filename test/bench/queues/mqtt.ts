import { connectAsync, type MqttClient } from 'mqtt';
import { mosquitto, startMosquitto } from '../../support/servers/mosquitto.ts';
import { bytesOf } from './order.ts';
import { inPieces, ownName, type Source, type Supply } from './source.ts';

/** A session that the broker keeps, with a subscription to everything. */
async function openSession(url: string): Promise<Supply> {
  const session = (clean: boolean, clientId: string): Promise<MqttClient> =>
    connectAsync(url, {
      clientId,
      clean,
      protocolVersion: 5,
      properties: clean ? {} : { sessionExpiryInterval: 600 },
    });
  const name = ownName();
  const taker = await session(false, name);
  await taker.subscribeAsync('#', { qos: 1 });
  await taker.endAsync();
  const sender = await session(true, `${name}-sender`);
  return {
    env: { BROKER_URL: url, CLIENT: name },
    send: (from, count) =>
      inPieces(from, count, (ids) =>
        Promise.all(ids.map((id) => sender.publishAsync('orders', bytesOf(id), { qos: 1 }))),
      ),
    close: async () => {
      await sender.endAsync();
      await (await session(true, name)).endAsync();
    },
  };
}

/** A broker of its own: others drop what more than a thousand messages wait. */
export const mqtt: Source = {
  name: 'mqtt',
  title: 'a session of Mosquitto, quality of service 1',
  keeps: true,
  warmUp: 30_000,
  measured: 150_000,
  async serve(work) {
    if (!mosquitto.isInstalled()) throw new Error(`${mosquitto.name} is not installed`);
    const broker = await startMosquitto('max_queued_messages 0');
    try {
      return await work(() => openSession(broker.address));
    } finally {
      await broker.stop();
    }
  },
};
