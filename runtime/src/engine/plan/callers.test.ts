import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { startText, type TextService } from '../../service/running/testing/text-service.ts';

const configuration = `
  service {
    admin_port = 0
  }
  connector "api" {
    type = "rest"
    port = env("PORT")
  }
  connector "kept" {
    type   = "cache"
    driver = "memory"
  }
  auth {
    jwt {
      secret = "a secret of at least thirty-two bytes"
    }
    password {
      memory     = 19456
      iterations = 1
    }
    security {
      brute_force {
        max_attempts = 50
        fail_delay   = "10ms"
      }
    }
  }
  flow "cached" {
    from {
      connector = connector.api
      operation = "GET /cached"
    }
    require {}
    cache {
      storage = "kept"
      ttl     = "1h"
    }
    response {
      who = "auth.email"
      id  = "uuid()"
    }
  }
  flow "once" {
    from {
      connector = connector.api
      operation = "POST /once"
    }
    require {}
    idempotency {
      storage = "kept"
      key     = "input.key"
      ttl     = "1h"
    }
    response {
      who = "auth.email"
      id  = "uuid()"
    }
  }
  flow "job" {
    from {
      connector = connector.api
      operation = "POST /jobs"
    }
    require {}
    async {
      storage = "kept"
      ttl     = "1h"
    }
    response {
      who = "auth.email"
    }
  }`;

const password = 'Correct-Horse-7';
let service: TextService;

beforeAll(async () => {
  service = await startText(configuration);
});
afterAll(() => service?.stop());

/** Asks as the owner of a token. */
async function asking(token: string, method: string, path: string, body?: object) {
  const answer = await fetch(service.address + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: Tests read what they expect.
  return { status: answer.status, body: (await answer.json()) as any };
}

const tokenOf = async (path: '/auth/register' | '/auth/login', email: string): Promise<string> =>
  ((await service.ask('POST', path, { email, password })).body as { access_token: string }).access_token;

test('A-01: accounts share no answer, request, job and session; two sessions of one account are one caller', async () => {
  const ana = await tokenOf('/auth/register', 'ana@example.test');
  const again = await tokenOf('/auth/login', 'ana@example.test');
  const ben = await tokenOf('/auth/register', 'ben@example.test');

  const [first, second, other] = await Promise.all([ana, again, ben].map((by) => asking(by, 'GET', '/cached')));
  expect([first?.body.who, other?.body.who]).toEqual(['ana@example.test', 'ben@example.test']);
  expect((await asking(again, 'GET', '/cached')).body).toEqual((await asking(ana, 'GET', '/cached')).body);
  expect(second?.body.who).toBe('ana@example.test');

  const once = (by: string) => asking(by, 'POST', '/once', { key: 'k1' });
  const [paid, repeated, foreign] = [await once(ana), await once(again), await once(ben)];
  expect(repeated.body).toEqual(paid.body);
  // A key that another caller has used is of another request.
  expect([foreign.status, foreign.body.code]).toEqual([422, 'idempotency_mismatch']);

  const begun = await asking(ana, 'POST', '/jobs', {});
  const job = `/jobs/${begun.body.job_id}`;
  await until(async () => (await asking(again, 'GET', job)).body.status === 'completed');
  expect(await asking(ben, 'GET', job)).toMatchObject({ status: 404 });

  const { sessions } = (await asking(ana, 'GET', '/auth/sessions')).body as { sessions: { id: string }[] };
  expect(sessions).toHaveLength(2);
  for (const { id } of sessions)
    expect(await asking(ben, 'DELETE', `/auth/sessions/${id}`)).toMatchObject({
      status: 404,
      body: { error: { code: 'session_not_found' } },
    });
  expect((await asking(again, 'GET', '/auth/sessions')).body.sessions).toHaveLength(2);
});

test('A-02: an address is one account in every spelling, and one caller', async () => {
  const token = await tokenOf('/auth/register', 'Zoë@Exämple.test');
  const { who } = (await asking(token, 'GET', '/cached')).body;
  const spellings = [
    'zoë@exämple.test',
    'ZOË@EXÄMPLE.TEST',
    'zoe\u0308@exa\u0308mple.test',
    'zoë＠exämple.test',
    'zoë@exämple.test.',
    ' zoë@xn--exmple-cua.test ',
  ];
  for (const email of spellings) {
    expect(await service.ask('POST', '/auth/register', { email, password })).toMatchObject({
      status: 400,
      body: { error: { code: 'user_exists' } },
    });
    expect((await asking(await tokenOf('/auth/login', email), 'GET', '/cached')).body.who).toBe(who);
  }
  expect(who).toBe('zoë@xn--exmple-cua.test');
});
