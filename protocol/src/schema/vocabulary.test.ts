import { expect, test } from 'vitest';
import type { ConnectorSpec } from './connector.ts';
import { chooseConnector, type Vocabulary } from './vocabulary.ts';

const spec = (type: string, driver: string, driverAliases: readonly string[] = []) =>
  ({ type, driver, typeAliases: [], driverAliases }) as unknown as ConnectorSpec;
const vocabulary = {
  connectors: [spec('mq', 'rabbitmq', ['amqp']), spec('mq', 'nats')],
  unavailable: { blocks: [], connectors: ['ftp', 'mq/sqs'] },
} as unknown as Vocabulary;

test.each([
  ['MQ', 'AMQP', { found: vocabulary.connectors[0] }],
  ['mq', undefined, { missing: 'driver-required', known: ['rabbitmq', 'nats'] }],
  ['mq', 'sqs', { missing: 'unavailable-driver', known: ['rabbitmq', 'nats'] }],
  ['mq', 'sqz', { missing: 'unknown-driver', known: ['rabbitmq', 'nats'] }],
  ['ftp', undefined, { missing: 'unavailable-type', known: ['mq'] }],
  ['fpt', undefined, { missing: 'unknown-type', known: ['mq'] }],
] as const)('type %s with driver %s', (type, driver, choice) => {
  expect(chooseConnector(vocabulary, type, driver)).toEqual(choice);
});

test('a block implies the driver that it belongs to, where it is not written', () => {
  const local = { ...spec('exec', 'local'), defaultDriver: true };
  const ssh = { ...spec('exec', 'ssh'), impliedBy: 'ssh' };
  const both = { ...vocabulary, connectors: [local, ssh] };
  const chosen = (driver: string | undefined, ...blocks: string[]) =>
    chooseConnector(both, 'exec', driver, (word) => blocks.includes(word));
  expect([chosen(undefined), chosen(undefined, 'env'), chosen('', 'ssh'), chosen('local', 'ssh')]).toEqual([
    { found: local },
    { found: local },
    { found: ssh },
    { found: local },
  ]);
});
