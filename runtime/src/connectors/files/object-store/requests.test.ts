import { describe, expect, test } from 'vitest';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { failureOf } from '../testing/asking.ts';
import { connectorOf } from './testing/bed.ts';
import { after, opened, standIn, writtenFor } from './testing/opened.ts';
import { type Answer, errorXml, keys } from './testing/stand-in.ts';

const busy: Answer = { status: 503, body: errorXml('SlowDown') };

describe('repeating', () => {
  test('what is answered with 503 is sent three times, and then reported', async () => {
    const { server, call } = await standIn();
    server.answer = (_, count) => (count < 3 ? busy : undefined);
    await call('write', { key: 'a', content: 'x' });
    expect(server.seen.map(({ body }) => body.toString())).toEqual(['x', 'x', 'x']);
    server.answer = () => busy;
    const { code, retriable, upstream, message } = await failureOf(call('write', { key: 'a', content: 'x' }));
    expect([code, retriable, upstream?.status, message, server.seen.length]).toEqual([
      'upstream_error',
      true,
      503,
      'the object store answered SlowDown: It is refused.',
      6,
    ]);
  });

  test('as often and as late as the block says', async () => {
    const slept: number[] = [];
    const { clock } = connectorServices();
    const counting = {
      ...clock,
      now: () => clock.now(),
      elapsed: () => clock.elapsed(),
      sleep: async (ms: number) => void slept.push(ms),
    };
    const retry = { attempts: 5, delay: 100, max_delay: 250, backoff: 'linear' };
    const { server, call } = await standIn({ retry }, { clock: counting as never });
    server.answer = () => busy;
    await failureOf(call('write', { key: 'a', content: 'x' }));
    expect(server.seen.length).toBe(5);
    const [first = 0, second = 0, ...rest] = slept;
    expect([
      Math.abs(first - 100) <= 20,
      Math.abs(second - 200) <= 40,
      rest.every((ms) => ms >= 200 && ms <= 250),
    ]).toEqual([true, true, true]);
    slept.length = 0;
    server.answer = () => ({ ...busy, headers: { 'retry-after': '7' } });
    await failureOf(call('write', { key: 'a', content: 'x' }));
    expect(slept).toEqual([7000, 7000, 7000, 7000]);
  });

  test.each(['AccessDenied', 'InvalidAccessKeyId', 'NoSuchBucket', 'InvalidStorageClass'])(
    'what is answered with %s is not',
    async (code) => {
      const { server, call } = await standIn();
      server.answer = () => ({ status: code === 'NoSuchBucket' ? 404 : 403, body: errorXml(code) });
      const failure = await failureOf(call('write', { key: 'a', content: 'x' }));
      expect([failure.code, failure.retriable, server.seen.length]).toEqual(['upstream_error', false, 1]);
      expect(failure.message).toContain(code);
    },
  );

  test('a request that never left is', async () => {
    const { server } = await standIn();
    const proxy = await faultProxy({ port: server.port });
    after(() => proxy.close());
    const { call } = await opened({
      ...writtenFor(server),
      endpoint: `http://127.0.0.1:${proxy.port}`,
      retry: { delay: 1, attempts: 4 },
    });
    proxy.fault = 'refuse';
    const { code, retriable } = await failureOf(call('write', { key: 'a', content: 'x' }));
    expect([code, retriable, proxy.refused]).toEqual(['connector_refused', true, 4]);
  });
});

