import { encodeNotification, type Variables } from '@svc/protocol/wire';
import { expect, test, vi } from 'vitest';
import { Inspection } from './inspection.ts';
import { type Answers, sessionWith } from './testing/session.ts';
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

test('attaching sends the breakpoints before the service is told to begin', async () => {
  const { session, asked } = hostOf();
  session.breakpoints.toggle(place);
  await session.attach('127.0.0.1:9090');
  expect(asked).toEqual(['debug.attach', 'debug.setBreakpoints', 'debug.ready', 'debug.threads']);
  expect([...session.breakpoints.marks.value.values()][0]).toMatchObject({ verified: true });
  expect(session.model.state.value).toMatchObject({ connection: 'attached', address: '127.0.0.1:9090' });
});

test('an address where nobody answers is refused with the reason', async () => {
  const { session } = hostOf();
  await expect(session.attach('nobody:1')).rejects.toThrow('connect ECONNREFUSED nobody:1');
  expect(session.model.state.value.connection).toBe('none');
});

test('a stop is looked into at once, and watched expressions are evaluated', async () => {
  const { session, dialled } = hostOf();
  const inspection = new Inspection(session);
  const watches = new Watches(session, inspection);
  watches.add('input.id * 2');
  session.breakpoints.toggle(place);
  await session.attach('127.0.0.1:9090');
  void dialled[0]?.send(encodeNotification('event.stopped', stopped));
  await vi.waitUntil(() => watches.all.value[0]?.value !== undefined);
  expect(inspection.state.value).toMatchObject({ threadId: 'a', variables, reading: { expression: 'input.id' } });
  expect(watches.all.value).toEqual([{ expression: 'input.id * 2', value: { result: 2, type: 'int' } }]);
  expect([...session.breakpoints.marks.value.values()][0]?.hits).toBe(1);
  void dialled[0]?.send(encodeNotification('event.continued', { threadId: 'a' }));
  await vi.waitUntil(() => inspection.state.value === undefined);
  expect(watches.all.value[0]?.value).toBeUndefined();
});

test('a lost connection releases the threads, and is dialled again', async () => {
  const { session, dialled, host } = hostOf();
  session.breakpoints.toggle(place);
  await session.attach('127.0.0.1:9090');
  void dialled[0]?.send(encodeNotification('event.stopped', stopped));
  await vi.waitUntil(() => session.model.state.value.threads.length === 1);
  host.isDown = true;
  dialled[0]?.close();
  await vi.waitUntil(() => session.model.state.value.connection === 'lost');
  expect(session.model.state.value.threads).toEqual([]);
  expect([...session.breakpoints.marks.value.values()][0]).toMatchObject({ verified: undefined });
  await vi.waitUntil(() => host.refused > 0);
  expect(session.model.state.value.connection).toBe('lost');
  host.isDown = false;
  session.retry();
  await vi.waitUntil(() => session.isAttached);
  expect(dialled.length).toBe(2);
});
