import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  connectorServices,
  httpServices,
  type LogLine,
  recordingLog,
} from '../../../../../test/support/connector-services.ts';
import { until } from '../../../../../test/support/until.ts';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { HttpMount } from '../../../foundation/contracts/http.ts';
import { HttpEdge } from '../edge.ts';
import { HttpListener } from '../sockets/listener.ts';

/** One request that a mount serves. */
export interface ServedRequest {
  readonly method: string;
  readonly path: string;
  /** The pattern that metrics name. */
  readonly route: string;
  /** Status of its answer to a caller that may ask. */
  readonly status: number;
}

/** What serves over HTTP, as tests use it. */
export interface MountBed {
  /**
   * Makes a mount at a free port of 127.0.0.1 that lets in `ada` with `password` by HTTP basic authentication, and says
   * nothing of `cors`. May be made again, as a reload does.
   */
  mount(services: ConnectorServices): Promise<HttpMount>;
  readonly requests: readonly ServedRequest[];
  /** A request with a body, of JSON unless `type` is another one, and the most bytes that it may have; absent where no body is taken. */
  readonly body?:
    | (Pick<ServedRequest, 'method' | 'path'> & { readonly largest: number; readonly type?: string })
    | undefined;
  /** The pattern by which every path is served, though not for GET; absent where only the paths of `requests` are. */
  readonly everyPath?: string | undefined;
  /** Where connections change to another protocol; absent where they do not. */
  readonly upgrade?: { readonly path: string; readonly protocol: string; readonly headers: string } | undefined;
  /** The code of a refusal at a path of `POST`, where its protocol has a form of its own; absent: refusals are JSON. */
  readonly codeOf?: ((text: string) => string | undefined) | undefined;
  close(): Promise<void>;
}

export const password = 'kept:secret';
const credentials = `Authorization: Basic ${btoa(`ada:${password}`)}\r\n`;

