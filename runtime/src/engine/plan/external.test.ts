import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { startText } from '../../service/running/testing/text-service.ts';
import { type Validator, validator, written } from '../auth/external/testing/validator.ts';

const response =
  'success = "status == constants.good"\n user_id = "body.sub"\n email = "body.mail"\n roles = "body.roles"';
const block = (url: string, path = '/v') => written({ validate: `${url}${path}`, response });

const service = (providers: string, { connector = '', more = '' } = {}) => `
  service {
    admin_port = 0
  }
  constants {
    good = 200
  }
  connector "api" {
    type = "rest"
    port = env("PORT")
    ${connector}
  }
  auth {
    jwt {
      secret = "a secret of at least thirty-two bytes"
    }
    ${providers}
  }
  flow "hello" {
    from {
      connector = connector.api
      operation = "GET /hello"
    }
    response {
      who      = "auth.user_id"
      provider = "has(auth.claims.auth_provider) ? auth.claims.auth_provider : ''"
    }
  }
  flow "clerks" {
    from {
      connector = connector.api
      operation = "GET /clerks"
    }
    require {
      roles = ["clerk"]
    }
    response {
      who = "auth.user_id"
    }
  }
  flow "careful" {
    from {
      connector = connector.api
      operation = "GET /careful"
    }
    require {
      mfa = "15m"
    }
    response {
      who = "auth.user_id"
    }
  }
  ${more}`;

async function started(text: string) {
  const running = await startText(text);
  onTestFinished(() => running.stop());
  const ask = async (path: string, token = 'opaque'): Promise<unknown[]> => {
    const answer = await fetch(`${running.address}${path}`, { headers: { authorization: `Bearer ${token}` } });
    const { code, error, ...body } = (await answer.json()) as Record<string, unknown>;
    return [answer.status, code ?? error ?? body];
  };
  return { ...running, ask };
}

test('flows see a caller whom a provider knows, and what they require of it holds', async () => {
  const peer = await validator();
  const { ask } = await started(service(block(peer.url)));
  expect(await ask('/hello')).toEqual([200, { who: 'u1', provider: 'one' }]);
  expect(await ask('/clerks')).toEqual([403, 'permission_denied']);
  peer.answer = { body: { sub: 'u1', roles: 'clerk' } };
  expect(await ask('/clerks')).toEqual([200, { who: 'u1' }]);
  // No factor of its was proved here.
  expect(await ask('/careful')).toEqual([403, 'mfa_step_up_required']);
  peer.answer = { status: 401 };
  expect(await ask('/hello')).toEqual([401, 'authentication_required']);
  expect(await ask('/clerks')).toEqual([401, 'authentication_required']);
});

test('S-46: while a provider is silent, callers are 401, and no 5xx', async () => {
  const peer = await validator(() => undefined);
  const { ask } = await started(service(block(peer.url), { connector: 'auth {\n type = "jwt"\n }' }));
  const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => ask('/hello', `t${at}`)));
  expect(answers).toEqual(answers.map(() => [401, 'authentication_required']));
  peer.answer = {};
  expect(await ask('/hello')).toEqual([200, { who: 'u1', provider: 'one' }]);
});

test('a reload exchanges providers: callers are asked about at the new ones alone', async () => {
  const [before, after] = [await validator(), await validator({ body: { sub: 'u2' } })];
  const { ask, reload } = await started(service(block(before.url)));
  expect(await ask('/hello')).toEqual([200, { who: 'u1', provider: 'one' }]);
  await reload(service(block(after.url)));
  expect(await ask('/hello')).toEqual([200, { who: 'u2', provider: 'one' }]);
  await reload(service(''));
  expect(await ask('/hello')).toEqual([200, { who: '', provider: '' }]);
  expect([before.seen.length, after.seen.length]).toEqual([1, 1]);
  // Nothing of those that are gone stays connected.
  await vi.waitFor(async () => expect([await before.connections(), await after.connections()]).toEqual([0, 0]));
});

const constants = (value: number) => `constants {\n other = ${value}\n}`;

test('a caller that is asked about during a reload is answered, by providers that were not asked yet too', async () => {
  const held: (() => void)[] = [];
  const first = await validator((answer) => void held.push(() => answer.writeHead(401).end()));
  const second = await validator();
  const both = `${block(first.url)}\n${block(second.url).replace('"one"', '"two"')}`;
  const { ask, reload } = await started(service(both));
  const asked = ask('/hello');
  await vi.waitFor(() => expect(held).toHaveLength(1));
  await reload(service(both, { more: constants(1) }));
  held[0]?.();
  expect(await asked).toEqual([200, { who: 'u1', provider: 'two' }]);
});

