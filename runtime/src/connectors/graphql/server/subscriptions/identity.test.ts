import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { until, untilPassed } from '../../../../../../test/support/until.ts';
import { type LiveOptions, LiveService, liveText, type RawClient } from './testing/live-service.ts';

const secret = 'a secret of at least thirty-two bytes';
const auth = `auth {\n type = "jwt"\n secret = "${secret}"\n }`;

async function token(claims: Record<string, unknown>, expires: string | number = '1h'): Promise<string> {
  const signed = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(expires)
    .sign(new TextEncoder().encode(secret));
  return `Bearer ${signed}`;
}

/** Ids of the events that came for a subscription. */
const ids = (client: RawClient, id = '1') =>
  client
    .of('next')
    .filter((frame) => frame['id'] === id)
    .map(({ payload }) => (payload as { data: { changed: { id: number } } }).data.changed.id);

const events = (result: string) => `svc_subscription_events_total{connector="api",result="${result}"}`;

describe('A-01: of two tenants each sees its own events alone', () => {
  const start = (options: LiveOptions) => LiveService.start(options);
  const subscription = 'subscription { changed { id } }';

  test('by the claims of the handshake, by those of connection_init, and as streams of events', async () => {
    await using live = await start({ connector: auth, filter: 'input.tenant == context.auth.claims.tenant' });
    const [a, b] = [await token({ sub: 'ada', tenant: 'a' }), await token({ sub: 'bob', tenant: 'b' })];
    const first = await (await live.connect({}, { headers: { authorization: a } })).init();
    const second = await (await live.connect()).init({ Authorization: b });
    const streamed: unknown[] = [];
    live
      .events({ authorization: b })
      .subscribe(
        { query: subscription },
        { next: (value) => streamed.push(value), error: () => {}, complete: () => {} },
      );
    for (const client of [first, second]) await client.subscribe('1');
    await until(() => live.metric('svc_subscriptions{connector="api"}') === 3);
    for (const [at, tenant] of ['a', 'b', 'a', 'c', 'b'].entries())
      await live.publish({ id: at, tenant }, { authorization: a });
    await untilPassed(() =>
      expect([ids(first), ids(second), streamed]).toEqual([
        [0, 2],
        [1, 4],
        [{ data: { changed: { id: 1 } } }, { data: { changed: { id: 4 } } }],
      ]),
    );
  });

  test('S-69: no client becomes another by what it says: in the address, in parameters, or in another place', async () => {
    await using live = await start({ connector: auth, filter: 'context.auth.user_id == input.tenant' });
    const eve = await token({ sub: 'eve' });
    const said = {
      user_id: 'ada',
      auth: { user_id: 'ada' },
      sub: 'ada',
      claims: { sub: 'ada' },
      Authorization: await token({ sub: 'ada' }),
    };
    // The handshake has said who it is: what comes later is not a credential.
    const client = await (
      await live.connect({ path: '/subscriptions?user_id=ada&auth.user_id=ada' }, { headers: { authorization: eve } })
    ).init(said);
    await client.subscribe('1');
    client.send({ type: 'subscribe', id: 'who', payload: { query: '{ hello }' } });
    await live.publish({ id: 1, tenant: 'ada' }, { authorization: eve });
    await live.publish({ id: 2, tenant: 'eve' }, { authorization: eve });
    await untilPassed(() => expect(ids(client)).toEqual([2]));
    await untilPassed(() =>
      expect(client.of('next').find(({ id }) => id === 'who')?.['payload']).toEqual({ data: { hello: 'hello eve' } }),
    );
  });

  test('filters read parameters and arguments of the subscriber; one that fails, or is not true, delivers nothing', async () => {
    const filter =
      "context.connection_params.tenant == input.tenant && context.params.board == 'x' && context.arguments.input.least <= input.id";
    await using live = await start({ filter });
    const with_ = async (params: object, query: string) => {
      const client = await (await live.connect({ path: `/subscriptions${query}` })).init(params);
      await client.subscribe('1', 'subscription { changed(input: { least: 2 }) { id } }');
      return client;
    };
    const clients = [
      await with_({ tenant: 'a' }, '?board=x'),
      await with_({ tenant: 'b' }, '?board=x'),
      await with_({}, '?board=x'),
      await with_({ tenant: 'a' }, ''),
    ];
    for (const id of [1, 2, 3]) await live.publish({ id, tenant: 'a' });
    await untilPassed(() => expect(ids(clients[0] as RawClient)).toEqual([2, 3]));
    expect(clients.slice(1).map((client) => ids(client))).toEqual([[], [], []]);
    expect(live.metric(events('delivered'))).toBe(2);
  });
});

