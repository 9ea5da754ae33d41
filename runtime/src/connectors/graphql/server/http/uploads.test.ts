import { describe, expect, test } from 'vitest';
import type { Content } from '../../../../foundation/contracts/content.ts';
import type { Message } from '../../../../foundation/contracts/message.ts';
import { reply, type ServedGraphql, type ServedSchema, servedGraphql } from '../testing/served.ts';

const schema = `scalar Upload
input Letter { title: String, file: Upload! }
type Query { size(file: Upload): Int sizes(files: [Upload!]!): [Int] any(input: JSON): JSON }
type Mutation { keep(letter: Letter!): String }`;

let runs = 0;
const sizeOf = (file: unknown) => Number((file as Content).size);
const flows = {
  'Query.size': ({ input }: Message) => reply(input['file'] ? sizeOf(input['file']) : 0),
  'Query.sizes': ({ input }: Message) => reply((input['files'] as Content[]).map(sizeOf)),
  'Query.any': ({ input }: Message) => reply(input),
  'Mutation.keep': ({ input }: Message) => {
    runs++;
    const { title, file } = input['letter'] as { title: string; file: Content };
    return reply(`${title}: ${file.filename} ${file.content_type} ${Buffer.from(file.data, 'base64')}`);
  },
};
const serve = (options: ServedSchema = {}) =>
  servedGraphql(schema, flows, { ...options, config: { uploads: true, ...options.config } });

const preflight = { 'graphql-require-preflight': '1' };
type Parts = readonly (readonly [name: string, value: string | Blob])[];

function send(
  server: ServedGraphql,
  operations: unknown,
  map: unknown,
  files: Parts,
  headers: Record<string, string> = preflight,
) {
  const form = new FormData();
  if (operations !== undefined)
    form.append('operations', typeof operations === 'string' ? operations : JSON.stringify(operations));
  if (map !== undefined) form.append('map', typeof map === 'string' ? map : JSON.stringify(map));
  for (const [name, value] of files)
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, 'a.txt');
  return server.ask('/graphql', { method: 'POST', headers, body: form });
}

const text = (value: string) => new Blob([value], { type: 'text/plain' });
const one = { query: 'query($file: Upload) { size(file: $file) }', variables: { file: null } };

