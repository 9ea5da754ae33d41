import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type DebugClient, debugClient } from '../debug-client.ts';
import { type Scenario, startScenario } from '../scenario.ts';

const ana = { email: 'ana@example.test', password: 'Correct-Horse-7' };
let service: Scenario;
const clients: DebugClient[] = [];

beforeAll(async () => {
  service = await startScenario(import.meta.dirname);
  expect(await service.ask('POST', '/auth/register', ana)).toMatchObject({ status: 201 });
});
afterAll(() => service?.end());
afterEach(async () => {
  for (const client of clients.splice(0)) await client.leave();
});

/** A debugger with breakpoints before the transforms of these flows. */
async function stoppingIn(...flows: readonly string[]): Promise<DebugClient> {
  const client = await debugClient(service.admin);
  clients.push(client);
  for (const flow of flows) {
    const { breakpoints } = await client.call('debug.setBreakpoints', {
      flow,
      breakpoints: [{ stage: 'transform', ruleIndex: 0 }],
    });
    expect(breakpoints).toMatchObject([{ verified: true }]);
  }
  await client.call('debug.ready', {});
  return client;
}

const login = (body: object = ana) => service.ask('POST', '/auth/login', body);
const tokenOf = ({ body }: { readonly body: unknown }) => (body as { access_token: string }).access_token;

test('a flow that a hook runs before a sign-in stops, shows its event, and holds the sign-in until it continues', async () => {
  const client = await stoppingIn('look');
  let isAnswered = false;
  const answer = login().finally(() => {
    isAnswered = true;
  });
  const stop = await client.next('event.stopped');
  const { threadId } = stop;
  expect(stop).toMatchObject({ flowName: 'look', stage: 'transform', rule: { index: 0, target: 'email' } });
  const { input, others } = await client.call('debug.variables', { threadId });
  expect(input).toMatchObject({ auth: { event: 'before_login', email: ana.email, ip: '127.0.0.1' } });
  expect(others).toMatchObject({ auth: { event: 'before_login', authenticated: false, email: ana.email } });
  expect(await client.call('debug.evaluate', { threadId, expression: 'auth.event' })).toEqual({
    result: 'before_login',
    type: 'string',
  });
  expect(await client.call('debug.page', { threadId, path: ['auth', 'event'] })).toMatchObject({
    entries: [{ value: 'before_login' }],
  });
  expect(JSON.stringify([input, others])).not.toContain(ana.password);
  expect(isAnswered).toBe(false);
  await client.call('debug.next', { threadId });
  expect((await client.call('debug.threads', {})).threads).toMatchObject([{ flowName: 'look' }]);
  await client.call('debug.continue', { threadId });
  expect((await answer).status).toBe(200);
});

test('what it refuses is refused, also after a stop', async () => {
  const client = await stoppingIn('look');
  const answer = login({ ...ana, email: 'eve@refused.test' });
  const { threadId } = await client.next('event.stopped');
  await client.call('debug.continue', { threadId });
  expect(await client.next('event.flowEnd')).toMatchObject({ threadId, flowName: 'look' });
  expect(await answer).toMatchObject({ status: 401, body: { error: { code: 'login_refused' } } });
});

test('a flow that runs beside the answer stops when the caller has it already', async () => {
  const client = await stoppingIn('greet');
  expect((await login()).status).toBe(200);
  expect(await client.next('event.flowEnd')).toMatchObject({ flowName: 'look', error: '' });
  const { threadId, flowName } = await client.next('event.stopped');
  expect(flowName).toBe('greet');
  expect(await client.call('debug.evaluate', { threadId, expression: "auth.event + ' ' + input.auth.event" })).toEqual({
    result: 'after_login after_login',
    type: 'string',
  });
  await client.call('debug.continue', { threadId });
  expect(await client.next('event.flowEnd')).toMatchObject({
    flowName: 'greet',
    error: '',
    output: { hello: 'hello ana@example.test' },
  });
});

test('two sign-ins stop one beside the other, and continue when the debugger leaves', async () => {
  const client = await stoppingIn('look');
  const answers = [login(), login()];
  const stops = [await client.next('event.stopped'), await client.next('event.stopped')];
  expect(new Set(stops.map(({ threadId }) => threadId)).size).toBe(2);
  await client.leave();
  clients.splice(0);
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
});

test('a stop shows who calls where that is known, and its credential nowhere', async () => {
  const token = tokenOf(await login());
  const client = await stoppingIn();
  await client.call('debug.setBreakpoints', { flow: 'profile', breakpoints: [{ stage: 'response', ruleIndex: 0 }] });
  const answer = service.ask('GET', '/profile', undefined, { authorization: `Bearer ${token}` });
  const { threadId } = await client.next('event.stopped');
  const variables = await client.call('debug.variables', { threadId });
  expect(variables.others).toMatchObject({
    auth: { authenticated: true, email: ana.email, claims: { exp: expect.any(Number) } },
  });
  expect(variables.input).toMatchObject({ headers: { authorization: '***' } });
  expect(JSON.stringify(variables)).not.toContain(token);
  await client.call('debug.continue', { threadId });
  expect(await answer).toMatchObject({ status: 200, body: { email: ana.email } });
  const anonymous = service.ask('GET', '/profile');
  const stopped = await client.next('event.stopped');
  expect((await client.call('debug.variables', { threadId: stopped.threadId })).others).toBeUndefined();
  await client.call('debug.continue', { threadId: stopped.threadId });
  expect(await anonymous).toMatchObject({ status: 200, body: { email: '' } });
});
