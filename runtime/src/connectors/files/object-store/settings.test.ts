import { describe, expect, test } from 'vitest';
import { loadFactory } from '../../registry.ts';
import { described } from '../testing/asking.ts';
import { create as createAsFile } from './as-file/connector.ts';
import { create } from './connector.ts';
import { objectStoreConnector, s3Files } from './spec.ts';
import { after, opened, standIn, writtenFor } from './testing/opened.ts';
import { StandIn } from './testing/stand-in.ts';

/** The stand-in has one object of this content, whatever its key. */
function holding(server: StandIn, content: string): void {
  const length = String(Buffer.byteLength(content));
  server.answer = ({ method }) =>
    method === 'HEAD' ? { headers: { 'content-length': length, etag: '"1"' } } : { body: content };
}

async function rowsOf(written: Readonly<Record<string, unknown>>, content: string, key = 'a.csv') {
  const { server, call } = await standIn(written);
  holding(server, content);
  return (await call('read', { key })).value;
}

describe('tables are read as the block says', () => {
  test.each([
    ['csv_delimiter', ';', 'a;b\n1;2\n', [{ a: '1', b: '2' }]],
    ['csv_comment', '#', '# x\na,b\n1,2\n', [{ a: '1', b: '2' }]],
    ['csv_no_header', true, '1,2\n', [{ column_1: '1', column_2: '2' }]],
    ['csv_trim_space', true, 'a , b\n 1 , 2\n', [{ a: '1', b: '2' }]],
    ['csv_skip_rows', 1, 'title\na,b\n1,2\n', [{ a: '1', b: '2' }]],
  ])('%s = %j', async (name, value, content, rows) => {
    expect(await rowsOf({ [name]: value }, content)).toEqual(rows);
    const otherwise = await rowsOf({}, content).catch((error: Error) => error);
    expect(otherwise).not.toEqual(rows);
  });
});

test.each([
  [true, "a\r\n'=1+1\r\n"],
  [false, 'a\r\n=1+1\r\n'],
])('S-55: escape_formulas = %j decides whether a cell may be a formula', async (escaped, content) => {
  const { server, call } = await standIn({ escape_formulas: escaped });
  await call('write', { key: 'a.csv', content: [{ a: '=1+1' }] });
  expect(server.seen[0]?.body.toString()).toBe(content);
});

test('max_read bounds what is read into memory, max_entries what a list has, format what has no ending', async () => {
  const { server } = await standIn();
  const narrow = await opened({ ...writtenFor(server), max_read: 5, max_entries: 1, format: 'ndjson' });
  await narrow.call('write', { key: 'a', content: [{ n: 1 }] });
  expect(server.seen[0]?.body.toString()).toBe('{"n":1}\n');
  holding(server, '{"n":1}\n');
  await expect(narrow.call('read', { key: 'a' })).rejects.toMatchObject({ code: 'body_too_large' });
  const wide = await opened({ ...writtenFor(server), format: 'ndjson' });
  expect((await wide.call('read', { key: 'a' })).value).toEqual([{ n: 1 }]);
  const two = '<l><Contents><Key>a</Key><Size>1</Size></Contents><Contents><Key>b</Key><Size>1</Size></Contents></l>';
  server.answer = () => ({ body: two });
  await expect(narrow.call('list', {})).rejects.toMatchObject({ code: 'body_too_large' });
  expect((await wide.call('list', {})).value).toMatchObject([{ key: 'a' }, { key: 'b' }]);
});

test('words of a place and of a named operation say format, key and what is done', async () => {
  const { server, connector } = await standIn();
  const spoken = connector.target.prepare({ ...described, verb: 'create', target: 'a', words: { format: 'ndjson' } });
  await spoken({ payload: { n: 1 } });
  const named = { path_pattern: 'reports/{year}/{name}.csv', format: 'ndjson' };
  const operation = connector.target.prepare({ ...described, verb: 'create', operation: 'write', named });
  await operation({ payload: { n: 2 }, params: { year: 2025n, name: 'ä b' } });
  await expect(operation({ payload: { n: 2 }, params: { year: '..', name: 'x' } })).rejects.toMatchObject({
    code: 'parameters_invalid',
  });
  expect(server.seen.map(({ url, body }) => [url, body.toString()])).toEqual([
    ['/box/a', '{"n":1}\n'],
    ['/box/reports/2025/%C3%A4%20b.csv', '{"n":2}\n'],
  ]);
});

test('a watch takes new objects, moves them to done, and looks as often as the block says', async () => {
  const looks: string[] = [];
  const server = await StandIn.start();
  after(() => server.close());
  const objects = new Set(['in.txt']);
  server.answer = ({ method, url }) => {
    if (url.includes('list-type')) {
      looks.push(url);
      const contents = [...objects].map(
        (key) => `<Contents><Key>${key}</Key><Size>2</Size><ETag>"1"</ETag></Contents>`,
      );
      return { body: `<l>${contents.join('')}</l>` };
    }
    const key = decodeURIComponent(url.slice('/box/'.length));
    if (method === 'PUT') objects.add(key);
    else if (method === 'DELETE') objects.delete(key);
    else if (!objects.has(key)) return { status: 404 };
    if (method === 'PUT') return { body: '<R><ETag>"1"</ETag></R>' };
    if (method === 'HEAD') return { headers: { 'content-length': '2', etag: '"1"' } };
    return method === 'GET' ? { body: 'ok' } : undefined;
  };
  const watch = { done: 'done', failed: 'failed', recursive: true };
  const { connector } = await opened({ ...writtenFor(server), watch, watch_interval: 10 });
  const taken: unknown[] = [];
  const deliver = ({ input }: { readonly input: Readonly<Record<string, unknown>> }) => {
    taken.push([input['_path'], input['content'], input['_event']]);
    return { kind: 'reply', value: null } as const;
  };
  const source = connector.source as NonNullable<typeof connector.source>;
  const flows = source.bind([{ flow: 'f', operation: '*.txt', words: {}, deliver }] as never);
  await flows.prepare();
  flows.use();
  await source.start();
  await expect.poll(() => [...objects]).toEqual(['done/in.txt']);
  expect([taken, looks.length > 1]).toEqual([[['in.txt', 'ok', 'created']], true]);
});

test('`type = "file"` with `driver = "s3"` is loaded as the object store', async () => {
  expect([await loadFactory(s3Files), await loadFactory(objectStoreConnector)]).toEqual([createAsFile, create]);
  expect(createAsFile).toBe(create);
});