const live = service('§', {
  more: `
  connector "live" {
    type          = "websocket"
    port          = env("PORT")
    path          = "/live"
    ping_interval = "100ms"
    auth {
      type = "jwt"
    }
  }
  flow "said" {
    from {
      connector = connector.live
      operation = "message"
    }
    response {
      who = "auth.user_id"
    }
  }`,
});

test.each<[string, Validator['answer']]>([
  ['no longer accepts it', { status: 401 }],
  ['says that it is another caller', { body: { sub: 'u2', roles: ['clerk'] } }],
  ['gives it other roles', { body: { sub: 'u1', roles: ['admin'] } }],
  ['takes a role from it', { body: { sub: 'u1' } }],
  ['cannot be asked', (answer) => void answer.destroy()],
])('X-11: a live connection ends when the provider %s', async (_what, later) => {
  const peer = await validator({ body: { sub: 'u1', roles: ['clerk'] } });
  const { address } = await started(live.replace('§', block(peer.url)));
  const socket = new WebSocket(`${address.replace('http', 'ws')}/live`, {
    headers: { authorization: 'Bearer opaque' },
  });
  const ended = once(socket, 'close');
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'message', data: {} }));
  const [answer] = (await once(socket, 'message')) as [Buffer];
  expect(JSON.parse(answer.toString())).toMatchObject({ data: { who: 'u1' } });
  peer.answer = later;
  const [code, reason] = (await ended) as [number, Buffer];
  expect([code, reason.toString()]).toEqual([1008, 'the session has ended']);
});

test('a live connection lasts over reloads, and is asked about at the providers of the latest configuration', async () => {
  const [before, after] = [await validator(), await validator()];
  const { address, reload } = await started(live.replace('§', block(before.url)));
  const socket = new WebSocket(`${address.replace('http', 'ws')}/live`, {
    headers: { authorization: 'Bearer opaque' },
  });
  const ended = once(socket, 'close');
  await once(socket, 'open');
  const says = async () => {
    socket.send(JSON.stringify({ type: 'message', data: {} }));
    const [answer] = (await once(socket, 'message')) as [Buffer];
    return JSON.parse(answer.toString()).data;
  };
  for (let count = 0; count < 3; count++) {
    await reload(`${live.replace('§', block(before.url))}\n${constants(count)}`);
    expect(await says()).toEqual({ who: 'u1' });
  }
  await reload(live.replace('§', block(after.url)));
  expect(await says()).toEqual({ who: 'u1' });
  await vi.waitFor(async () => expect(await before.connections()).toBe(0));
  expect(after.seen.length).toBeGreaterThan(0);
  await reload(live.replace('§', ''));
  const [code] = (await ended) as [number];
  expect(code).toBe(1008);
});

test('a live connection asks a slow provider once at a time', async () => {
  const peer = await validator({ body: { sub: 'u1' } });
  const { address } = await started(live.replace('§', block(peer.url)));
  const socket = new WebSocket(`${address.replace('http', 'ws')}/live`, {
    headers: { authorization: 'Bearer opaque' },
  });
  await once(socket, 'open');
  const held: (() => void)[] = [];
  peer.answer = (answer) => void held.push(() => answer.end('{"sub": "u1"}'));
  await vi.waitFor(() => expect(held).toHaveLength(1));
  const pings = [once(socket, 'ping'), once(socket, 'ping')];
  await pings[0];
  await once(socket, 'ping');
  await once(socket, 'ping');
  expect(held).toHaveLength(1);
  socket.terminate();
  for (const release of held) release();
});

test('A-11: metrics and health have neither the credential nor what is sent with it', async () => {
  const peer = await validator({ body: { sub: 'u1', secret: 'canary-of-the-body' } });
  const provider = written({
    validate: `${peer.url}/v?t={token}&key=canary-of-the-address`,
    request: '{ X-Key = "canary-of-the-header", Authorization = "Bearer {token}" }',
    response,
  });
  const { ask, address, service: running } = await started(service(provider));
  await ask('/hello', 'canary-of-the-caller');
  peer.answer = (answer) => void answer.destroy();
  await ask('/hello', 'canary-of-the-caller');
  expect(peer.seen).toHaveLength(2);
  const health = await (await fetch(`${address}/health`)).text();
  expect(`${running.metrics.text()}${health}`).not.toContain('canary');
});