describe('time', () => {
  test('A-04: a server that accepts and says nothing is given up after request_timeout', async () => {
    const { server, call } = await standIn({ request_timeout: 50, retry: { attempts: 1 } });
    server.answer = () => ({ raw: () => undefined });
    expect((await failureOf(call('write', { key: 'a', content: 'x' }))).code).toBe('connector_timeout');
    expect((await failureOf(call('read', { key: 'a' }))).code).toBe('connector_timeout');
  });

  test('A-04: a body that stops in the middle is given up after request_timeout, one that continues slowly is not', async () => {
    const { server, downloaded } = await standIn({ request_timeout: 200, retry: { attempts: 1 } });
    let isStuck = false;
    server.answer = ({ method }) =>
      method === 'HEAD'
        ? { headers: { 'content-length': '8', etag: '"1"' } }
        : {
            raw: (response) => {
              response.writeHead(200, { 'content-length': '8' });
              let sent = 0;
              const send = () => {
                if (response.destroyed) return;
                response.write('x');
                if (++sent === 8) response.end();
                else if (!isStuck) setTimeout(send, 60);
              };
              send();
            },
          };
    const slow = await downloaded('a');
    expect(Buffer.concat(await slow.bytes.stream().toArray()).toString()).toBe('xxxxxxxx');
    isStuck = true;
    const stuck = await downloaded('a');
    expect((await failureOf(stuck.bytes.stream().toArray())).code).toBe('connector_timeout');
  });

  test('a call with all its attempts ends after timeout', async () => {
    const { server, call } = await standIn({ timeout: 100, retry: { attempts: 100, delay: 50 } });
    server.answer = () => busy;
    expect((await failureOf(call('write', { key: 'a', content: 'x' }))).code).toBe('connector_timeout');
    expect(server.seen.length).toBeLessThan(5);
  });

  test.each([-3_600_000, 3_600_000])(
    'A-09: a clock that differs by %i ms is logged once, and requests have the time of the server',
    async (ahead) => {
      const { server, call, lines } = await standIn();
      server.ahead = ahead;
      await call('write', { key: 'a', content: 'x' });
      await call('write', { key: 'b', content: 'x' });
      expect(server.seen.map(({ url }) => url)).toEqual(['/box/a', '/box/b']);
      expect(lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields['behind'])).toEqual([ahead > 0]);
      server.ahead = 0;
      await call('write', { key: 'c', content: 'x' });
      expect(server.seen.length).toBe(3);
    },
  );
});

describe('answers', () => {
  const list = (body: string | Buffer): Answer => ({ body });

  test.each([
    ['a document type', '<!DOCTYPE l [<!ENTITY a "b">]><l><Contents><Key>&a;</Key></Contents></l>'],
    [
      'a bomb',
      `<!DOCTYPE l [<!ENTITY a "${'x'.repeat(100)}">${Array.from({ length: 20 }, (_, n) => `<!ENTITY a${n} "&a;&a;">`).join('')}]><l/>`,
    ],
    ['another protocol', 'HTTP is what it is not'],
    ['nothing', ''],
    ['a deep one', `${'<a>'.repeat(5000)}${'</a>'.repeat(5000)}`],
    ['a size that is not a number', '<l><Contents><Key>a</Key><Size>-1</Size></Contents></l>'],
    [
      'a list that does not end',
      '<l><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></l>',
    ],
  ])('S-57, S-79: %s is refused', async (_, body) => {
    const { server, call } = await standIn();
    server.answer = () => list(body);
    const { code } = await failureOf(call('list', {}));
    expect(code).toBe('connector_failed');
  });

  test('S-79: one that is larger than a list can be is refused before it is read', async () => {
    const { server, call } = await standIn({ retry: { attempts: 1 } });
    server.answer = () => list(Buffer.alloc(17 * 1024 * 1024, ' '));
    const { code, message } = await failureOf(call('list', {}));
    expect([code, message]).toEqual(['connector_failed', expect.stringContaining('larger than')]);
  });

  test('S-81: keys that a server adds, and those with .. in them, are in no list', async () => {
    const { server, call, lines } = await standIn({ prefix: 'own' });
    const found = ['own/a', 'own/../x', 'own/b/..', 'own/b/./c', 'other/d', '/etc/passwd', 'own/'];
    server.answer = () =>
      list(`<l>${found.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('')}</l>`);
    expect((await call('list', {})).value).toMatchObject([{ key: 'a' }, { key: 'b/./c' }]);
    expect(lines.filter(({ level }) => level === 'warn').length).toBe(2);
  });

  test('S-76: a redirect is not followed; one to another region says which', async () => {
    const { server, call } = await standIn();
    const headers = { location: 'http://169.254.169.254/', 'x-amz-bucket-region': 'eu-west-3' };
    server.answer = () => ({ status: 301, headers, body: errorXml('PermanentRedirect') });
    const { code, message, retriable } = await failureOf(call('write', { key: 'a', content: 'x' }));
    expect([code, message, retriable]).toEqual([
      'connector_failed',
      'the bucket is in the region "eu-west-3": write region = "eu-west-3"',
      false,
    ]);
  });

  test('A-11: what a server repeats of the credentials is hidden', async () => {
    const { server, call, lines } = await standIn({ session_token: 'session+token/kept' });
    const all = [keys.access, keys.secret, 'session+token/kept'];
    server.answer = () => ({ status: 400, body: errorXml('InvalidArgument', all.join(' ')) });
    const { message, cause, upstream } = await failureOf(call('write', { key: 'a', content: 'x' }));
    const said = JSON.stringify([message, cause, upstream, lines]);
    expect([message, all.filter((secret) => said.includes(secret))]).toEqual([
      'the object store answered InvalidArgument: *** *** ***',
      [],
    ]);
    expect(server.seen[0]?.headers['x-amz-security-token']).toBe('session+token/kept');
  });

  test('a copy that fails after its head was sent has failed', async () => {
    const { server, call } = await standIn({ retry: { attempts: 2, delay: 1 } });
    server.answer = ({ method }) =>
      method === 'HEAD'
        ? { headers: { 'content-length': '1', etag: '"1"' } }
        : { status: 200, body: errorXml('InternalError') };
    expect((await failureOf(call('copy', { source: 'a', destination: 'b' }))).code).toBe('upstream_error');
    expect(server.seen.map(({ method }) => method)).toEqual(['HEAD', 'PUT', 'PUT']);
  });
});

