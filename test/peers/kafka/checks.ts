import { deepStrictEqual } from 'node:assert';
import { TestBrokers } from '../../../runtime/src/connectors/mq/log/testing/broker.ts';
import { until } from '../../support/until.ts';
import type { Outcome } from '../peer.ts';
import { type KafkaClient, runClient, startMember } from './client.ts';
import { type KafkaMessage, startRelay } from './relay.ts';

const compressions = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
/** Milliseconds in which what a check waits for has come. */
const longest = 60_000;

const long = 'ä€'.repeat(10_000);
/** What the clients write, with what the flow of the service is given of each. */
const written: readonly (readonly [KafkaMessage, object])[] = [
  [
    {
      key: 'a',
      value: '{"number":1,"text":"ä€"}',
      headers: [
        ['tenant', 'north'],
        ['tag', 'x'],
        ['tag', 'y'],
      ],
    },
    { key: 'a', body: { number: 1, text: 'ä€' }, headers: { tenant: 'north', tag: ['x', 'y'] } },
  ],
  [
    { key: null, value: 'plain', headers: [] },
    { key: '', body: 'plain', headers: {} },
  ],
  [
    { key: 'ö', value: '[1,2]', headers: [['empty', '']] },
    { key: 'ö', body: [1, 2], headers: { empty: '' } },
  ],
  [
    { key: 'b', value: long, headers: [] },
    { key: 'b', body: long, headers: {} },
  ],
  [
    { key: 'a', value: null, headers: [['why', 'gone']] },
    { key: 'a', body: null, headers: { why: 'gone' } },
  ],
];
/** What the service is asked to send, with what the clients read of each. */
const sent: readonly (readonly [object, KafkaMessage])[] = [
  [
    { number: 1, text: 'ä€', key: 'a', marks: { tenant: 'north' } },
    { key: 'a', value: '{"number":1,"text":"ä€"}', headers: [['tenant', 'north']] },
  ],
  [
    { number: 2, text: long, key: 'b', marks: {} },
    { key: 'b', value: JSON.stringify({ number: 2, text: long }), headers: [] },
  ],
];
const erased: KafkaMessage = { key: 'a', value: null, headers: [] };

/** What a client of another maker and the built program write for each other, on a real broker. */
export async function checkClient(
  broker: string,
  client: KafkaClient,
  tell: (line: string) => void,
): Promise<Outcome[]> {
  const brokers = await TestBrokers.real(`kafka://${broker}`);
  const outcomes: Outcome[] = [];
  const check = async (name: string, work: () => Promise<void>) => {
    tell(name);
    outcomes.push(
      await work().then(
        () => ({ check: name }),
        (error: Error) => ({ check: name, error: shown(error) }),
      ),
    );
  };
  const topics = async (partitions: number) =>
    [await brokers.topic(partitions), await brokers.topic(partitions)] as const;
  try {
    for (const compression of compressions) {
      const [from, to] = await topics(1);
      const relay = await startRelay({ broker, group: from, from, to, compression });
      try {
        await check(`compression ${compression}: the service takes what it writes`, async () => {
          await runClient(
            client,
            ['write', broker, from, compression],
            written.map(([message]) => message),
          );
          await came(() => relay.taken.length >= written.length);
          deepStrictEqual(
            relay.taken,
            written.map(([, taken]) => taken),
          );
        });
        await check(`compression ${compression}: it reads what the service sends`, async () => {
          for (const [message] of sent) await relay.send(message);
          await relay.erase('a');
          const found = await runClient(client, ['read', broker, to, String(sent.length + 1)]);
          deepStrictEqual(found.map(withoutOwn), [...sent.map(([, message]) => message), erased]);
        });
      } finally {
        await relay.stop();
      }
    }
    await check('transactions: the service takes what is committed, and nothing of one that is aborted', async () => {
      const [from, to] = await topics(1);
      const relay = await startRelay({ broker, group: from, from, to, compression: 'none' });
      try {
        await runClient(
          client,
          ['write', broker, from, 'lz4', 'transaction'],
          written.map(([message]) => message),
        );
        await came(() => relay.taken.length >= written.length);
        deepStrictEqual(
          relay.taken,
          written.map(([, taken]) => taken),
        );
      } finally {
        await relay.stop();
      }
    });
    await check('groups: messages are divided between it and the service, and none is lost', () =>
      sharing(broker, client, topics),
    );
    return outcomes;
  } finally {
    await brokers.stop();
  }
}

async function sharing(
  broker: string,
  client: KafkaClient,
  topics: (partitions: number) => Promise<readonly [string, string]>,
) {
  const [from, to] = await topics(4);
  const relay = await startRelay({ broker, group: from, from, to, compression: 'none' });
  const member = startMember(client, ['join', broker, from, from]);
  const numbers = {
    ofRelay: () => relay.taken.map((each) => (each as { body: number }).body),
    ofMember: () => member.taken.map(({ value }) => Number(value)),
  };
  const all = () => new Set([...numbers.ofRelay(), ...numbers.ofMember()]);
  let count = 0;
  const write = async () => {
    const messages = Array.from({ length: 40 }, () => ({ key: `k${count}`, value: String(count++), headers: [] }));
    await runClient(client, ['write', broker, from, 'none'], messages);
  };
  try {
    // The other one may join after messages have come.
    const end = AbortSignal.timeout(longest);
    while (numbers.ofRelay().length === 0 || numbers.ofMember().length === 0) {
      if (end.aborted) {
        const each = [numbers.ofRelay().length, numbers.ofMember().length].join(' and ');
        throw new Error(`one of them has everything: the service and the client have ${each}`);
      }
      await write();
      await came(() => all().size === count);
    }
    await member.leave();
    await write();
    await came(() => all().size === count);
    deepStrictEqual(
      [...all()].toSorted((one, other) => one - other),
      Array.from({ length: count }, (_, at) => at),
    );
  } finally {
    await member.leave();
    await relay.stop();
  }
}

async function came(condition: () => boolean): Promise<void> {
  const end = AbortSignal.timeout(longest);
  await until(() => condition() || end.aborted);
  if (!condition()) throw new Error(`it did not come within ${longest / 1000} s`);
}

/** Without the headers by which the service recognises and follows a message. */
const own = ['message-id', 'traceparent'];
const withoutOwn = ({ headers, ...message }: KafkaMessage): KafkaMessage => ({
  ...message,
  headers: headers.filter(([name]) => !own.includes(name)),
});

const shown = ({ message }: Error): string => message.replaceAll(/\s+/g, ' ').slice(0, 500);
