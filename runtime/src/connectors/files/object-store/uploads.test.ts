import { describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { contentOf, failureOf } from '../testing/asking.ts';
import { standIn } from './testing/opened.ts';
import { type Answer, errorXml, type Seen, type StandIn } from './testing/stand-in.ts';

const part = 1024 * 1024;
const written = { part_size: part };

/** What a store answers to uploads in parts. */
function upload({ method, url }: Seen): Answer | undefined {
  if (url.includes('uploads=')) return { body: '<R><UploadId>u &amp; 1</UploadId></R>' };
  if (method === 'POST') return { body: '<R><ETag>&quot;all-2&quot;</ETag></R>' };
  if (method === 'DELETE') return { status: 204 };
  return { headers: { etag: `"${/partNumber=(\d+)/.exec(url)?.[1]}&<"` } };
}

const asked = (server: StandIn) => server.seen.map(({ method, url }) => `${method} ${url}`);

describe('an upload', () => {
  test('of no more than a part is one request, with every byte and its length', async () => {
    const { server, call } = await standIn(written);
    for (const size of [0, 1, part])
      await call('write', {
        key: 'a',
        content: contentOf(async function* () {
          yield Buffer.alloc(size, 'x');
        }),
      });
    expect(server.seen.map(({ method, headers, body }) => [method, headers['content-length'], body.length])).toEqual([
      ['PUT', '0', 0],
      ['PUT', '1', 1],
      ['PUT', String(part), part],
    ]);
  });

  test('of more is sent in parts of part_size, and completed with their tags in order', async () => {
    const { server, call } = await standIn(written);
    server.answer = upload;
    const { value } = await call('write', { key: 'a b', content: Buffer.alloc(2 * part + 7, 'x') });
    expect(value).toEqual({ key: 'a b', bucket: 'box', etag: 'all-2', size: 2 * part + 7, uploaded: true });
    const id = 'uploadId=u%20%26%201';
    expect([...asked(server)].sort()).toEqual(
      [
        'POST /box/a%20b?uploads=',
        `PUT /box/a%20b?partNumber=1&${id}`,
        `PUT /box/a%20b?partNumber=2&${id}`,
        `PUT /box/a%20b?partNumber=3&${id}`,
        `POST /box/a%20b?${id}`,
      ].sort(),
    );
    expect(server.seen.at(-1)?.body.toString()).toBe(
      `<CompleteMultipartUpload>${[1, 2, 3].map((n) => `<Part><PartNumber>${n}</PartNumber><ETag>&quot;${n}&amp;&lt;&quot;</ETag></Part>`).join('')}</CompleteMultipartUpload>`,
    );
  });

  test.each([1, 3])('A-05: upload_concurrency = %i is how many parts are under way; the source waits', async (most) => {
    const { server, call } = await standIn({ ...written, upload_concurrency: most });
    const held: (() => void)[] = [];
    let taken = 0;
    server.answer = (seen) =>
      seen.method === 'PUT'
        ? { raw: (response) => held.push(() => response.writeHead(200, { etag: '"1"' }).end()) }
        : upload(seen);
    const source = contentOf(async function* () {
      for (let at = 0; at < 8; at++) {
        taken++;
        yield Buffer.alloc(part);
      }
    });
    const writing = call('write', { key: 'a', content: source });
    await until(() => held.length === most);
    // What is taken: the parts under way, the next one, and what the stream holds.
    await new Promise((resolve) => setImmediate(resolve));
    expect([held.length, taken <= most + 3]).toEqual([most, true]);
    const release = setInterval(() => held.splice(0).forEach((answer) => void answer()), 1);
    await writing;
    clearInterval(release);
    expect(asked(server).filter((each) => each.startsWith('PUT')).length).toBe(8);
  });

  test('S-82: of which a part fails is given up, also while its source is silent', async () => {
    const { server, call } = await standIn({ ...written, retry: { attempts: 1 } });
    server.answer = (seen) =>
      seen.method === 'PUT' ? { status: 507, body: errorXml('EntityTooLarge') } : upload(seen);
    const silent = contentOf(async function* () {
      yield Buffer.alloc(part + 1);
      await new Promise(() => undefined);
    });
    expect((await failureOf(call('write', { key: 'a', content: silent }))).code).toBe('value_refused');
    expect(asked(server).at(-1)).toBe('DELETE /box/a?uploadId=u%20%26%201');
  });

  test('whose message is cancelled is given up', async () => {
    const { server, call, connector } = await standIn(written);
    server.answer = upload;
    const stop = new AbortController();
    const silent = contentOf(async function* () {
      yield Buffer.alloc(part + 1);
      await until(() => asked(server).length >= 2);
      stop.abort();
      await new Promise(() => undefined);
    });
    const { code } = await failureOf(call('write', { key: 'a', content: silent }, { signal: stop.signal }));
    await connector.close();
    expect([code, asked(server).at(-1)]).toEqual(['cancelled', 'DELETE /box/a?uploadId=u%20%26%201']);
  });

  test('that cannot be given up is logged', async () => {
    const { server, call, lines } = await standIn({ ...written, retry: { attempts: 1 } });
    server.answer = (seen) =>
      seen.method === 'POST' ? upload(seen) : { status: 500, body: errorXml('InternalError') };
    await failureOf(call('write', { key: 'a', content: Buffer.alloc(part + 1) }));
    expect(lines.find(({ level }) => level === 'warn')?.fields).toMatchObject({
      bucket: 'box',
      key: 'a',
      upload: 'u & 1',
    });
  });

  test('A-10: whose last answer is lost is unknown, also when a second attempt finds it gone', async () => {
    const { server, call } = await standIn(written);
    let completed = 0;
    server.answer = (seen) => {
      const isComplete = seen.method === 'POST' && !seen.url.includes('uploads=');
      if (!isComplete) return upload(seen);
      return ++completed === 1
        ? { raw: (response) => response.destroy() }
        : { status: 404, body: errorXml('NoSuchUpload') };
    };
    const { code, retriable } = await failureOf(call('write', { key: 'a', content: Buffer.alloc(part + 1) }));
    expect([code, retriable, completed]).toEqual(['outcome_unknown', true, 2]);
  });

  test('with more parts than an upload has is refused before it begins', async () => {
    const { server, call } = await standIn(written);
    const huge = contentOf(async function* () {}, 10_001 * part);
    const { code, message } = await failureOf(call('write', { key: 'a', content: huge }));
    expect([code, message.includes('part_size'), server.seen]).toEqual(['value_refused', true, []]);
  });
});