describe('credentials of the block', () => {
  test('both keys are needed', async () => {
    const { server } = await standIn();
    for (const empty of ['access_key', 'secret_key']) {
      const connector = connectorOf({ ...writtenFor(server), [empty]: '' }, connectorServices());
      const { code, message } = await failureOf(connector.open(new AbortController().signal));
      expect([code, message]).toEqual(['connector_refused', `${empty} is empty`]);
    }
  });

  test.each([
    ['access_key', 'other', 'the access key is not known: check access_key (InvalidAccessKeyId)'],
    ['secret_key', 'other', 'the signature is refused: check secret_key and region (SignatureDoesNotMatch)'],
    ['region', 'us-east-1', 'the signature is refused: check secret_key and region (SignatureDoesNotMatch)'],
  ])('a wrong %s is reported, by calls and by the check of health', async (name, value, says) => {
    const { server } = await standIn();
    const { call, connector } = await opened({ ...writtenFor(server), [name]: value });
    const shown = says.replace(/\)$/, ': It is refused.)');
    expect((await failureOf(call('write', { key: 'a', content: 'x' }))).message).toBe(shown);
    const { code, message } = await failureOf(Promise.resolve(connector.check?.(new AbortController().signal)));
    expect([code, message]).toEqual(['connector_refused', `the bucket "box": ${shown}`]);
  });

  test('a bucket that may be written and not listed is degraded, one that does not exist is not healthy', async () => {
    const { server, connector } = await standIn({ prefix: 'own' });
    const signal = new AbortController().signal;
    server.answer = () => ({ status: 403, body: errorXml('AccessDenied') });
    expect(await connector.check?.(signal)).toBe('the bucket "box" cannot be checked: the credentials may not list it');
    expect(server.seen[0]?.url).toBe('/box?list-type=2&max-keys=1&prefix=own');
    server.answer = () => ({ status: 404, body: errorXml('NoSuchBucket') });
    expect((await failureOf(Promise.resolve(connector.check?.(signal)))).code).toBe('connector_refused');
    server.answer = () => ({ body: '<l/>' });
    expect(await connector.check?.(signal)).toBe(undefined);
  });
});