describe('S-69: credentials that come after the handshake', () => {
  test('are verified as those of requests; without good ones nothing is done', async () => {
    await using live = await LiveService.start({ connector: auth });
    const refused: (string | undefined)[] = [];
    for (const payload of [
      undefined,
      {},
      { user_id: 'ada' },
      { Authorization: 'Bearer x' },
      { Authorization: 5 },
      { Authorization: await token({ sub: 'ada' }, Math.floor(Date.now() / 1000) - 60) },
    ]) {
      const client = await (await live.connect()).init(payload);
      refused.push(client.closed);
      expect(client.frames).toEqual([]);
    }
    expect(refused).toEqual(Array(6).fill('4403 Forbidden'));
    const early = await live.connect();
    early.send({ type: 'subscribe', id: '1', payload: { query: '{ hello }' } });
    await untilPassed(() => expect(early.closed).toBe('4401 Unauthorized'));
    // What the request itself says is refused at once.
    await expect(live.connect({}, { headers: { authorization: 'Bearer x' } })).rejects.toThrow('401');
    const known = await (await live.connect()).init({ authorization: await token({ sub: 'ada' }) });
    known.send({ type: 'subscribe', id: '1', payload: { query: '{ hello }' } });
    await untilPassed(() =>
      expect(known.of('next')).toEqual([{ id: '1', type: 'next', payload: { data: { hello: 'hello ada' } } }]),
    );
  });

  test('are keys and passwords too; A-11: no filter and no flow sees them', async () => {
    const keys = 'auth {\n type = "api_key"\n keys = ["canary-4711"]\n header = "X-Key"\n query_param = "key"\n }';
    const filter = "string(has(context.connection_params.x)) + string(context.params) == 'nothing'";
    await using live = await LiveService.start({ connector: keys, filter });
    expect((await (await live.connect()).init({ 'x-key': 'canary-4712' })).closed).toBe('4403 Forbidden');
    const client = await (await live.connect()).init({ 'x-key': 'canary-4711', board: 1 });
    expect(client.of('connection_ack')).toHaveLength(1);
    await expect(live.connect({ path: '/subscriptions?key=canary-4712' })).rejects.toThrow('401');
    expect((await (await live.connect({ path: '/subscriptions?key=canary-4711' })).init()).closed).toBe(undefined);
  });

  test('end the connection when they end', async () => {
    await using live = await LiveService.start({ connector: auth });
    const client = await (await live.connect()).init({ Authorization: await token({ sub: 'ada' }, '1s') });
    await untilPassed(() => expect(client.closed).toBe('4403 the credentials have expired'));
  });
});

test('X-11: a connection, however its caller was identified, and a stream of events end with the session', async () => {
  const root = `
connector "web" {
  type = "rest"
  host = "127.0.0.1"
  port = env("PORT")
}
auth {
  jwt {
    secret = "${secret}"
  }
  password {
    memory = 19456
    iterations = 1
  }
}`;
  const connector =
    'auth {\n type = "jwt"\n }\n subscriptions {\n keep_alive_interval = "100ms"\n connection_timeout = "1h"\n }';
  await using live = await LiveService.start(liveText({ connector, root }));
  const { body } = await live.running.ask('POST', '/auth/register', {
    email: 'ana@example.test',
    password: 'Correct-Horse-7',
  });
  const authorization = `Bearer ${(body as { access_token: string }).access_token}`;
  const clients = [
    await (await live.connect({}, { headers: { authorization } })).init(),
    await (await live.connect()).init({ authorization }),
  ];
  for (const client of clients) await client.subscribe('1');
  const answer = await fetch(`${live.running.address}/graphql`, {
    method: 'POST',
    headers: { authorization, accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'subscription { changed { id } }' }),
  });
  await until(() => live.metric('svc_subscriptions{connector="api"}') === 3);
  await fetch(`${live.running.address}/auth/logout`, { method: 'POST', headers: { authorization } });
  await untilPassed(() =>
    expect(clients.map(({ closed }) => closed)).toEqual(Array(2).fill('4403 the session has ended')),
  );
  expect((await answer.text()).endsWith('retry: 1000\n\n')).toBe(true);
  await until(() => live.metric('svc_subscriptions{connector="api"}') === 0);
});
