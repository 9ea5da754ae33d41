import { capabilities, encodeNotification, type Variables } from '@svc/protocol/wire';
import { expect, test, vi } from 'vitest';
import { until, untilPassed } from '../../../../../test/support/until.ts';
import { type Answers, sessionWith } from '../testing/session.ts';
import { Inspection } from './inspection.ts';
import { Watches } from './watches.ts';

const variables: Variables = { input: { id: 1 }, output: {}, enriched: {}, steps: {}, forced: [] };
const answers: Answers = {
  'debug.attach': () => ({ sessionId: 's', flows: ['order'], capabilities: ['reading', 'setVariable'] }),
  'debug.ready': () => ({ ok: true, sources: [] }),
  'debug.threads': () => ({ threads: [] }),
  'debug.setBreakpoints': ({ breakpoints }: { breakpoints: readonly object[] }) => ({
    breakpoints: breakpoints.map((each) => ({ name: '', ...each, verified: true, message: '' })),
  }),
  'debug.variables': () => variables,
  'debug.reading': () => ({ expression: 'input.id', parts: [], result: { value: 1, type: 'int', error: '' } }),
  'inspect.flow': () => ({ name: 'order', stages: [] }),
  'debug.evaluate': () => ({ result: 2, type: 'int' }),
};

const hostOf = (given: Answers = answers) => sessionWith(given);

const stopped = {
  threadId: 'a',
  flowName: 'order',
  stage: 'transform',
  name: '',
  rule: { index: 0, target: 'id', expression: 'input.id' },
  reason: 'breakpoint',
  message: '',
};
const place = { flow: 'order', stage: 'transform', name: '', ruleIndex: 0 };

test('attaching learns what the servers of connectors have, where the service says it', async () => {
  const targets = [{ name: 'library', kind: 'alias' }];
  const { session, known } = hostOf({
    ...answers,
    'debug.attach': () => ({ sessionId: 's', flows: ['order'], capabilities: ['targets'] }),
    'inspect.connectors': () => ['db', 'api', 'books'].map((name) => ({ name, type: 'any', driver: '' })),
    'inspect.targets': ({ connector }: { connector: string }) => {
      if (connector === 'db') throw new Error('it does not answer');
      return connector === 'books' ? targets : [];
    },
  });
  await session.attach('127.0.0.1:9090');
  await untilPassed(() =>
    expect(known).toEqual(
      new Map([
        ['api', []],
        ['books', targets],
      ]),
    ),
  );
});

test('a table that is made later is learned when names are to be offered, until the session ends', async () => {
  const tables = [{ name: 'orders', kind: 'table', columns: ['id'] }];
  let asked = 0;
  const { session, known, targets } = hostOf({
    ...answers,
    'debug.attach': () => ({ sessionId: 's', flows: ['order'], capabilities: ['targets'] }),
    'inspect.connectors': () => [{ name: 'db', type: 'database', driver: 'sqlite' }],
    'inspect.targets': () => {
      asked++;
      return [...tables];
    },
  });
  const now = vi.spyOn(performance, 'now');
  const later = () => now.mockReturnValue(performance.now() + 5_000);
  await session.attach('127.0.0.1:9090');
  await until(() => known.size === 1);
  tables.push({ name: 'invoices', kind: 'table', columns: ['id', 'total'] });
  later();
  await targets.recent();
  await until(() => known.get('db')?.length === 2);
  expect([asked, known.get('db')]).toEqual([2, tables]);
  session.detach();
  later();
  await targets.recent();
  expect(asked).toBe(2);
  now.mockRestore();
});

