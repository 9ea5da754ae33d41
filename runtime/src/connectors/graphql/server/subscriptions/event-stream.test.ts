import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { until, untilPassed } from '../../../../../../test/support/until.ts';
import { graphqlService } from '../../testing/service.ts';
import { LiveService } from './testing/live-service.ts';

const subscription = 'subscription { changed { id text } }';
const lasting = 'svc_subscriptions{connector="api"}';
const connections = 'svc_subscriber_connections{connector="api"}';

/** Asks for a stream of events, and answers it as it came. */
async function ask(live: LiveService, request: object, method = 'POST', headers: Record<string, string> = {}) {
  const url = `${live.running.address}/graphql`;
  const accept = { accept: 'text/event-stream', ...headers };
  if (method === 'POST')
    return fetch(url, {
      method,
      headers: { 'content-type': 'application/json', ...accept },
      body: JSON.stringify(request),
    });
  const query = new URLSearchParams(request as Record<string, string>);
  return fetch(`${url}?${query}`, { headers: accept });
}

describe('a stream of events', () => {
  test('carries the events of a subscription to the client of graphql-sse, until it has enough', async () => {
    await using live = await LiveService.start();
    const taken: unknown[] = [];
    const reading = (async () => {
      for await (const result of live.events().iterate({ query: subscription })) if (taken.push(result) === 2) break;
    })();
    await until(() => live.metric(lasting) === 1);
    await live.publish({ id: 1, text: 'one\ntwo' });
    await live.publish({ id: 2 });
    await reading;
    expect(taken).toEqual([
      { data: { changed: { id: 1, text: 'one\ntwo' } } },
      { data: { changed: { id: 2, text: null } } },
    ]);
    await untilPassed(() => expect([live.metric(lasting), live.metric(connections)]).toEqual([0, 0]));
  });

  test('carries one result of a query, and what is wrong with a document', async () => {
    await using live = await LiveService.start();
    const answers = [
      await ask(live, { query: '{ hello }' }),
      await ask(live, { query: '{ hello }' }, 'GET'),
      await ask(live, { query: '{ nothing }' }),
      await ask(live, { query: 'subscription { changed { nothing } }' }, 'GET'),
    ];
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(texts.slice(0, 2)).toEqual(
      Array(2).fill('event: next\ndata: {"data":{"hello":"hello "}}\n\nevent: complete\ndata:\n\n'),
    );
    for (const text of texts.slice(2))
      expect(text).toMatch(
        /^event: next\ndata: \{"errors":\[\{"message":"Cannot query field \\"nothing\\".*\n\nevent: complete\ndata:\n\n$/,
      );
    expect(answers.map(({ status, headers }) => [status, headers.get('content-type')])).toEqual(
      Array(4).fill([200, 'text/event-stream; charset=utf-8']),
    );
  });

  test('is what a subscription needs: another request for one is answered with that', async () => {
    await using live = await LiveService.start();
    expect(await live.query(subscription)).toEqual({
      errors: [{ message: 'a subscription is asked for over WebSocket, or with `Accept: text/event-stream`' }],
    });
    const lines = 'schema {\n path = "a.graphql"\n }\n subscriptions {\n enabled = false\n }';
    await using off = await graphqlService(`connector "api" {\n type = "graphql"\n port = 0\n ${lines}\n}\n`, '', {
      'a.graphql': 'type Query { a: Int }\ntype Subscription { changed: Int }\n',
    });
    const answer = await fetch(off.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: 'subscription { changed }' }),
    });
    expect(await answer.json()).toEqual({ errors: [{ message: 'subscriptions are not served here' }] });
  });

  test('carries a comment while nothing happens, and does not count as a request under way', async () => {
    await using live = await LiveService.start({
      connector: 'max_in_flight = 1\n subscriptions {\n keep_alive_interval = "20ms"\n }',
    });
    const answer = await ask(live, { query: subscription });
    let text = '';
    const decoder = new TextDecoder();
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    while (text.length < 9) text += decoder.decode((await reader.read()).value);
    expect(text).toMatch(/^(:\n\n)+$/);
    expect(await live.query('{ hello }')).toEqual({ data: { hello: 'hello ' } });
    expect(live.metric('svc_requests_in_flight{method="POST",path="/graphql"}')).toBe(0);
    await reader.cancel();
    await until(() => live.metric(lasting) === 0);
  });

  test('A-05: a caller that takes nothing is cut off, and the events that it would have got are dropped', async () => {
    await using live = await LiveService.start({ connector: 'write_timeout = "200ms"' });
    const body = JSON.stringify({ query: subscription });
    const { port } = new URL(live.running.address);
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(
        `POST /graphql HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      ),
    );
    socket.on('error', () => undefined);
    socket.pause();
    await until(() => live.metric(lasting) === 1);
    const text = 'x'.repeat(60_000);
    for (let id = 0; live.metric(lasting) === 1; id++) await live.publish({ id, text });
    expect(live.metric('svc_subscription_events_total{connector="api",result="dropped"}')).toBeGreaterThan(0);
    expect(live.metric('svc_connections_cut_total{connector="api",reason="write_timeout"}')).toBe(1);
    socket.destroy();
  });

  test('S-67: there are so many at a time', async () => {
    await using live = await LiveService.start({ connector: 'subscriptions {\n max_clients = 1\n }' });
    const first = await ask(live, { query: subscription });
    const second = await ask(live, { query: subscription });
    expect([second.status, await second.json()]).toEqual([
      503,
      { error: 'there are too many clients; try again shortly', code: 'overloaded' },
    ]);
    await first.body?.cancel();
    await untilPassed(async () => {
      const again = await ask(live, { query: subscription });
      expect(again.status).toBe(200);
      await again.body?.cancel();
    });
  });
});
