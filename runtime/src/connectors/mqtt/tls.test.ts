import { connectAsync } from 'mqtt';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Certificates, openssl } from '../../../../test/support/certificates.ts';
import { configured } from '../../../../test/support/configured.ts';
import { connectorServices } from '../../../../test/support/connector-services.ts';
import { freePort } from '../../../../test/support/free-port.ts';
import { until } from '../../../../test/support/until.ts';
import type { EventConnector } from '../intake/testing/conformance.ts';
import { create } from './connector.ts';
import { mqtt } from './spec.ts';
import { brokerFolder, isMosquittoInstalled, type OwnBroker, ownBroker } from './testing/own-broker.ts';

const never = new AbortController().signal;

describe.skipIf(!isMosquittoInstalled || openssl === undefined)('an MQTT client over TLS', () => {
  let broker: OwnBroker;
  let folder: string;
  let ports: { tls: number; websocket: number; plain: number };
  const opened: EventConnector[] = [];

  beforeAll(async () => {
    folder = brokerFolder('mosquitto-tls');
    const certificates = new Certificates(folder);
    certificates.authority('ca');
    certificates.authority('other');
    certificates.signed('server', '/CN=localhost', 'subjectAltName=DNS:localhost');
    certificates.signed('client', '/CN=sensors', 'extendedKeyUsage=clientAuth');
    ports = { tls: await freePort(), websocket: await freePort(), plain: 0 };
    const secure = [`cafile ${folder}/ca.pem`, `certfile ${folder}/server.pem`, `keyfile ${folder}/server.key`];
    broker = await ownBroker(folder, [
      `listener ${ports.tls} 127.0.0.1`,
      ...secure,
      'require_certificate true',
      'use_identity_as_username true',
      'allow_anonymous true',
      `listener ${ports.websocket} 127.0.0.1`,
      'protocol websockets',
      ...secure,
      'allow_anonymous true',
    ]);
    ports.plain = Number(new URL(broker.url).port);
  });
  afterAll(() => broker?.stop());
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((connector) => connector.close()));
  });

  function connector(settings: Record<string, unknown>, deliver = () => ({ kind: 'reply', value: null }) as const) {
    const services = { ...connectorServices(), directory: folder };
    const config = configured(mqtt.config, { auto_reconnect: false, qos: 1, ...settings });
    const made = create('sensors', config, services) as EventConnector;
    opened.push(made);
    const flows = made.source.bind([{ flow: 'take', operation: 'a', words: {}, deliver }]);
    return { made, flows };
  }

  test.each([
    ['a certificate of its own', () => `ssl://localhost:${ports.tls}`, { cert: 'client.pem', key: 'client.key' }],
    ['a WebSocket', () => `wss://localhost:${ports.websocket}`, {}],
    ['another name', () => `tcp://127.0.0.1:${ports.websocket}`.replace('tcp', 'wss'), { server_name: 'localhost' }],
    [
      'a certificate of any authority, where it is not verified',
      () => `wss://127.0.0.1:${ports.websocket}`,
      { ca_cert: 'other.pem', insecure_skip_verify: true },
    ],
    ['a block that is switched off', () => `tcp://127.0.0.1:${ports.plain}`, { enabled: false }],
  ])('S-87: with %s it takes messages', async (_, broker, tls) => {
    let taken = 0;
    const { made, flows } = connector({ broker: broker(), tls: { ca_cert: 'ca.pem', ...tls } }, () => {
      taken++;
      return { kind: 'reply', value: null };
    });
    await flows.prepare();
    await made.open(never);
    flows.use();
    await made.source.start();
    const publisher = await connectAsync(`mqtt://127.0.0.1:${ports.plain}`);
    await publisher.publishAsync('a', '1', { qos: 1 });
    await until(() => taken === 1 && made.source.events.unsettled === 0);
    await publisher.endAsync();
    await made.check?.(never);
  });

  test.each([
    [
      'an authority that is not the one',
      () => `ssl://localhost:${ports.tls}`,
      { ca_cert: 'other.pem' },
      /self[- ]signed|unable to/,
    ],
    ['only the authorities of the system', () => `ssl://localhost:${ports.tls}`, undefined, /self[- ]signed|unable to/],
    [
      'another name than that of the certificate',
      () => `wss://127.0.0.1:${ports.websocket}`,
      { ca_cert: 'ca.pem' },
      /altnames|does not match/,
    ],
    [
      'no certificate where one is asked for',
      () => `ssl://localhost:${ports.tls}`,
      { ca_cert: 'ca.pem' },
      /certificate required|closed|ECONNRESET/,
    ],
    ['a broker that speaks no TLS', () => `ssl://localhost:${ports.plain}`, { ca_cert: 'ca.pem' }, /./],
    [
      'a file that is not there',
      () => `ssl://localhost:${ports.tls}`,
      { ca_cert: 'none.pem' },
      /^tls\.ca_cert: cannot read "none\.pem"/,
    ],
  ])('S-87: with %s it does not connect', async (_, broker, tls, problem) => {
    const { made } = connector({ broker: broker(), ...(tls && { tls }) });
    await expect(made.open(never)).rejects.toThrow(problem);
  });
});
