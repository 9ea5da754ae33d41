import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { Content, type ContentBytes } from '../../../../contracts/content.ts';
import type { CallDescription } from '../../../../contracts/target.ts';
import { codecOf } from '../../../../formats/registry.ts';
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
