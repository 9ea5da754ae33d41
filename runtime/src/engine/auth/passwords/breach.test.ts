import { createHash, randomBytes } from 'node:crypto';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { memoryLog } from '../../../service/running/testing/fakes.ts';
import { BreachList } from './breach.ts';

const digestOf = (password: string) => createHash('sha1').update(password).digest('hex').toUpperCase();

async function listening(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A list as the public one answers: with padding when it is asked for. */
function listOf(entries: Readonly<Record<string, number>>, asked: unknown[] = []): RequestListener {
  return ({ url = '', headers }, response) => {
    asked.push({ url, padding: headers['add-padding'], authorization: headers.authorization });
    const prefix = url.slice(-5);
    const own = Object.entries(entries).map(([password, count]) => [digestOf(password), count] as const);
    const held = own
      .filter(([digest]) => digest.startsWith(prefix))
      .map(([digest, count]) => `${digest.slice(5)}:${count}`);
    const padding = Array.from({ length: 20 }, () => `${randomBytes(18).toString('hex').slice(0, 35).toUpperCase()}:0`);
    response.setHeader('content-encoding', 'gzip').end(gzipSync([...held, ...padding].join('\r\n')));
  };
}

describe('a list of breached passwords', () => {
  test('R-29: has a password as often as it says, and learns five characters of a digest', async () => {
    const asked: unknown[] = [];
    const url = await listening(listOf({ password: 9_545_824, hunter2: 17_043 }, asked));
    const { log, lines } = memoryLog();
    const list = new BreachList(`${url}/range/`, log);
    const counts = await Promise.all(['password', 'hunter2', 'hunter3'].map((password) => list.count(password)));
    expect(counts).toEqual([9_545_824, 17_043, 0]);
    expect(asked).toHaveLength(3);
    for (const password of ['password', 'hunter2', 'hunter3'])
      expect(asked).toContainEqual({
        url: `/range/${digestOf(password).slice(0, 5)}`,
        padding: 'true',
        authorization: undefined,
      });
    expect(lines).toEqual([]);
  });

  test('has no password that is padding', async () => {
    const url = await listening(listOf({ hunter2: 0 }));
    expect(await new BreachList(url, memoryLog().log).count('hunter2')).toBe(0);
  });

  test.each([
    ['/list', '/list/'],
    ['/list/', '/list/'],
    ['/list?key=1&prefix=', '/list?key=1&prefix='],
  ])('at %s is asked at %s and the characters', async (written, path) => {
    const asked: { url: string }[] = [];
    const url = await listening(listOf({}, asked));
    await new BreachList(url + written, memoryLog().log).count('hunter2');
    expect(asked[0]?.url).toBe(path + digestOf('hunter2').slice(0, 5));
  });
});

describe('S-79: a list that cannot be read lets a password pass, and says so', () => {
  const answers: Record<string, (response: ServerResponse) => void> = {
    'an error': (response) => void response.writeHead(500).end('hunter2'),
    'a page': (response) => void response.end('<html>sign in to this network</html>'),
    'a redirect elsewhere': (response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    'nothing ever': () => undefined,
    'a cut answer': (response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('0');
      setImmediate(() => response.destroy());
    },
    'an endless answer': (response) => {
      const more = () => {
        while (!response.destroyed && response.write('0'.repeat(65_536)));
        response.once('drain', more);
      };
      more();
    },
    'a bomb': (response) => void response.setHeader('content-encoding', 'gzip').end(gzipSync('0'.repeat(50_000_000))),
  };

  test.each(Object.entries(answers))('%s', async (_, send) => {
    const url = await listening((_request, response) => send(response));
    const { log, lines } = memoryLog();
    expect(await new BreachList(url, log).count('hunter2')).toBe(0);
    expect(lines).toEqual([
      { level: 'warn', message: expect.stringContaining('accepted without it'), fields: { error: expect.any(String) } },
    ]);
    const printed = JSON.stringify(lines);
    for (const secret of ['hunter2', digestOf('hunter2'), digestOf('hunter2').slice(0, 5)])
      expect(printed).not.toContain(secret);
  });

  test('no server', async () => {
    const { log, lines } = memoryLog();
    expect(await new BreachList('http://127.0.0.1:1/', log).count('hunter2')).toBe(0);
    expect(lines).toHaveLength(1);
  });
});

test('a caller that has gone is not waited for', async () => {
  const asked = Promise.withResolvers<void>();
  let closed = false;
  const url = await listening(({ socket }) => {
    socket.on('close', () => (closed = true));
    asked.resolve();
  });
  const gone = new AbortController();
  const count = new BreachList(url, memoryLog().log).count('hunter2', gone.signal);
  await asked.promise;
  gone.abort(new Error('gone'));
  await expect(count).rejects.toThrow('gone');
  await until(() => closed);
});
