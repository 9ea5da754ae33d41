import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { Content, type ContentBytes } from '../../../../foundation/contracts/content.ts';
import type { CallDescription } from '../../../../foundation/contracts/target.ts';
import { codecOf } from '../../../../platform/formats/registry.ts';
import { Composition } from './composition.ts';

const call = { verb: 'call', binary: true, target: 'q', flow: 'f', label: 'step "s"' } as CallDescription;
const defaults = {
  exchange: '',
  routingKey: undefined,
  mandatory: undefined,
  persistent: true,
  contentType: undefined,
  envelope: undefined,
  mostBytes: 10,
  user: 'guest',
};

/** The file of a store, whose bytes are not kept. */
function fileOf(text: string): Content {
  const part = (start: number, end: number) =>
    Readable.from([Buffer.from(text.slice(start, end))], { objectMode: false });
  const bytes: ContentBytes = {
    size: text.length,
    once: false,
    inMemory: undefined,
    stream: () => part(0, text.length),
    part,
    read: () => expect.fail('its bytes are not kept'),
  };
  return new Content(bytes, { filename: 'a.txt', contentType: 'text/plain' }, new Uint8Array());
}

test('the file of a store is a message, up to max_message', async () => {
  const composition = new Composition(call, defaults, { now: () => 0 });
  const codec = await codecOf('json');
  const { content, options } = await composition.of({ payload: { _binary: fileOf('0123456789') } }, codec);
  expect([content.toString(), options]).toMatchObject(['0123456789', { contentType: 'text/plain' }]);
  expect(() => composition.of({ payload: { _binary: fileOf('0123456789a') } }, codec)).toThrow(
    'more than 10 (max_message)',
  );
});

test.each(['excel', 'csv', 'xml'] as const)(
  'A-06: a large message in the format %s is made with turns',
  async (name) => {
    const codec = await codecOf(name);
    const rows = Array.from({ length: 8_000 }, (_, at) => ({ at, text: `row ${at}` }));
    const plain = { ...call, verb: 'create', binary: false } as CallDescription;
    const composition = new Composition(plain, { ...defaults, mostBytes: 10_000_000 }, { now: () => 0 });
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const { content, options } = await composition.of({ payload: { rows } }, codec);
    isOver = true;
    // 16,000 values, with a turn for each 2,000.
    expect([turns > 5, options['contentType']]).toEqual([true, codec.contentType.split(';')[0]]);
    const form = { budget: { depth: 9, keys: 1e6, values: 1e6, digits: 100 } };
    expect(await codec.decode(content, form)).toEqual(await codec.decode(Buffer.from(codec.encode({ rows })), form));
    // Its bound holds as for small ones.
    await expect(
      new Composition(plain, defaults, { now: () => 0 }).of({ payload: { rows } }, codec),
    ).rejects.toMatchObject({
      code: 'body_too_large',
    });
  },
);
