import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { until } from '../../../../test/support/until.ts';
import { startText } from '../../service/running/testing/text-service.ts';
import { App } from '../auth/factors/testing/app.ts';

const service = (auth: string) => `
  service {
    admin_port = 0
  }
  connector "api" {
    type = "rest"
    port = env("PORT")
  }
  connector "live" {
    type = "websocket"
    port = env("PORT")
    path = "/live"
  }
  auth {
    jwt {
      secret = "a secret of at least thirty-two bytes"
    }
    password {
      memory     = 19456
      iterations = 1
      ${auth.includes('max_age') ? auth : ''}
    }
    ${auth.includes('max_age') ? '' : auth}
  }
  flow "hello" {
    from {
      connector = connector.api
      operation = "GET /hello"
    }
    response {
      who = "auth.email"
    }
  }
  flow "pay" {
    from {
      connector = connector.api
      operation = "POST /pay"
    }
    require {
      mfa = "1h"
    }
    response {
      paid = "true"
    }
  }
  flow "said" {
    from {
      connector = connector.live
      operation = "message"
    }
    require {
      mfa = "1h"
    }
    response {
      paid = "true"
    }
  }`;
const password = 'Correct-Horse-7';
const clock = { now: () => Date.now() };

async function started(auth: string) {
  const running = await startText(service(auth));
  onTestFinished(() => running.stop());
  const { body } = await running.ask('POST', '/auth/register', { email: 'ana@example.test', password });
  const { access_token: token } = body as { access_token: string };
  const ask = async (method: string, path: string, sent?: object) => {
    const answer = await fetch(`${running.address}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(sent !== undefined && { body: JSON.stringify(sent) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: Tests read what they expect.
    return { status: answer.status, body: (await answer.json()) as any };
  };
  const socket = () =>
    new WebSocket(`${running.address.replace('http', 'ws')}/live`, { headers: { authorization: `Bearer ${token}` } });
  const enrol = async () => {
    const { body: begun } = await ask('POST', '/auth/mfa/setup', { password });
    const app = new App(begun.provisioning_uri, clock);
    expect((await ask('POST', '/auth/mfa/verify', { code: app.code() })).status).toBe(200);
  };
  return { ...running, asking: ask, socket, enrol };
}

/** The status with which a live connection is refused; undefined when it is opened. */
async function refusalOf(socket: WebSocket): Promise<number | undefined> {
  const refused = once(socket, 'unexpected-response').then(([, answer]) => answer.statusCode as number);
  const opened = once(socket, 'open').then(() => undefined);
  socket.on('error', () => undefined);
  const status = await Promise.race([refused, opened]);
  socket.terminate();
  return status;
}

test.each([
  ['an owed factor', 'mfa {\n required = "true"\n grace_period = "0s"\n }', 'mfa_enrolment_required'],
  ['an expired password', 'max_age = "1s"', 'password_expired'],
])('S-27: %s refuses every flow of every server, also those that ask for no caller', async (_what, auth, code) => {
  const { asking, socket, enrol } = await started(auth);
  await until(async () => (await asking('GET', '/hello')).status === 403);
  const refusal = { status: 403, body: expect.objectContaining({ code }) };
  expect(await asking('GET', '/hello')).toEqual(refusal);
  expect(await asking('POST', '/pay', {})).toEqual(refusal);
  expect(await refusalOf(socket())).toBe(403);
  if (code === 'password_expired') return;
  await enrol();
  expect(await asking('GET', '/hello')).toEqual({ status: 200, body: { who: 'ana@example.test' } });
  expect(await refusalOf(socket())).toBe(undefined);
});

test('S-27: a flow that requires a factor answers when it was proved, over HTTP and in a connection that is open', async () => {
  const { asking, socket, enrol } = await started('');
  const live = socket();
  onTestFinished(() => live.terminate());
  await once(live, 'open');
  const say = async () => {
    live.send(JSON.stringify({ type: 'message', data: {} }));
    const [answer] = (await once(live, 'message')) as [Buffer];
    return JSON.parse(answer.toString());
  };
  const stepUp = expect.objectContaining({ code: 'mfa_step_up_required' });
  expect(await asking('POST', '/pay', {})).toEqual({ status: 403, body: stepUp });
  expect(await say()).toEqual({
    type: 'error',
    message: 'a second factor must be proved again',
    code: 'mfa_step_up_required',
  });
  await enrol();
  expect(await asking('POST', '/pay', {})).toEqual({ status: 200, body: { paid: true } });
  expect(await say()).toMatchObject({ data: { paid: true } });
});

test('the app is removed by either method, with the password in the body', async () => {
  const { asking, enrol } = await started('');
  for (const method of ['DELETE', 'POST']) {
    await enrol();
    expect(await asking(method, '/auth/mfa/disable', { password })).toEqual({ status: 200, body: { enabled: false } });
  }
});