test('a server that is silent holds up neither the session nor what is known of others', async () => {
  const targets = [{ name: 'orders', kind: 'table', columns: ['id'] }];
  const { session, known } = hostOf({
    ...answers,
    'debug.attach': () => ({ sessionId: 's', flows: ['order'], capabilities: ['targets'] }),
    'inspect.connectors': () => ['silent', 'db'].map((name) => ({ name, type: 'any', driver: '' })),
    'inspect.targets': ({ connector }: { connector: string }) =>
      connector === 'silent' ? new Promise(() => undefined) : targets,
  });
  await session.attach('127.0.0.1:9090');
  await untilPassed(() => expect(known).toEqual(new Map([['db', targets]])));
  expect(session.isAttached).toBe(true);
});

test('attaching sends the breakpoints before the service is asked to begin', async () => {
  const { session, asked } = hostOf();
  session.breakpoints.toggle(place);
  await session.attach('127.0.0.1:9090');
  expect(asked).toEqual(['debug.attach', 'debug.setBreakpoints', 'debug.ready', 'debug.threads']);
  expect([...session.breakpoints.marks.value.values()][0]).toMatchObject({ verified: true });
  expect(session.model.state.value).toMatchObject({ connection: 'attached', address: '127.0.0.1:9090' });
});

test('an address where no service answers is refused with the reason', async () => {
  const { session } = hostOf();
  await expect(session.attach('absent:1')).rejects.toThrow('connect ECONNREFUSED absent:1');
  expect(session.model.state.value.connection).toBe('none');
});

test('a stop is looked into at once, and watched expressions are evaluated', async () => {
  const { session, dialled } = hostOf();
  const inspection = new Inspection(session);
  const watches = new Watches(session, inspection, { askValues: () => Promise.reject(new Error('not asked')) });
  watches.add('input.id * 2');
  session.breakpoints.toggle(place);
  await session.attach('127.0.0.1:9090');
  void dialled[0]?.send(encodeNotification('event.stopped', stopped));
  await until(() => watches.all.value[0]?.value !== undefined);
  expect(inspection.state.value).toMatchObject({ threadId: 'a', variables, reading: { expression: 'input.id' } });
  expect(watches.all.value).toEqual([{ expression: 'input.id * 2', value: { result: 2, type: 'int' } }]);
  expect([...session.breakpoints.marks.value.values()][0]?.hits).toBe(1);
  void dialled[0]?.send(encodeNotification('event.continued', { threadId: 'a' }));
  await until(() => inspection.state.value === undefined);
  expect(watches.all.value[0]?.value).toBeUndefined();
});

test('a lost connection releases the threads, and is dialled again', async () => {
  const { session, dialled, host } = hostOf();
  session.breakpoints.toggle(place);
  await session.attach('127.0.0.1:9090');
  void dialled[0]?.send(encodeNotification('event.stopped', stopped));
  await until(() => session.model.state.value.threads.length === 1);
  host.isDown = true;
  dialled[0]?.close();
  await until(() => session.model.state.value.connection === 'lost');
  expect(session.model.state.value.threads).toMatchObject([
    { id: 'a', cut: 'left', isPaused: false, rule: { index: 0 } },
  ]);
  expect([...session.breakpoints.marks.value.values()][0]).toMatchObject({ verified: undefined });
  await until(() => host.refused > 0);
  expect(session.model.state.value.connection).toBe('lost');
  host.isDown = false;
  session.retry();
  await until(() => session.isAttached);
  expect(dialled.length).toBe(2);
});

test('a service that ends leaves its threads, what they held and where they were, until the next session', async () => {
  const { session, dialled } = hostOf();
  const inspection = new Inspection(session);
  await session.attach('127.0.0.1:9090');
  void dialled[0]?.send(encodeNotification('event.stopped', stopped));
  await until(() => inspection.state.value?.flow !== undefined);
  const held = inspection.state.value;
  dialled[0]?.close();
  await until(() => session.model.state.value.connection === 'lost');
  session.detach('over');
  expect(session.model.current).toMatchObject({ id: 'a', cut: 'over', stage: 'transform', isPaused: false });
  expect(inspection.state.value).toEqual(held);
  await session.attach('127.0.0.1:9090');
  expect(session.model.state.value.threads).toEqual([]);
  expect(inspection.state.value).toBeUndefined();
});

