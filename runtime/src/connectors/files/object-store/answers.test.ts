import { describe, expect, test } from 'vitest';
import { failureOf } from '../testing/asking.ts';
import { standIn } from './testing/opened.ts';
import { type Answer, errorXml, type Seen } from './testing/stand-in.ts';

const mebibyte = 1024 * 1024;
const head: Answer = { headers: { 'content-length': '1', etag: '"1"' } };
const begun: Answer = { body: '<R><UploadId>u</UploadId></R>' };
const large = { key: 'a', content: Buffer.alloc(mebibyte + 1, 'x') };

async function answering(answer: (seen: Seen, count: number) => Answer | undefined, written = {}) {
  const { server, call } = await standIn({ part_size: mebibyte, retry: { attempts: 2, delay: 1 }, ...written });
  server.answer = answer;
  const asked = () => server.seen.map(({ method, url }) => `${method} ${url}`);
  return { server, call, asked };
}

/** A bucket in which `a` is copied and moved, and the request that copies it is answered so. */
const copying = (copied: Answer) =>
  answering(({ method }) => (method === 'HEAD' ? head : method === 'PUT' ? copied : undefined));

describe('an answer of 200', () => {
  test.each([
    ['an error', errorXml('InternalError'), 'upstream_error'],
    [
      'an error behind blanks',
      `<?xml version="1.0"?>\n${' \n'.repeat(2000)}<Error><Code>InternalError</Code></Error>`,
      'upstream_error',
    ],
    ['nothing', '', 'connector_refused'],
    ['no ETag', '<CopyObjectResult/>', 'connector_failed'],
  ])('that has %s ends no copy: what is moved stays where it is', async (_, body, code) => {
    const { call, asked } = await copying({ status: 200, body, headers: {} });
    for (const operation of ['copy', 'move'])
      expect((await failureOf(call(operation, { source: 'a', destination: 'b' }))).code).toBe(code);
    expect(asked().filter((each) => each.startsWith('DELETE'))).toEqual([]);
  });

  test('that has an error ends no upload, which is given up', async () => {
    const { call, asked } = await answering(({ method, url }) => {
      if (url.includes('uploads=')) return begun;
      return method === 'POST' ? { body: `\n \n${errorXml('InternalError')}` } : undefined;
    });
    const { code, message } = await failureOf(call('write', large));
    expect([code, message]).toEqual(['upstream_error', 'the object store answered InternalError: It is refused.']);
    expect(asked().slice(-3)).toEqual(['POST /box/a?uploadId=u', 'POST /box/a?uploadId=u', 'DELETE /box/a?uploadId=u']);
  });

  test('whose list has an object that is called as errors are is a list', async () => {
    const { call } = await answering(() => ({
      body: '<L><Contents><Key>&lt;Error&gt;</Key><Size>1</Size></Contents><Error>none</Error></L>',
    }));
    expect((await call('list', {})).value).toMatchObject([{ key: '<Error>' }]);
  });
});

test('a key that XML cannot carry is repeated by answers, and an upload in parts ends well', async () => {
  const key = 'a\u0001\u000b\uffffb';
  const repeated = `<Key>a&#1;&#xB;\uffffb</Key><Location>/box/a\u0001b</Location>`;
  const { call } = await answering(({ method, url }) => {
    if (url.includes('uploads=')) return { body: `<R>${repeated}<UploadId>u</UploadId></R>` };
    return method === 'POST' ? { body: `<R>${repeated}<ETag>"2-2"</ETag></R>` } : undefined;
  });
  expect((await call('write', { ...large, key })).value).toMatchObject({ key, etag: '2-2' });
  const refusing = await answering(() => ({
    status: 404,
    body: `<Error><Code>NoSuchBucket</Code><Message>x</Message>${repeated}</Error>`,
  }));
  expect((await failureOf(refusing.call('write', { key, content: 'x' }))).message).toBe(
    'the bucket does not exist (NoSuchBucket: x)',
  );
});

