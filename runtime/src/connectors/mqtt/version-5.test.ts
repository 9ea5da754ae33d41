import { randomBytes } from 'node:crypto';
import type { IPublishPacket } from 'mqtt';
import { afterEach, describe, expect, test } from 'vitest';
import { configured } from '../../../../test/support/configured.ts';
import { connectorServices } from '../../../../test/support/connector-services.ts';
import { faultProxy } from '../../../../test/support/proxy.ts';
import { until } from '../../../../test/support/until.ts';
import { describeCall } from '../database/testing/parts.ts';
import type { EventConnector } from '../intake/testing/conformance.ts';
import type { TargetConnector } from '../testing/target-conformance.ts';
import { create } from './connector.ts';
import { mqtt } from './spec.ts';
import { brokerClient, mqttUrl } from './testing/bed.ts';
import { kinds, rawBroker } from './testing/raw-broker.ts';

const never = new AbortController().signal;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** A connector of version 5 behind a proxy that sees what is sent. */
async function behindProxy(settings: Record<string, unknown>, sent: (piece: Buffer) => void = () => undefined) {
  const { hostname, port } = new URL(mqttUrl as string);
  const proxy = await faultProxy({ host: hostname, port: Number(port || 1883) }, sent);
  cleanups.push(() => proxy.close());
  const name = `svc-test-${randomBytes(6).toString('hex')}`;
  const written = { broker: `tcp://127.0.0.1:${proxy.port}`, client_id: name, protocol_version: '5', ...settings };
  const connector = create('plant', configured(mqtt.config, written), connectorServices());
  cleanups.push(() => connector.close());
  return { connector: connector as EventConnector & TargetConnector, proxy, name };
}

describe.skipIf(mqttUrl === undefined)('a last will with version 5', () => {
  async function watched() {
    const client = await brokerClient({ protocolVersion: 5 });
    cleanups.push(() => client.endAsync());
    const packets: IPublishPacket[] = [];
    client.on('message', (_topic, _payload, packet) => void packets.push(packet));
    const topic = `svc-test-${randomBytes(6).toString('hex')}/status`;
    await client.subscribeAsync(topic, { qos: 1 });
    return { client, topic, packets };
  }

  test('is published after its delay, and kept for so long', async () => {
    const { topic, packets } = await watched();
    const will = { topic, payload: 'gone', delay: 2_000, expiration: 60_000 };
    const { connector, proxy } = await behindProxy({ clean_session: false, auto_reconnect: false, will });
    await connector.open(never);
    proxy.reset();
    const began = performance.now();
    await until(() => packets.length === 1);
    expect(performance.now() - began).toBeGreaterThan(1_000);
    expect(packets[0]?.payload).toEqual(Buffer.from('gone'));
    expect(packets[0]?.properties?.messageExpiryInterval).toBeOneOf([58, 59, 60]);
  });

  test('is not published when the client is back before its delay is over', async () => {
    const { client, topic, packets } = await watched();
    const will = { topic, payload: 'gone', delay: 2_000 };
    const { connector, proxy } = await behindProxy({ clean_session: false, will, max_reconnect_interval: 20 });
    await connector.open(never);
    proxy.reset();
    await until(() => connector.check?.(never).then(() => true));
    // One whose delay began at the same time is published, and this one is not.
    const other = { topic, payload: 'other', delay: 2_000 };
    const further = await behindProxy({ clean_session: false, auto_reconnect: false, will: other });
    await further.connector.open(never);
    further.proxy.reset();
    await until(() => packets.length > 0);
    await client.publishAsync(topic, 'end', { qos: 1 });
    await until(() => packets.some(({ payload }) => String(payload) === 'end'));
    expect(packets.map(({ payload }) => String(payload))).toEqual(['other', 'end']);
  });
});

describe('topic_alias_maximum', () => {
  test.skipIf(mqttUrl === undefined)(
    'is whether a topic that was published to before is a number, as far as the broker takes that',
    async () => {
      for (const [maximum, times] of [
        [undefined, 3],
        [5, 1],
      ] as const) {
        const pieces: Buffer[] = [];
        const { connector, name } = await behindProxy({ qos: 1, topic_alias_maximum: maximum }, (piece) => {
          pieces.push(Buffer.from(piece));
        });
        const client = await brokerClient();
        cleanups.push(() => client.endAsync());
        const received: string[] = [];
        client.on('message', (topic, payload) => void received.push(`${topic} ${payload}`));
        await client.subscribeAsync(`${name}/#`, { qos: 1 });
        const publish = connector.target.prepare(describeCall('create', { target: `${name}/readings` }));
        await connector.open(never);
        for (const n of [1, 2, 3]) await publish({ payload: { n } });
        await until(() => received.length === 3);
        expect(received).toEqual([1, 2, 3].map((n) => `${name}/readings {"n":${n}}`));
        expect(Buffer.concat(pieces).toString('latin1').split(`${name}/readings`)).toHaveLength(times + 1);
      }
    },
  );

  test('is how many topics the broker may send a number for, whose names are found again', async () => {
    const topic = Buffer.from('a/b');
    const alias = [3, 0x23, 0, 1];
    const publish = (name: Buffer, payload: string) =>
      Buffer.from([
        0x30,
        2 + name.length + alias.length + payload.length,
        0,
        name.length,
        ...name,
        ...alias,
        ...Buffer.from(payload),
      ]);
    let announced: Buffer | undefined;
    const broker = await rawBroker({
      speaks: (socket) =>
        socket.on('data', (packet) => {
          const kind = (packet[0] as number) >> 4;
          if (kind === kinds.connect) {
            announced = packet;
            socket.write(Buffer.from([0x20, 3, 0, 0, 0]));
          }
          if (kind === kinds.subscribe) {
            socket.write(Buffer.from([0x90, 4, packet[2] as number, packet[3] as number, 0, 0]));
            socket.write(Buffer.concat([publish(topic, 'x'), publish(Buffer.alloc(0), 'y')]));
          }
        }),
    });
    cleanups.push(() => broker.close());
    const written = { broker: `tcp://127.0.0.1:${broker.port}`, protocol_version: '5', topic_alias_maximum: 7 };
    const connector = create('plant', configured(mqtt.config, written), connectorServices()) as EventConnector;
    cleanups.push(() => connector.close(AbortSignal.abort()));
    const taken: unknown[] = [];
    const deliver = ({ input }: { readonly input: Readonly<Record<string, unknown>> }) => {
      taken.push([input['_topic'], input['_raw']]);
      return { kind: 'reply', value: null } as const;
    };
    const bound = connector.source.bind([{ flow: 'f', operation: 'a/#', words: {}, deliver }]);
    await bound.prepare();
    await connector.open(never);
    bound.use();
    await connector.source.start();
    await until(() => taken.length === 2);
    expect(taken).toEqual([
      ['a/b', 'x'],
      ['a/b', 'y'],
    ]);
    expect(announced?.includes(Buffer.from([0x22, 0, 7]))).toBe(true);
  });
});