test('the gate is set again before the service is asked to begin', async () => {
  const sent: unknown[] = [];
  const { session, asked } = hostOf({
    ...answers,
    'debug.attach': () => ({ sessionId: 's', flows: ['order'], capabilities: ['gate'] }),
    'debug.setGate': (params: unknown) => {
      sent.push(params);
      return { ok: true };
    },
  });
  await session.attach('127.0.0.1:9090');
  await session.setGate('single');
  asked.length = 0;
  await session.attach('127.0.0.1:9090');
  expect(asked).toEqual(['debug.attach', 'debug.setGate', 'debug.ready', 'debug.threads']);
  expect(sent).toEqual([{ position: 'single' }, { position: 'single' }]);
  session.forget();
  asked.length = 0;
  await session.attach('127.0.0.1:9090');
  expect(asked).toEqual(['debug.attach', 'debug.ready', 'debug.threads']);
});

test('the service hears every addition that the studio understands', async () => {
  let given: unknown;
  const { session } = hostOf({
    ...answers,
    'debug.attach': (params: unknown) => {
      given = params;
      return { sessionId: 's', flows: [], capabilities: [] };
    },
  });
  await session.attach('127.0.0.1:9090');
  expect(given).toEqual({ clientName: 'svc studio', capabilities: Object.keys(capabilities) });
});

test('pausing while nothing runs stops what comes next, once, and breakpoints of the person stay', async () => {
  const sent: unknown[] = [];
  const { session, dialled } = hostOf({
    ...answers,
    'debug.setBreakpoints': (params: { breakpoints: readonly object[] }) => {
      sent.push(params);
      return { breakpoints: params.breakpoints.map((each) => ({ name: '', ...each, verified: true, message: '' })) };
    },
  });
  session.breakpoints.toggle(place);
  await session.attach('127.0.0.1:9090');
  sent.length = 0;
  await session.pause();
  const own = { stage: 'transform', ruleIndex: 0 };
  expect(sent).toEqual([{ flow: 'order', breakpoints: [{ stage: 'input', ruleIndex: -1 }, own] }]);
  expect([...session.breakpoints.marks.value.values()]).toMatchObject([{ ...place, verified: true }]);
  const first = { ...stopped, stage: 'input', rule: undefined };
  void dialled[0]?.send(encodeNotification('event.stopped', first));
  await until(() => sent.length === 2);
  expect(sent[1]).toEqual({ flow: 'order', breakpoints: [own] });
  expect(session.model.current).toMatchObject({ stage: 'input', isPaused: true, reason: 'pause' });
  expect(session.isPausing.value).toBe(false);
});

test('a connection that the page before had is resumed: its threads are where they were', async () => {
  const entry = {
    id: 'a',
    flowName: 'order',
    stage: 'transform',
    name: '',
    paused: true,
    reason: 'breakpoint',
    holds: null,
  };
  const { rule } = stopped;
  const { session, asked, host } = hostOf({
    ...answers,
    'debug.attach': () => ({ sessionId: 's', flows: ['order'], capabilities: ['cancelConsume'] }),
    'debug.cancelConsume': () => ({ ok: true, cancelled: 1 }),
    'debug.threads': () => ({ threads: [entry] }),
    'debug.variables': () => ({ ...variables, rule: { ...rule, result: null } }),
  });
  host.isResumed = true;
  const stops: unknown[] = [];
  session.model.onStopped = ({ id, rule: at }) => stops.push([id, at?.target]);
  await session.attach('127.0.0.1:9090');
  expect(asked.slice(0, 3)).toEqual(['debug.attach', 'debug.cancelConsume', 'debug.ready']);
  expect(session.model.current).toMatchObject({ id: 'a', isPaused: true, stop: 1, rule: { target: 'id' } });
  expect(stops).toEqual([['a', 'id']]);
});
