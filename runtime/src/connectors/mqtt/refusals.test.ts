import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configured } from '../../../../test/support/configured.ts';
import { connectorServices } from '../../../../test/support/connector-services.ts';
import type { CallRequest } from '../../foundation/contracts/target.ts';
import type { Failure } from '../../foundation/errors/failure.ts';
import type { TargetConnector } from '../testing/target-conformance.ts';
import { create } from './connector.ts';
import { mqtt } from './spec.ts';
import { brokerFolder, isMosquittoInstalled, type OwnBroker, ownBroker } from './testing/own-broker.ts';

const never = new AbortController().signal;

describe.skipIf(!isMosquittoInstalled)('a broker that does not take every message', () => {
  let broker: OwnBroker;
  beforeAll(async () => {
    const folder = brokerFolder('mosquitto-limits');
    writeFileSync(join(folder, 'acl'), 'topic readwrite open/#\n');
    broker = await ownBroker(folder, [
      'max_packet_size 4096',
      'retain_available false',
      'max_qos 1',
      `acl_file ${folder}/acl`,
    ]);
  });
  afterAll(() => broker?.stop());

  async function publisher(url: string) {
    const config = configured(mqtt.config, { broker: url, qos: 1, protocol_version: '5' });
    const connector = create('plant', config, connectorServices()) as TargetConnector;
    const described = {
      operation: undefined,
      query: undefined,
      timeout: undefined,
      exact: false,
      flow: 'f',
      label: 'to',
    };
    const execute = connector.target.prepare({ verb: 'create', target: undefined, ...described });
    await connector.open(never);
    const refused = (request: CallRequest): Promise<Failure> =>
      Promise.resolve(execute({ target: 'open/a', payload: { a: 1 }, ...request })).then(
        () => expect.fail('it was taken'),
        (error: Failure) => error,
      );
    return { connector, execute, refused };
  }

  test.each([
    ['a topic that this service may not publish to', { target: 'closed/a' }, /Not authorized/],
    ['a quality of service beyond its own', { params: { qos: 2 } }, /quality of service of at most 1/],
    ['what it shall keep', { params: { retain: true } }, /keeps no messages/],
    [
      'a packet that is larger than it takes',
      { payload: { text: 'x'.repeat(5000) } },
      /at most 4096 bytes \(maximum packet size\), and this one has up to 50\d\d: max_message is 16777216/,
    ],
  ])(
    'refuses %s, without a further try, and over the same connection the next one is taken',
    async (_, request, says) => {
      const { connector, execute, refused } = await publisher(broker.url);
      const failure = await refused(request);
      expect(failure).toMatchObject({ code: 'connector_failed', retriable: false, at: { connector: 'plant' } });
      expect(failure.message).toMatch(says);
      await execute({ target: 'open/a', payload: { a: 1 } });
      await connector.check?.(never);
      await connector.close();
    },
  );
});
