import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startText } from '../../service/running/testing/text-service.ts';

const service = (more: string, connector = '') => `
  service {
    admin_port = 0
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
    password {
      memory = 19456
      iterations = 1
    }
    hooks {
      after_register {
        flow      = flow.welcome
        condition = "auth.email.endsWith('.test')"
      }
    }
  }
  flow "welcome" {
    transform {
      email = "auth.email"
      same  = "input.auth.email == auth.email"
    }
  }
  flow "hello" {
    from {
      connector = connector.api
      operation = "GET /hello"
    }
    response {
      hello = "auth.email"
    }
  }
  ${more}`;

async function started(text: string) {
  const running = await startText(text);
  onTestFinished(() => running.stop());
  const ask = async (path: string, token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answer = await fetch(`${running.address}${path}`, { headers });
    return [answer.status, await answer.json()];
  };
  const credentials = { email: 'ana@example.test', password: 'Correct-Horse-7' };
  const { status, body } = await running.ask('POST', '/auth/register', credentials);
  expect(status).toBe(201);
  return { ...running, ask, token: (body as { access_token: string }).access_token };
}

test('a caller is known to every flow, and sessions outlive reloads', async () => {
  const { ask, token, reload } = await started(service(''));
  expect(await ask('/hello')).toEqual([200, { hello: '' }]);
  expect(await ask('/hello', token)).toEqual([200, { hello: 'ana@example.test' }]);
  expect(await ask('/hello', `${token}x`)).toEqual([200, { hello: '' }]);
  for (let count = 0; count < 3; count++) await reload(service(`constants {\n n = ${count}\n}`));
  expect(await ask('/hello', token)).toEqual([200, { hello: 'ana@example.test' }]);
});

test('a connector whose auth has no key of its own accepts the tokens of the service alone', async () => {
  const { ask, token } = await started(service('', 'auth {\n type = "jwt"\n }'));
  expect((await ask('/hello'))[0]).toBe(401);
  expect((await ask('/hello', `${token}x`))[0]).toBe(401);
  expect(await ask('/hello', token)).toEqual([200, { hello: 'ana@example.test' }]);
  // The endpoints of sign-in are never behind it.
  expect((await ask('/auth/me'))[1]).toEqual({
    error: { code: 'unauthorized', message: 'A valid access token is required.' },
  });
});

test('a flow at the place of an endpoint is what is served there', async () => {
  const own =
    'flow "own" {\n from {\n connector = connector.api\n operation = "GET /auth/me"\n }\n response {\n own = "true"\n }\n}';
  const { ask, token } = await started(service(own));
  expect(await ask('/auth/me', token)).toEqual([200, { own: true }]);
});

test('X-11: a live connection ends with its session: before its next message, and within an interval when it only listens', async () => {
  const live = `
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
        who = "auth.email"
      }
    }`;
  const { address, ask, token } = await started(service(live));
  const connect = async () => {
    const socket = new WebSocket(`${address.replace('http', 'ws')}/live`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const ended = new Promise<string>((resolve) =>
      socket.once('close', (code, reason) => resolve(`${code} ${reason}`)),
    );
    await once(socket, 'open');
    return { socket, ended };
  };
  const [speaker, listener] = [await connect(), await connect()];
  speaker.socket.send(JSON.stringify({ type: 'message', data: {} }));
  const [answer] = (await once(speaker.socket, 'message')) as [Buffer];
  expect(JSON.parse(answer.toString())).toMatchObject({ data: { who: 'ana@example.test' } });
  await fetch(`${address}/auth/logout`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  speaker.socket.send(JSON.stringify({ type: 'message', data: {} }));
  expect(await Promise.all([speaker.ended, listener.ended])).toEqual([
    '1008 the session has ended',
    '1008 the session has ended',
  ]);
  expect(await ask('/hello', token)).toEqual([200, { hello: '' }]);
});