/** The contract of everything that serves over HTTP. A new mount is tested with one call. */
export function mountConformance(name: string, makeBed: () => Promise<MountBed>): void {
  describe(`HTTP server ${name}`, () => {
    let bed: MountBed;
    let lines: LogLine[];
    let finished: string[];
    let listener: HttpListener;
    let port: number;
    let sockets: Socket[];
    beforeEach(async () => {
      bed = await makeBed();
      lines = [];
      finished = [];
      sockets = [];
      listener = new HttpListener([name], await edge());
      ({ port } = await listener.listen());
    });
    afterEach(async () => {
      for (const socket of sockets) socket.destroy();
      await listener.close(AbortSignal.abort());
      await bed.close();
    });

    async function edge(): Promise<HttpEdge> {
      const observer = {
        of: (method: string, route: string) => ({
          started: () => undefined,
          finished: (status: number) => finished.push(`${method} ${route} ${status}`),
        }),
      };
      const services = connectorServices({ log: recordingLog(lines) });
      return new HttpEdge([await bed.mount(services)], { ...services, http: httpServices({ observer }) });
    }

    /** A connection, and everything that came over it. */
    function connection() {
      const socket = connect(port, '127.0.0.1');
      sockets.push(socket);
      const state = { text: '', isClosed: false };
      socket.on('data', (piece) => (state.text += piece.toString('latin1')));
      socket.on('error', () => undefined);
      socket.on('close', () => (state.isClosed = true));
      return { socket, state };
    }

    /** Sends bytes, and answers what came until the connection was closed or it was a whole refusal. */
    async function raw(bytes: string): Promise<string> {
      const { socket, state } = connection();
      socket.write(bytes, 'latin1');
      await until(() => state.isClosed || parsed(state.text).json !== undefined);
      return state.text;
    }

    const head = (method: string, path: string, more = '') => `${method} ${path} HTTP/1.1\r\nHost: x\r\n${more}`;
    const ask = (method: string, path: string, more = '') =>
      raw(`${head(method, path, more)}Connection: close\r\n\r\n`).then(parsed);

    /** The code that a refusal says, and nothing else but a text where it is JSON. */
    const refusedBy = (method: string, { text, json }: ReturnType<typeof parsed>): unknown => {
      if (bed.codeOf !== undefined && method === 'POST') return bed.codeOf(text);
      expect(json).toEqual({ error: expect.any(String), code: expect.any(String) });
      return (json as { readonly code: string }).code;
    };

    test('credentials are required before anything is read, at every path', async () => {
      const asked = [
        ...bed.requests,
        { method: 'GET', path: '/not/served/here' },
        { method: 'POST', path: '/%2e%2e/etc' },
        { method: 'OPTIONS', path: '/not/served/here' },
      ];
      for (const { method, path } of asked)
        for (const more of ['', `Authorization: Basic ${btoa('ada:wrong')}\r\n`, 'Authorization: Bearer x\r\n']) {
          const answer = await ask(method, path, more);
          expect([method, path, answer.status]).toEqual([method, path, 401]);
          if (method !== 'HEAD') expect(refusedBy(method, answer)).toBe('authentication_required');
        }
      for (const path of ['/not/served/here', ...bed.requests.map((request) => request.path)]) {
        const body = 'Content-Type: application/json\r\nContent-Length: 9\r\nExpect: 100-continue\r\n';
        // No caller gets `100 Continue` for what would not be read.
        expect(await raw(`${head('POST', path, body)}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1.1 401 /);
      }
    });

    test('a caller that may ask is answered, and metrics name the pattern of the path', async () => {
      for (const { method, path, status } of bed.requests)
        expect([method, path, (await ask(method, path, credentials)).status]).toEqual([method, path, status]);
      expect(finished).toEqual(bed.requests.map(({ method, route, status }) => `${method} ${route} ${status}`));
    });

    test('refusals have one form, and no path that callers make up is a name of a metric', async () => {
      const [served] = bed.requests;
      const answers = [await ask('GET', '/not/served/here', credentials), await ask('GET', '/not/served/here')];
      if (served !== undefined) answers.push(await ask('PROPFIND', served.path, credentials));
      const unknown = bed.everyPath === undefined ? 404 : 405;
      const statuses = [unknown, 401, 405].slice(0, answers.length);
      expect(answers.map(({ status }) => status)).toEqual(statuses);
      for (const { headers, json } of answers) {
        expect(json).toEqual({ error: expect.any(String), code: expect.stringMatching(/^[a-z_]+$/) });
        expect(headers).toMatchObject({
          'content-type': 'application/json; charset=utf-8',
          'x-content-type-options': 'nosniff',
        });
      }
      expect(answers.map(({ headers }) => headers['allow'] !== undefined)).toEqual(
        statuses.map((status) => status === 405),
      );
      const elsewhere = bed.everyPath ?? 'unmatched';
      const counted = [`GET ${elsewhere} ${unknown}`, `GET ${elsewhere} 401`, 'PROPFIND unmatched 405'];
      expect(finished).toEqual(counted.slice(0, answers.length));
    });

    test('OPTIONS says what is served at a path', async () => {
      for (const { method, path } of bed.requests) {
        const { status, headers } = await ask('OPTIONS', path, credentials);
        expect([path, status, headers['allow']?.split(', ').includes(method)]).toEqual([path, 204, true]);
      }
    });

    test('HEAD is answered as GET, without the body', async () => {
      for (const { path, status } of bed.requests.filter(({ method }) => method === 'GET')) {
        const [got, only] = [await ask('GET', path, credentials), await ask('HEAD', path, credentials)];
        expect([path, only.status, only.text, only.headers['content-length']]).toEqual([
          path,
          status,
          '',
          got.headers['content-length'],
        ]);
      }
    });

    test('S-64: a body beyond the limit is refused while it comes, announced or not', async () => {
      if (bed.body === undefined) return;
      const { method, path, largest } = bed.body;
      const json = `${credentials}Content-Type: ${bed.body.type ?? 'application/json'}\r\n`;
      const announced = await raw(`${head(method, path, json)}Content-Length: ${largest + 1}\r\n\r\n`);
      const piece = `10000\r\n${'['.repeat(0x10000)}\r\n`;
      const chunked = await raw(
        `${head(method, path, json)}Transfer-Encoding: chunked\r\n\r\n${piece.repeat(Math.ceil(largest / 0x10000) + 1)}`,
      );
      for (const answer of [parsed(announced), parsed(chunked)])
        expect([answer.status, refusedBy(method, answer)]).toEqual([413, 'body_too_large']);
    });

    test('headers beyond the limits are refused', async () => {
      const path = bed.requests[0]?.path ?? bed.upgrade?.path ?? '/';
      const [large, many] = [
        await ask('GET', path, `${credentials}X-A: ${'a'.repeat(20_000)}\r\n`),
        await ask('GET', path, `${credentials}${'X-A: 1\r\n'.repeat(250)}`),
      ];
      expect([large.status, many.status]).toEqual([431, 431]);
    });

    test('S-88: without `cors` a page of another origin changes and reads nothing', async () => {
      const origin = 'Origin: https://evil.example\r\n';
      for (const { method, path } of bed.requests) {
        const answer = await ask(method, path, `${credentials}${origin}`);
        const granted = Object.keys(answer.headers).filter((field) => field.startsWith('access-control-'));
        expect([method, path, granted]).toEqual([method, path, []]);
        if (!['GET', 'HEAD'].includes(method)) expect([method, path, answer.status]).toEqual([method, path, 403]);
        const preflight = await ask('OPTIONS', path, `${origin}Access-Control-Request-Method: ${method}\r\n`);
        expect(Object.keys(preflight.headers).filter((field) => field.startsWith('access-control-'))).toEqual([]);
      }
    });

    test('connections that change to another protocol pass the same admission', async () => {
      if (bed.upgrade === undefined) return;
      const { path, protocol, headers } = bed.upgrade;
      const upgrade = `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n${headers}`;
      const status = async (more: string, at = path) =>
        parsed(await raw(`${head('GET', at, upgrade)}${more}\r\n`)).status;
      const plain = await ask('GET', path, credentials);
      expect([
        await status(''),
        await status(credentials, '/not/served/here'),
        await status(`${credentials}Origin: https://evil.example\r\n`),
        [plain.status, plain.json],
      ]).toEqual([401, 404, 403, [426, { error: expect.any(String), code: 'upgrade_required' }]]);
    });

    test('R-82: a reload keeps connections, whatever their protocol', async () => {
      const [asking] = bed.requests;
      const kept = connection();
      const bytes = asking === undefined ? undefined : `${head(asking.method, asking.path, credentials)}\r\n`;
      const answers = () => kept.state.text.match(/HTTP\/1.1 \d+/g) ?? [];
      if (bytes !== undefined) kept.socket.write(bytes);
      const changed = connection();
      if (bed.upgrade !== undefined) {
        const { path, protocol, headers } = bed.upgrade;
        changed.socket.write(
          `${head('GET', path, credentials)}Connection: Upgrade\r\nUpgrade: ${protocol}\r\n${headers}\r\n`,
        );
        await until(() => changed.state.text.startsWith('HTTP/1.1 101'));
      }
      if (bytes !== undefined) await until(() => answers().length === 1);
      listener.swap(await edge());
      if (bytes !== undefined) {
        kept.socket.write(bytes);
        await until(() => answers().length === 2);
        expect(answers()).toEqual(Array(2).fill(`HTTP/1.1 ${asking?.status}`));
      }
      expect([kept.state.isClosed, changed.state.isClosed]).toEqual([false, false]);
    });

    test('R-82: a close answers no further request, and ends what is idle and what is cut', async () => {
      const idle = connection();
      await until(() => idle.socket.readyState === 'open');
      await listener.close(AbortSignal.abort());
      await until(() => idle.state.isClosed);
      const late = connection();
      await until(() => late.state.isClosed);
      expect([idle.state.text, late.state.text]).toEqual(['', '']);
    });

    test('no credential is answered or logged', async () => {
      const answers: string[] = [];
      for (const { method, path } of [...bed.requests, { method: 'GET', path: '/not/served/here' }])
        for (const query of ['', `?key=${password}&access_token=${password}`])
          answers.push((await ask(method, `${path}${query}`, credentials)).text);
      const text = JSON.stringify([answers, lines, finished]);
      expect([password, btoa(`ada:${password}`)].filter((secret) => text.includes(secret))).toEqual([]);
    });
  });
}

interface Parsed {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: unknown;
}

/** The first answer in what a server sent. */
function parsed(sent: string): Parsed {
  const end = sent.indexOf('\r\n\r\n');
  const [first = '', ...fields] = sent.slice(0, end).split('\r\n');
  const headers = fields.map((field) => {
    const colon = field.indexOf(':');
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()] as const;
  });
  const text = sent.slice(end + 4);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: Number(first.split(' ')[1]), headers: Object.fromEntries(headers), text, json };
}
