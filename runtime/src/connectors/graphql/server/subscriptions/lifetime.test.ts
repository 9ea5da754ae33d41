import { describe, expect, test } from 'vitest';
import { until, untilPassed } from '../../../../../../test/support/until.ts';
import { LiveService, liveText, type RawClient } from './testing/live-service.ts';

const subscription = 'subscription { changed { id } }';
const lasting = 'svc_subscriptions{connector="api"}';
const connections = 'svc_subscriber_connections{connector="api"}';

/** Payloads of the results that came for a subscription. */
const results = (client: RawClient, id = '1') =>
  client
    .of('next')
    .filter((frame) => frame['id'] === id)
    .map(({ payload }) => payload);

/** A stream of events, and its text as far as it came. */
async function stream(live: LiveService) {
  const answer = await fetch(`${live.running.address}/graphql`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ query: subscription }),
  });
  const state = { text: '', ended: false };
  const decoder = new TextDecoder();
  void (async () => {
    for await (const piece of answer.body as ReadableStream<Uint8Array>) state.text += decoder.decode(piece);
    state.ended = true;
  })();
  return state;
}

describe('a reload', () => {
  test('A-07: fifty of them keep clients, streams and subscriptions, and every event comes once', async () => {
    await using live = await LiveService.start();
    const client = await (await live.connect()).init();
    await client.subscribe('1');
    const streamed = await stream(live);
    await until(() => live.metric(lasting) === 2);
    for (let count = 0; count < 50; count++) {
      await live.running.reload(liveText({ root: `constants {\n n = ${count}\n}` }));
      await live.publish({ id: count });
    }
    const data = (id: number) => ({ data: { changed: { id } } });
    const all = Array.from({ length: 50 }, (_, id) => data(id));
    await untilPassed(() => expect(results(client)).toEqual(all));
    await untilPassed(() =>
      expect(streamed.text.match(/data: .+/g)).toEqual(all.map((one) => `data: ${JSON.stringify(one)}`)),
    );
    expect([live.metric(lasting), live.metric(connections), client.closed, streamed.ended]).toEqual([
      2,
      2,
      undefined,
      false,
    ]);
  });

  test('of types and filters holds for those who subscribe; what no longer fits ends with an error', async () => {
    await using live = await LiveService.start();
    const client = await (await live.connect()).init();
    await client.subscribe('id');
    await client.subscribe('text', 'subscription { changed { text } }');
    await live.running.reload(
      liveText({ filter: 'input.id > 1' }).replace('text   = string({ required = false })', ''),
    );
    await until(() => client.of('error').length > 0);
    await live.publish({ id: 1 });
    await live.publish({ id: 2 });
    await untilPassed(() => expect(results(client, 'id')).toEqual([{ data: { changed: { id: 2 } } }]));
    expect(client.of('error')).toEqual([
      {
        id: 'text',
        type: 'error',
        payload: [expect.objectContaining({ message: 'Cannot query field "text" on type "Order".' })],
      },
    ]);
    expect([live.metric(lasting), results(client, 'text')]).toEqual([1, []]);
  });

  test('that changes the block closes connections with 1001, ends streams with `retry`, and takes clients again', async () => {
    await using live = await LiveService.start();
    const client = await (await live.connect()).init();
    await client.subscribe('1');
    const streamed = await stream(live);
    await until(() => live.metric(lasting) === 2);
    await live.running.reload(liveText({ connector: 'subscriptions {\n max_clients = 5\n }' }));
    await untilPassed(() =>
      expect([client.closed, streamed.ended, streamed.text.endsWith('retry: 1000\n\n')]).toEqual([
        '1001 the service is going away',
        true,
        true,
      ]),
    );
    await until(() => live.metric(lasting) === 0 && live.metric(connections) === 0);
    const again = await (await live.connect()).init();
    await again.subscribe('1');
    await live.publish({ id: 3 });
    await untilPassed(() => expect(results(again)).toEqual([{ data: { changed: { id: 3 } } }]));
  });

  test('while clients come and go leaves none behind', async () => {
    await using live = await LiveService.start();
    for (let count = 0; count < 20; count++) {
      const client = await (await live.connect()).init();
      await client.subscribe('1');
      const reloading = live.running.reload(liveText({ connector: `max_in_flight = ${count + 1}` }));
      if (count % 2 === 0) client.socket.terminate();
      await reloading;
    }
    await untilPassed(() => expect([live.metric(lasting), live.metric(connections)]).toEqual([0, 0]));
  });
});

/** A query that waits until its caller has gone, or a moment. */
const slow = `
flow "slow" {
  from {
    connector = connector.api
    operation = "Query.slow"
  }
  returns = "String"
  coordinate {
    timeout    = "300ms"
    on_timeout = "skip"
    wait {
      when = "true"
      for  = "'never'"
    }
  }
  response {
    a = "'late'"
  }
}`;

describe('R-84: a stop', () => {
  test('answers what is asked, then says goodbye: 1001, and `retry` on streams', async () => {
    const live = await LiveService.start(liveText({ root: slow }));
    const client = await (await live.connect()).init();
    await client.subscribe('1');
    client.send({ type: 'subscribe', id: 'slow', payload: { query: '{ slow }' } });
    const streamed = await stream(live);
    await until(() => live.metric(lasting) === 2);
    await live.publish({ id: 1 });
    const report = await live.running.service.stop();
    expect(report).toEqual({ clean: true, cut: 0 });
    await untilPassed(() => expect(client.closed).toBe('1001 the service is going away'));
    expect([results(client), results(client, 'slow')]).toEqual([
      [{ data: { changed: { id: 1 } } }],
      [{ data: { slow: 'late' } }],
    ]);
    await until(() => streamed.ended);
    expect(streamed.text.endsWith('event: next\ndata: {"data":{"changed":{"id":1}}}\n\nretry: 1000\n\n')).toBe(true);
  });

  test('waits for no client that reads nothing and says nothing', async () => {
    const live = await LiveService.start();
    const client = await (await live.connect()).init();
    await client.subscribe('1');
    client.socket.pause();
    for (let id = 0; id < 20; id++) await live.publish({ id, text: 'x'.repeat(60_000) });
    expect(await live.running.service.stop()).toEqual({ clean: true, cut: 0 });
    client.socket.terminate();
  });
});

test('a client that ends a query, or its connection, is served no longer; a query has the time of the connector', async () => {
  const text = liveText({ root: slow.replace('300ms', '1h'), connector: 'timeout = "200ms"' });
  await using live = await LiveService.start(text);
  const errors = () => live.metric('svc_flow_executions_total{flow="slow",status="error"}');
  const [ending, leaving] = [await (await live.connect()).init(), await (await live.connect()).init()];
  for (const client of [ending, leaving]) client.send({ type: 'subscribe', id: '1', payload: { query: '{ slow }' } });
  ending.send({ type: 'complete', id: '1' });
  leaving.socket.terminate();
  await until(() => errors() === 2);
  ending.send({ type: 'subscribe', id: '2', payload: { query: '{ slow }' } });
  await untilPassed(() =>
    expect(ending.frames.filter(({ id }) => id === '2')).toEqual([
      {
        id: '2',
        type: 'next',
        payload: {
          errors: [
            { message: 'the operation took longer than the service allows', extensions: { code: 'request_timeout' } },
          ],
        },
      },
      { id: '2', type: 'complete' },
    ]),
  );
});
