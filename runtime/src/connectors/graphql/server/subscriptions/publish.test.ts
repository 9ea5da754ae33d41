import { describe, expect, test } from 'vitest';
import { untilPassed } from '../../../../../../test/support/until.ts';
import { LiveService, liveText, type RawClient } from './testing/live-service.ts';

const results = (client: RawClient, id = '1') =>
  client
    .of('next')
    .filter((frame) => frame['id'] === id)
    .map(({ payload }) => payload);

/** A mutation whose flow publishes with these lines. */
const publishing = (name: string, to: string, more = '') => `
flow "${name}" {
  from {
    connector = connector.api
    operation = "Mutation.${name}"
  }
  ${more}
  to {
    connector = connector.api
    ${to}
  }
}`;

describe('an event', () => {
  test('is the output of the transform, else the input; `publish` with a target is the same', async () => {
    const root = [
      publishing('shaped', 'operation = "Subscription.shaped"', 'transform {\n id = "input.id * 2"\n }'),
      publishing('named', 'operation = "publish"\n target = "Subscription.shaped"'),
      publishing('computed', 'operation = "publish"\n target = "\'Subscription.\' + input.field"'),
    ].join('');
    await using live = await LiveService.start(liveText({ root }));
    const client = await (await live.connect()).init();
    await client.subscribe('1', 'subscription { shaped }');
    const ask = (field: string, input: object) =>
      live.query(`mutation ($input: JSON) { ${field}(input: $input) }`, { input });
    expect([
      await ask('shaped', { id: 2 }),
      await ask('named', { id: 3 }),
      await ask('computed', { field: 'shaped', id: 5 }),
      await ask('computed', { field: 'unheard', id: 7 }),
    ]).toEqual([
      { data: { shaped: { published: true } } },
      { data: { named: { published: true } } },
      { data: { computed: { published: true } } },
      { data: { computed: { published: true } } },
    ]);
    await untilPassed(() =>
      expect(results(client)).toEqual([
        { data: { shaped: { id: 4 } } },
        { data: { shaped: { id: 3 } } },
        { data: { shaped: { field: 'shaped', id: 5 } } },
      ]),
    );
  });

  test('that does not fit the type of its field is an error in its result, and the subscription lasts', async () => {
    await using live = await LiveService.start();
    const client = await (await live.connect()).init();
    await client.subscribe('1');
    await live.publish({ text: 'without an id' });
    await live.publish({ id: 2 });
    await untilPassed(() => expect(results(client)).toHaveLength(2));
    expect(results(client)).toEqual([
      {
        data: { changed: null },
        errors: [expect.objectContaining({ message: expect.stringContaining('Order.id'), path: ['changed', 'id'] })],
      },
      { data: { changed: { id: 2 } } },
    ]);
  });

  test('A-01: of which a field is answered by a flow is made for each subscriber, with its identity', async () => {
    const root = `
flow "note" {
  from {
    connector = connector.api
    operation = "Order.note"
  }
  returns = "String"
  response {
    note = "auth.user_id + ' ' + string(input.parent_id)"
  }
}`;
    const connector = 'auth {\n type = "basic"\n users = {\n  ada = "one"\n  bob = "two"\n }\n }';
    await using live = await LiveService.start(liveText({ root, connector }));
    const basic = (name: string, key: string) => ({ authorization: `Basic ${btoa(`${name}:${key}`)}` });
    const clients: RawClient[] = [];
    for (const headers of [basic('ada', 'one'), basic('bob', 'two')]) {
      const client = await (await live.connect({}, { headers })).init();
      await client.subscribe('1', 'subscription { changed { id note } }');
      clients.push(client);
    }
    await live.publish({ id: 7 }, basic('ada', 'one'));
    await untilPassed(() =>
      expect(clients.map((client) => results(client))).toEqual([
        [{ data: { changed: { id: 7, note: 'ada 7' } } }],
        [{ data: { changed: { id: 7, note: 'bob 7' } } }],
      ]),
    );
  });
});

describe('the flow of a field', () => {
  test('is asked when a client subscribes, with the arguments; what it refuses does not subscribe', async () => {
    const root = `
flow "guarded" {
  from {
    connector = connector.api
    operation = "Subscription.guarded"
  }
  returns = "Order"
  accept {
    when = "input.board == 'open'"
  }
  response {
    id = "99"
  }
}${publishing('tell', 'operation = "Subscription.guarded"')}`;
    await using live = await LiveService.start(liveText({ root }));
    const client = await (await live.connect()).init();
    const query = 'subscription ($b: JSON) { guarded(input: $b) { id } }';
    await client.subscribe('1', query, { b: { board: 'open' } });
    await client.subscribe('2', query, { b: { board: 'closed' } });
    await client.subscribe('3', query, { b: {} });
    await live.query('mutation { tell(input: { id: 1 }) }');
    await untilPassed(() => expect(results(client)).toEqual([{ data: { guarded: { id: 1 } } }]));
    expect(client.of('error').map(({ id }) => id)).toEqual(['2', '3']);
    expect(client.of('error')[0]?.['payload']).toEqual([
      { message: 'the subscription was not accepted (accept)', extensions: { code: 'value_refused' } },
    ]);
  });
});

describe('many subscribers', () => {
  test('A-06: 1 000 clients get the events that are for them, in order, and none is dropped', async () => {
    await using live = await LiveService.start({
      filter: 'context.connection_params.group == input.tenant || input.tenant == "all"',
    });
    const clients: RawClient[] = [];
    for (let at = 0; at < 1000; at += 50)
      clients.push(
        ...(await Promise.all(
          Array.from({ length: 50 }, async () => (await live.connect()).init({ group: at < 500 ? 'a' : 'b' })),
        )),
      );
    await Promise.all(clients.map((client) => client.subscribe('1')));
    for (let id = 0; id < 5; id++) await live.publish({ id, tenant: 'all' });
    await live.publish({ id: 5, tenant: 'a' });
    const data = (id: number) => ({ data: { changed: { id } } });
    const all = [0, 1, 2, 3, 4].map(data);
    await untilPassed(() => {
      expect(results(clients[0] as RawClient)).toEqual([...all, data(5)]);
      expect(results(clients[999] as RawClient)).toEqual(all);
      expect(clients.filter((client) => results(client).length === 6)).toHaveLength(500);
    });
    expect(live.metric('svc_subscription_events_total{connector="api",result="dropped"}')).toBe(0);
  });
});
