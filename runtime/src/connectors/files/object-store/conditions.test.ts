import { describe, expect, test } from 'vitest';
import { failureOf } from '../testing/asking.ts';
import { KeptObjects } from './testing/kept-objects.ts';
import { standIn } from './testing/opened.ts';
import { errorXml } from './testing/stand-in.ts';

const mebibyte = 1024 * 1024;

async function kept() {
  const objects = new KeptObjects();
  const { server, call } = await standIn({ part_size: mebibyte, retry: { attempts: 2, delay: 1 } });
  server.answer = objects.answer;
  const textOf = async (key: string) =>
    ((await call('read', { key, format: 'text' })).value as [{ content: string }])[0].content;
  return { objects, server, call, textOf };
}

describe('a write with a condition', () => {
  test('if_none_match makes an object, and leaves one that is there as it is', async () => {
    const { call, textOf } = await kept();
    const write = (content: string) => call('write', { key: 'a', content, if_none_match: '*' });
    expect((await write('first')).value).toMatchObject({ key: 'a', uploaded: true });
    const failure = await failureOf(write('second'));
    expect([failure.code, failure.kind.status, failure.message]).toEqual([
      'precondition_failed',
      412,
      '"a" is left as it is: the condition does not hold',
    ]);
    expect(await textOf('a')).toBe('first');
  });

  test('if_match replaces the version that it names, as rows show its ETag, and no other', async () => {
    const { call, textOf } = await kept();
    const { etag } = (await call('write', { key: 'a', content: 'first' })).value as { readonly etag: string };
    const write = (content: string, tag: string) => call('write', { key: 'a', content, if_match: tag });
    await write('second', etag);
    for (const tag of [etag, `"${etag}"`])
      expect((await failureOf(write('third', tag))).code).toBe('precondition_failed');
    expect(await textOf('a')).toBe('second');
    const { code } = await failureOf(call('write', { key: 'none', content: 'x', if_match: etag }));
    expect(code).toBe('not_found');
  });

  test('of an upload in parts is that of its end, and what was sent is given up', async () => {
    const { server, call } = await standIn({ part_size: mebibyte });
    server.answer = ({ method, url }) => {
      if (url.includes('uploads=')) return { body: '<R><UploadId>u</UploadId></R>' };
      if (method === 'POST') return { status: 412, body: errorXml('PreconditionFailed') };
      return undefined;
    };
    const content = Buffer.alloc(mebibyte + 1, 'x');
    expect((await failureOf(call('write', { key: 'a', content, if_none_match: '*' }))).code).toBe(
      'precondition_failed',
    );
    const conditions = server.seen.map(({ method, headers }) => [method, headers['if-none-match']]);
    expect(conditions.filter(([, condition]) => condition !== undefined)).toEqual([['POST', '*']]);
    expect(conditions.at(-1)).toEqual(['DELETE', undefined]);
  });

  test('is not sent again when its answer was lost: the condition would not hold for what it wrote itself', async () => {
    const { server, call } = await kept();
    server.answer = () => ({ raw: (response) => response.destroy() });
    const failure = await failureOf(call('write', { key: 'a', content: 'x', if_none_match: '*' }));
    expect([failure.code, server.seen.length]).toEqual(['outcome_unknown', 1]);
  });

  test.each([
    [{ if_none_match: 'x' }],
    [{ if_match: '' }],
    [{ if_match: '*' }],
    [{ if_match: 'a\r\nb' }],
    [{ if_match: 'W/"a"' }],
    [{ if_match: 7 }],
    [{ if_match: 'a', if_none_match: '*' }],
  ])('%j is refused', async (condition) => {
    const { server, call } = await kept();
    const { code } = await failureOf(call('write', { key: 'a', content: 'x', ...condition }));
    expect([code, server.seen]).toEqual(['parameters_invalid', []]);
  });
});

describe.each(['if_match', 'if_none_match'])('%s that is written without a value is refused', (name) => {
  test.each(['write', 'copy', 'move', 'delete'])('by %s, which changes nothing', async (operation) => {
    const { objects, server, call, textOf } = await kept();
    objects.put('a', 'text');
    objects.put('b', 'other');
    const asked = { key: 'a', source: 'b', destination: 'a', content: 'x' };
    for (const value of [null, undefined]) {
      const failure = await failureOf(call(operation, { ...asked, [name]: value }));
      expect([failure.code, failure.kind.status, failure.fields]).toEqual([
        'value_refused',
        400,
        [{ field: name, code: 'required', message: `the parameter "${name}" is written, and has no value` }],
      ]);
    }
    expect(server.seen.filter(({ method }) => method !== 'HEAD')).toEqual([]);
    expect([await textOf('a'), await textOf('b')]).toEqual(['text', 'other']);
  });
});

test('what is removed has no if_none_match', async () => {
  const { objects, call } = await kept();
  objects.put('a', 'text');
  const { code, message } = await failureOf(call('delete', { key: 'a', if_none_match: '*' }));
  expect([code, message, objects.keys()]).toEqual([
    'parameters_invalid',
    'the parameter "if_none_match" does not belong to this operation',
    ['a'],
  ]);
});