describe('a form with files', () => {
  test('has them where the map says', async () => {
    await using server = await serve();
    const single = await send(server, one, { 0: ['variables.file'] }, [['0', text('four')]]);
    const list = {
      query: 'query($files: [Upload!]!) { sizes(files: $files) }',
      variables: { files: [null, null, null] },
    };
    const several = await send(
      server,
      list,
      { a: ['variables.files.0', 'variables.files.2'], b: ['variables.files.1'] },
      [
        ['a', text('four')],
        ['b', text('x'.repeat(200_000))],
      ],
    );
    const nested = await send(
      server,
      {
        query: 'mutation($letter: Letter!) { keep(letter: $letter) }',
        variables: { letter: { title: 'One', file: null } },
      },
      { x: ['variables.letter.file'] },
      [['x', text('content')]],
      { 'apollo-require-preflight': 'true' },
    );
    const inJson = await send(
      server,
      { query: 'query($i: JSON) { any(input: $i) }', variables: { i: { photo: null } } },
      { p: ['variables.i.photo'] },
      [['p', text('12')]],
    );
    expect([single.json, several.json, nested.json, inJson.json]).toEqual([
      { data: { size: 4 } },
      { data: { sizes: [4, 200_000, 4] } },
      { data: { keep: 'One: a.txt text/plain content' } },
      { data: { any: { photo: { filename: 'a.txt', content_type: 'text/plain', size: 2, data: 'MTI=' } } } },
    ]);
  });

  test('S-67: never runs without a header that pages of other origins have to ask for', async () => {
    await using server = await serve();
    runs = 0;
    const operations = {
      query: 'mutation($letter: Letter!) { keep(letter: $letter) }',
      variables: { letter: { title: 'One', file: null } },
    };
    const unasked: Record<string, string>[] = [{}, { 'x-requested-with': 'x' }, { 'graphql-require-preflight': '' }];
    for (const headers of unasked) {
      const answer = await send(server, operations, { 0: ['variables.letter.file'] }, [['0', text('a')]], headers);
      expect([answer.status, answer.json]).toEqual([
        400,
        { errors: [{ message: expect.stringContaining('GraphQL-Require-Preflight'), extensions: expect.anything() }] },
      ]);
    }
    expect(runs).toBe(0);
  });

  test('is taken only where the configuration says so', async () => {
    await using server = await serve({ config: { uploads: false } });
    const answer = await send(server, one, { 0: ['variables.file'] }, [['0', text('four')]]);
    expect(answer.status).toBe(415);
    expect((await server.post({ ...one, variables: { file: { filename: 'a' } } })).json).toEqual({
      errors: [{ message: expect.stringContaining('Upload must be a file'), locations: expect.anything() }],
    });
    expect((await server.post({ query: '{ size(file: "a") }' })).json).toEqual({
      errors: [{ message: 'Upload must be a variable' }],
    });
  });

  test.each<readonly [string, unknown, unknown, Parts, string]>([
    ['no operations', undefined, {}, [], 'the form must have one field "operations"'],
    ['no map', one, undefined, [], 'the form must have one field "map"'],
    ['operations that are not JSON', '{', {}, [], 'the field "operations" of the form must be JSON'],
    ['a map that is not JSON', one, '{', [], 'the field "map" of the form must be JSON'],
    ['a map that is a list', one, [], [], 'the field "map" of the form must be an object of lists'],
    [
      'a list of operations',
      [one],
      { 0: ['0.variables.file'] },
      [['0', text('a')]],
      '"0.variables.file" does not name a variable',
    ],
    ['no file', one, { 0: ['variables.file'] }, [], 'the form has no file "0"'],
    ['a text for a file', one, { 0: ['variables.file'] }, [['0', 'a']], 'the form has no file "0"'],
    ['a file that is not in the map', one, {}, [['0', text('a')]], 'the map does not have the file "0"'],
    [
      'two files of a name',
      one,
      { 0: ['variables.file'] },
      [
        ['0', text('a')],
        ['0', text('b')],
      ],
      'the form has more than one file "0"',
    ],
    ['no path', one, { 0: [] }, [['0', text('a')]], 'the map must have a list of paths for "0"'],
    [
      'a path that is not a list',
      one,
      { 0: 'variables.file' },
      [['0', text('a')]],
      'the map must have a list of paths for "0"',
    ],
    ['a path that is not a text', one, { 0: [1] }, [['0', text('a')]], '"1" does not name a variable'],
    ['the whole', one, { 0: ['variables'] }, [['0', text('a')]], '"variables" does not name a variable'],
    ['the document', one, { 0: ['query'] }, [['0', text('a')]], '"query" does not name a variable'],
    [
      'a path that is not there',
      one,
      { 0: ['variables.other'] },
      [['0', text('a')]],
      'there is no null at "variables.other" to be a file',
    ],
    [
      'a place twice',
      one,
      { 0: ['variables.file', 'variables.file'] },
      [['0', text('a')]],
      'there is no null at "variables.file" to be a file',
    ],
    [
      'a prototype',
      one,
      { 0: ['variables.__proto__'] },
      [['0', text('a')]],
      'there is no null at "variables.__proto__" to be a file',
    ],
    ['a place in a prototype', one, { 0: ['variables.__proto__.polluted'] }, [['0', text('a')]], 'to be a file'],
    [
      'a place in a constructor',
      one,
      { 0: ['variables.constructor.prototype.polluted'] },
      [['0', text('a')]],
      'to be a file',
    ],
    [
      'a length',
      { ...one, variables: { file: [] } },
      { 0: ['variables.file.length'] },
      [['0', text('a')]],
      'to be a file',
    ],
  ])('is refused with %s', async (_title, operations, map, files, message) => {
    await using server = await serve();
    const answer = await send(server, operations, map, files);
    expect([answer.status, answer.json]).toEqual([
      400,
      { errors: [{ message: expect.stringContaining(message), extensions: { code: 'body_undecodable' } }] },
    ]);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect((await server.post({ query: '{ __typename }' })).status).toBe(200);
  });

  test('is bounded in bytes and in parts', async () => {
    await using server = await serve({ config: { max_upload: 300_000 } });
    const large = await send(server, one, { 0: ['variables.file'] }, [['0', text('x'.repeat(400_000))]]);
    const files = Array.from({ length: 1001 }, (_, index) => [`${index}`, text('')] as const);
    const many = await send(server, one, { 0: ['variables.file'] }, files);
    expect([large.status, large.json, many.status]).toEqual([
      413,
      { error: 'the body is larger than 300000 bytes', code: 'body_too_large' },
      413,
    ]);
  });

  test('A-04: that ends in the middle is given up, and others are served', async () => {
    await using server = await serve();
    const body = '--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n{"query":"{ __ty';
    const head = `POST /graphql HTTP/1.1\r\nHost: x\r\nGraphQL-Require-Preflight: 1\r\nContent-Type: multipart/form-data; boundary=x\r\n`;
    const cut = await server.raw(`${head}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    expect(cut).toMatch(/^HTTP\/1.1 400 /);
    expect((await server.post({ query: '{ __typename }' })).status).toBe(200);
  });
});
