import { expect, test } from 'vitest';
import { ContentOwner } from '../../foundation/contracts/content.ts';
import { printable } from '../../foundation/observe/mask.ts';
import { askedLimits, Secrecy } from '../../service/debug/values/snapshot.ts';
import { canonicalDigest } from '../formats/canonical.ts';
import { encodeJson } from '../formats/json.ts';
import { Spool, smallBytes } from './spool.ts';

const label = { filename: 'a.bin', contentType: 'image/png' };
const large = Buffer.alloc(3 * smallBytes + 5, 'abc\0');

async function spooled(bytes: Buffer, piece = 10_000): Promise<Spool> {
  const spool = new Spool();
  for (let at = 0; at < bytes.length; at += piece) await spool.append(bytes.subarray(at, at + piece));
  return spool;
}

test.each([
  ['in memory', large.subarray(0, 100)],
  ['in a file', large],
])('what is kept %s is read as often as it is asked for', async (where, bytes) => {
  const spool = await spooled(bytes);
  const content = await spool.content(0, label);
  expect(content.bytes.inMemory === undefined).toBe(where === 'in a file');
  for (let round = 0; round < 2; round++) {
    expect(Buffer.concat(await content.bytes.stream().toArray())).toEqual(bytes);
    expect(Buffer.from(content.data, 'base64')).toEqual(bytes);
  }
  spool.close();
});

test('each content of a spool has its own bytes', async () => {
  const spool = new Spool();
  const contents = [];
  for (const bytes of [large.subarray(0, 7), large, large.subarray(3, 20)]) {
    const start = spool.size;
    await spool.append(bytes);
    contents.push(await spool.content(start, label));
  }
  expect(contents.map(({ size }) => size)).toEqual([7n, BigInt(large.length), 17n]);
  expect(contents.map(({ bytes }) => bytes.read())).toEqual([large.subarray(0, 7), large, large.subarray(3, 20)]);
  spool.close();
});

test('it is kept as long as it has a holder, and a read under way ends with it', async () => {
  const spool = await spooled(large);
  const owner = new ContentOwner();
  owner.own(spool);
  const release = owner.hold();
  owner.release();
  const content = await spool.content(0, label);
  expect(content.bytes.read()).toEqual(large);
  const stream = content.bytes.stream();
  const pieces = stream[Symbol.asyncIterator]();
  await pieces.next();
  release();
  release();
  await expect(stream.toArray()).rejects.toMatchObject({ code: 'internal' });
  expect(() => content.data).toThrow('the content is gone');
  expect(() => spool.append(large)).toThrow('the content is gone');
});

test('shown, it gives its label and its first bytes; written or compared, all of its bytes', async () => {
  const spool = await spooled(large);
  const content = await spool.content(0, label);
  const shown = { filename: 'a.bin', content_type: 'image/png', size: large.length, preview: 'abc.'.repeat(8) };
  const read = content.bytes.read;
  Object.assign(content.bytes, {
    read: () => {
      throw new Error('it is not read');
    },
  });
  expect(new Secrecy(false).show({ doc: content }, askedLimits)).toEqual({ doc: shown });
  expect(printable({ doc: content })).toEqual({ doc: shown });
  Object.assign(content.bytes, { read });
  expect(JSON.parse(encodeJson({ doc: content }))).toEqual({
    doc: { filename: 'a.bin', content_type: 'image/png', size: large.length, data: large.toString('base64') },
  });
  const other = Buffer.from(large);
  other[large.length - 1] = 0xff;
  const changed = await (await spooled(other)).content(0, label);
  const same = await (await spooled(Buffer.from(large))).content(0, label);
  const digest = (value: unknown) => canonicalDigest(value, 'ordered');
  expect([digest(same) === digest(content), digest(changed) === digest(content)]).toEqual([true, false]);
  spool.close();
});
