import { expect, test } from 'vitest';
import { failureOf } from '../testing/asking.ts';
import { standIn } from './testing/opened.ts';
import { type Answer, errorXml, type Seen } from './testing/stand-in.ts';

const head: Answer = { headers: { 'content-length': '10', etag: '"v1"', 'content-encoding': 'gzip' } };
const whole = Buffer.from('0123456789');

/** Gives so many bytes of what is asked for, and then breaks. */
function breaking(bytes: number) {
  return ({ headers }: Seen): Answer => ({
    raw: (response) => {
      const [, first = '0'] = /^bytes=(\d+)-/.exec(headers.range ?? '') ?? [];
      const rest = whole.subarray(Number(first));
      const range = { 'content-range': `bytes ${first}-9/10` };
      response.writeHead(headers.range === undefined ? 200 : 206, { 'content-length': rest.length, ...range });
      if (bytes >= rest.length) return void response.end(rest);
      response.write(rest.subarray(0, bytes), () => response.destroy());
    },
  });
}

test('A-04: a transfer that breaks again and again continues where it was, of the same version', async () => {
  const { server, downloaded } = await standIn();
  server.answer = (seen) => (seen.method === 'HEAD' ? head : breaking(3)(seen));
  const { bytes } = await downloaded('a');
  expect(Buffer.concat(await bytes.stream().toArray()).toString()).toBe('0123456789');
  const asked = server.seen.slice(1).map(({ headers }) => [headers.range, headers['if-match']]);
  expect(asked).toEqual([
    [undefined, '"v1"'],
    ['bytes=3-9', '"v1"'],
    ['bytes=6-9', '"v1"'],
    ['bytes=9-9', '"v1"'],
  ]);
});

test('one that brings nothing is tried as often as the block says', async () => {
  const { server, downloaded } = await standIn();
  server.answer = (seen) => (seen.method === 'HEAD' ? head : breaking(0)(seen));
  const { bytes } = await downloaded('a');
  expect((await failureOf(bytes.stream().toArray())).code).toBe('connector_refused');
  expect(server.seen.length).toBe(1 + 3);
});

test('an object that was replaced meanwhile is reported, and nothing of it is mixed', async () => {
  const { server, downloaded } = await standIn();
  server.answer = (seen, count) =>
    seen.method === 'HEAD'
      ? head
      : count === 2
        ? breaking(3)(seen)
        : { status: 412, body: errorXml('PreconditionFailed') };
  const { bytes } = await downloaded('a');
  const { code, message } = await failureOf(bytes.stream().toArray());
  expect([code, message]).toEqual(['connector_failed', '"a" was replaced meanwhile']);
});

test('a part is asked for as a range; a server that gives all of it is refused', async () => {
  const { server, downloaded } = await standIn();
  server.answer = (seen) =>
    seen.method === 'HEAD'
      ? head
      : { status: 206, headers: { 'content-range': 'bytes 2-4/10' }, body: whole.subarray(2, 5) };
  const { bytes } = await downloaded('a');
  expect(Buffer.concat((await bytes.part?.(2, 5).toArray()) ?? []).toString()).toBe('234');
  expect(server.seen.at(-1)?.headers.range).toBe('bytes=2-4');
  server.answer = () => ({ body: whole });
  expect((await failureOf(Promise.resolve(bytes.part?.(2, 5).toArray()))).message).toBe(
    'the object store does not give a part of "a"',
  );
});

test('A-04: a server that sends more than it said is refused', async () => {
  const { server, downloaded } = await standIn({ retry: { attempts: 1 } });
  server.answer = ({ method }) => (method === 'HEAD' ? head : { body: Buffer.alloc(1000) });
  const { bytes } = await downloaded('a');
  expect((await failureOf(bytes.stream().toArray())).message).toContain('more of "a" came');
});

test('what is stored compressed is given as it is stored', async () => {
  const { server, downloaded } = await standIn();
  server.answer = ({ method }) => (method === 'HEAD' ? head : { headers: { 'content-encoding': 'gzip' }, body: whole });
  const { bytes } = await downloaded('a');
  expect(Buffer.concat(await bytes.stream().toArray()).toString()).toBe('0123456789');
});

test('A-05: a reader that goes ends the transfer', async () => {
  const { server, downloaded } = await standIn();
  const closed = Promise.withResolvers<void>();
  server.answer = ({ method }) =>
    method === 'HEAD'
      ? { headers: { 'content-length': '100000000', etag: '"1"' } }
      : {
          raw: (response) => {
            response.on('close', closed.resolve);
            response.writeHead(200, { 'content-length': '100000000' });
            response.write(Buffer.alloc(1_000_000));
          },
        };
  const { bytes } = await downloaded('a');
  for await (const piece of bytes.stream()) {
    expect(piece.length).toBeGreaterThan(0);
    break;
  }
  await closed.promise;
});

test('what a store says of an object is what stat answers', async () => {
  const { server, call } = await standIn();
  server.answer = () => ({
    headers: {
      'content-length': '3',
      etag: '"abc"',
      'content-type': 'text/csv',
      'last-modified': 'Wed, 01 Jan 2025 00:00:00 GMT',
      'x-amz-meta-customer': 'c 1',
      'x-amz-storage-class': 'GLACIER',
    },
  });
  expect((await call('stat', { key: 'a' })).value).toEqual({
    key: 'a',
    size: 3,
    last_modified: '2025-01-01T00:00:00.000Z',
    etag: 'abc',
    content_type: 'text/csv',
    storage_class: 'GLACIER',
    metadata: { customer: 'c 1' },
  });
});