describe('repeating', () => {
  test('what a busy server did not begin is sent again, also with a condition', async () => {
    const { call, asked } = await answering((_, count) =>
      count === 1 ? { status: 503, body: errorXml('SlowDown') } : undefined,
    );
    await call('write', { key: 'a', content: 'x', if_none_match: '*' });
    expect(asked()).toEqual(['PUT /box/a', 'PUT /box/a']);
  });

  test('what a store does not have is not', async () => {
    const { call, asked } = await answering(() => ({ status: 501, body: errorXml('NotImplemented') }));
    const { code, retriable } = await failureOf(call('write', { key: 'a', content: 'x' }));
    expect([code, retriable, asked()]).toEqual(['upstream_error', false, ['PUT /box/a']]);
  });

  test('a write with a condition beside another write is not, and may succeed later', async () => {
    const { call, asked } = await answering(() => ({ status: 409, body: errorXml('ConditionalRequestConflict') }));
    const { code, retriable } = await failureOf(call('write', { key: 'a', content: 'x', if_none_match: '*' }));
    expect([code, retriable, asked()]).toEqual(['upstream_error', true, ['PUT /box/a']]);
  });
});

describe('a bucket that is elsewhere', () => {
  const elsewhere = 'the bucket is in the region "eu-west-3": write region = "eu-west-3"';

  test.each([
    [307, 'TemporaryRedirect', { 'x-amz-bucket-region': 'eu-west-3' }, ''],
    [400, 'AuthorizationHeaderMalformed', {}, '<Region>eu-west-3</Region>'],
  ])('is named, answered %i %s', async (status, code, headers, region) => {
    const body = `<Error><Code>${code}</Code><Message>x</Message>${region}</Error>`;
    const { call } = await answering(() => ({
      status,
      headers: { location: 'http://169.254.169.254/', ...headers },
      body,
    }));
    expect((await failureOf(call('write', { key: 'a', content: 'x' }))).message).toBe(elsewhere);
  });

  test.each<Readonly<Record<string, string>>>([{}, { 'x-amz-bucket-region': 'eu-central-1' }])(
    'since it is new and its name leads elsewhere is asked again: %j',
    async (headers) => {
      const { call, asked } = await answering((_, count) =>
        count === 1 ? { status: 307, headers, body: errorXml('TemporaryRedirect') } : undefined,
      );
      await call('write', { key: 'a', content: 'x' });
      expect(asked()).toEqual(['PUT /box/a', 'PUT /box/a']);
    },
  );
});

describe('the version that is copied', () => {
  const refused: Answer = { status: 412, body: errorXml('PreconditionFailed') };

  test('is copied, and removed by a move, where a store does not know the ETag that it says', async () => {
    const modified = 'Wed, 01 Jan 2025 00:00:00 GMT';
    const { server, call, asked } = await answering(({ method, headers }) => {
      if (method === 'HEAD') return { headers: { ...head.headers, 'last-modified': modified } };
      if (headers['x-amz-copy-source-if-match'] ?? headers['if-match']) return refused;
      return method === 'PUT' ? { body: '<R><ETag>"1"</ETag></R>' } : { status: 204 };
    });
    await call('move', { source: 'a', destination: 'b' });
    const [look, copied, gone] = ['HEAD /box/a', 'PUT /box/b', 'DELETE /box/a'];
    expect(asked()).toEqual([look, copied, look, copied, gone, look, gone]);
    expect(server.seen[3]?.headers['x-amz-copy-source-if-unmodified-since']).toBe(modified);
  });

  test('is neither copied nor removed where another one is there', async () => {
    const { call, asked } = await answering(({ method, headers }) => {
      if (method === 'HEAD') return headers['if-match'] === undefined ? head : { status: 412 };
      return refused;
    });
    for (const operation of ['copy', 'move']) {
      const { code, message } = await failureOf(call(operation, { source: 'a', destination: 'b' }));
      expect([code, message]).toEqual(['connector_failed', '"a" was replaced meanwhile']);
    }
    expect(asked().filter((each) => each.startsWith('DELETE'))).toEqual([]);
  });

  test('differs from a condition of the copy that does not hold', async () => {
    const failing = (condition: string) =>
      answering(({ method, url }) => {
        if (method === 'HEAD') return url === '/box/a' ? head : { status: 404 };
        const body = `<Error><Code>PreconditionFailed</Code><Condition>${condition}</Condition></Error>`;
        return { status: 412, body };
      });
    const pair = { source: 'a', destination: 'b', if_none_match: '*' };
    const codeAt = async (condition: string) => (await failureOf((await failing(condition)).call('copy', pair))).code;
    expect(await codeAt('If-None-Match')).toBe('precondition_failed');
    expect(await codeAt('x-amz-copy-source-If-Match')).toBe('connector_failed');
  });
});
