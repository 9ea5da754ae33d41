import { describe, expect, test } from 'vitest';
import type { CallResult } from '../../foundation/contracts/call-result.ts';
import { anonymous } from '../../foundation/contracts/message.ts';
import type { FlowProbe, WatchedRule, WatchedStage } from '../../foundation/contracts/probe.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { ManualClock } from '../../service/running/testing/manual-clock.ts';
import { Frame } from '../flow/message/frame.ts';
import type { StepPart } from '../flow/message/part.ts';
import type { FlowTools } from '../flow/tools.ts';
import { planServices } from '../plan/testing/plan-services.ts';
import { type Answer, type Call, messageOf, serve } from '../plan/testing/service.ts';
import type { SagaState, StartWorkflow } from './program.ts';
import { sagaParts } from './stage.ts';
import { programOf, stepOf } from './testing/instance.ts';

const from = 'from {\n connector = "api"\n operation = "POST /rentals"\n }';

const step = (name: string, action: string, more = '') => `step "${name}" {
  ${more}
  action {
    ${action}
  }
}`;
const hold = `connector = "db"
    operation = "INSERT"
    target    = "holds"
    data      = { van_id = "input.van_id", state = "held" }`;
const release = `compensate {
    connector = "db"
    operation = "DELETE"
    target    = "holds"
    where     = { id = "step.hold.id" }
  }`;
const deposit = `connector = "peer"
    operation = "POST /deposits"
    body      = { customer = "input.customer", amount = "input.deposit" }`;

const saga = (blocks: string, start = from) => `saga "rent" {\n${start}\n${blocks}\n}`;

/** Answers of connectors by what is called: `db create`, `peer call`. */
const answering =
  (answers: Readonly<Record<string, CallResult | Failure>>): Answer =>
  ({ connector, description }: Call) => {
    const given = answers[`${connector} ${description.verb}`] ?? { affected: 1 };
    if (given instanceof Failure) throw given;
    return given;
  };

const refused = new Failure('connector_failed', 'card refused by 10.0.0.7', { retriable: false });
const input = { van_id: 7n, customer: 'c-1', deposit: 50 };

describe('an action', () => {
  const asked = async (action: string, answer: CallResult = { rows: [] }) => {
    const service = await serve(saga(step('a', action)), { answer: () => answer });
    const outcome = await service.deliver('rent', { ...input, list: [1n, 2n], table: 'dynamic' });
    const [{ description, target, filters, payload, params } = {} as Call] = service.calls;
    const value = (outcome as { value: { steps: { a: unknown } } }).value;
    return {
      ...{ verb: description?.verb, operation: description?.operation, target: target ?? description?.target },
      ...{ query: description?.query, filters, payload, params, result: value.steps.a },
    };
  };
  const nothing = { operation: undefined, target: undefined, query: undefined };
  const sent = { filters: undefined, payload: undefined, params: undefined };

  test.each([
    [
      'that calls sends its body',
      'connector = "peer"\n operation = "POST /a"\n body = { a = "input.van_id" }\n data = { b = 1 }\n params = { c = 2 }',
      { value: { ok: true } },
      { verb: 'call', operation: 'POST /a', payload: { a: 7n }, params: { c: 2 }, result: { ok: true } },
    ],
    [
      'that calls sends its data without a body',
      'connector = "peer"\n operation = "POST /a"\n data = { b = 1 }',
      { value: null },
      { verb: 'call', operation: 'POST /a', payload: { b: 1 }, result: null },
    ],
    [
      'that inserts gives what was made',
      'connector = "db"\n operation = "insert"\n target = "t"\n data = { deep = { list = ["input.van_id", "x"] } }',
      { affected: 1, id: 9 },
      {
        verb: 'create',
        operation: 'insert',
        target: 't',
        payload: { deep: { list: [7n, 'x'] } },
        result: { id: 9, affected: 1n },
      },
    ],
    [
      'that updates merges set over its payload',
      'connector = "db"\n operation = "UPDATE"\n target = "t"\n body = { a = 1, b = 1 }\n set = { b = "input.customer" }\n where = { id = "input.van_id" }',
      { affected: 2 },
      {
        verb: 'update',
        operation: 'UPDATE',
        target: 't',
        payload: { a: 1, b: 'c-1' },
        filters: { id: 7n },
        result: { affected: 2n },
      },
    ],
    [
      'that deletes and returns one row gives that row',
      'connector = "db"\n operation = "DELETE"\n target = "t"\n where = { id = 3 }',
      { rows: [{ id: 3n }], affected: 1 },
      { verb: 'delete', operation: 'DELETE', target: 't', filters: { id: 3 }, result: { id: 3n } },
    ],
    [
      'that reads compares params and where',
      'connector = "db"\n target = "t"\n params = { a = "input.customer" }\n where = { b = 1 }',
      { rows: [{ n: 1n }, { n: 2n }] },
      { verb: 'read', target: 't', filters: { a: 'c-1', b: 1 }, result: [{ n: 1n }, { n: 2n }] },
    ],
    [
      'that finds nothing gives null',
      'connector = "db"\n target = "t"\n where = { b = 1 }',
      { rows: [] },
      { verb: 'read', target: 't', filters: { b: 1 }, result: null },
    ],
    [
      'with a statement runs that statement',
      'connector = "db"\n query = "UPDATE t SET a = :a WHERE id = :id"\n data = { a = 1 }\n where = { id = "input.van_id" }',
      { affected: 1 },
      {
        verb: 'update',
        query: 'UPDATE t SET a = :a WHERE id = :id',
        payload: { a: 1 },
        filters: { id: 7n },
        result: { affected: 1n },
      },
    ],
    [
      'takes its target from the message',
      'connector = "db"\n operation = "INSERT"\n target = "input.table"\n data = { a = 1 }',
      { affected: 1 },
      { verb: 'create', operation: 'INSERT', target: 'dynamic', payload: { a: 1 }, result: { affected: 1n } },
    ],
  ])('%s', async (_title, action, answer, expected) => {
    expect(await asked(action, answer)).toEqual({ ...nothing, ...sent, ...expected });
  });

  test('without a connector does nothing and succeeds', async () => {
    const service = await serve(saga(step('a', '')));
    expect(await service.deliver('rent')).toMatchObject({ value: { status: 'completed', steps: { a: null } } });
    expect(service.calls).toEqual([]);
  });

  test('whose expression fails fails the step; nothing is sent', async () => {
    const service = await serve(
      saga(step('a', 'connector = "db"\n operation = "INSERT"\n target = "t"\n data = { x = "input.absent" }')),
    );
    expect(await service.deliver('rent')).toMatchObject({
      status: 500,
      value: { status: 'compensated', error: 'action of step "a": data.x: no such key: absent' },
    });
    expect(service.calls).toEqual([]);
  });

  test('keeps texts that read nothing as they are', async () => {
    const action =
      'connector = "db"\n operation = "INSERT"\n target = "t"\n data = { a = "my step", b = "lower(input.customer)", c = "constants.n" }';
    const service = await serve(`constants { n = 5 }\n${saga(step('a', action))}`);
    await service.deliver('rent', { customer: 'C' });
    expect(service.calls[0]?.payload).toEqual({ a: 'my step', b: 'c', c: 5n });
  });
});

describe('a saga that waits for nothing', () => {
  test('answers 200 with the results of its steps', async () => {
    const service = await serve(saga(`${step('hold', hold, release)}\n${step('deposit', deposit)}`), {
      answer: answering({ 'db create': { rows: [{ id: 3n, van_id: 7n }] }, 'peer call': { value: { ref: 'd-1' } } }),
    });
    const outcome = await service.deliver('rent', input);
    expect(outcome).toEqual({
      kind: 'reply',
      status: undefined,
      headers: undefined,
      value: {
        saga_name: 'rent',
        instance_id: expect.stringMatching(/^saga_[0-9a-f]{32}$/),
        status: 'completed',
        steps: { hold: { id: 3n, van_id: 7n }, deposit: { ref: 'd-1' } },
      },
    });
    expect(service.events.filter(([event]) => event === 'finished')).toEqual([
      ['finished', 'rent', 'success', undefined],
    ]);
  });

  test('answers 500 when it failed and is undone', async () => {
    const failure = `on_failure {\n connector = "db"\n operation = "INSERT"\n target = "failures"\n data = { why = "error.message" }\n }`;
    const service = await serve(saga(`${step('hold', hold, release)}\n${step('deposit', deposit)}\n${failure}`), {
      answer: answering({ 'db create': { rows: [{ id: 3n }] }, 'peer call': refused }),
    });
    expect(await service.deliver('rent', input)).toMatchObject({
      kind: 'failed',
      status: 500,
      value: {
        saga_name: 'rent',
        status: 'compensated',
        steps: { hold: { id: 3n } },
        error: 'step "deposit": card refused by 10.0.0.7',
      },
    });
    expect(service.calls.map(({ description, filters, payload }) => [description.verb, filters ?? payload])).toEqual([
      ['create', { van_id: 7n, state: 'held' }],
      ['call', { customer: 'c-1', amount: 50 }],
      ['delete', { id: 3n }],
      ['create', { why: 'step "deposit": card refused by 10.0.0.7' }],
    ]);
    expect(service.events.at(-1)?.slice(0, 3)).toEqual(['finished', 'rent', 'error']);
  });

  test('R-54: lists the steps that could not be undone', async () => {
    const service = await serve(saga(`${step('hold', hold, release)}\n${step('deposit', deposit)}`), {
      answer: answering({
        'db create': { rows: [{ id: 3n }] },
        'db delete': new Failure('constraint_violated', 'still in use'),
        'peer call': refused,
      }),
    });
    expect(await service.deliver('rent', input)).toMatchObject({
      status: 500,
      value: {
        status: 'failed',
        error: 'step "deposit": card refused by 10.0.0.7',
        compensation_errors: ['compensation of step "hold": still in use'],
      },
    });
  });

  test('S-11: does not show what failed inside in production', async () => {
    const service = await serve(
      saga(`${step('hold', hold, release)}\n${step('ask', deposit, 'on_error = "skip"')}\n${step('deposit', deposit)}`),
      {
        production: true,
        answer: answering({
          'db create': { rows: [{ id: 3n }] },
          'db delete': new Failure('constraint_violated', 'still in use by table x'),
          'peer call': refused,
        }),
      },
    );
    expect(await service.deliver('rent', input)).toMatchObject({
      value: {
        steps: { hold: { id: 3n }, ask: { error: 'step "ask" failed' } },
        error: 'step "deposit" failed',
        compensation_errors: ['compensation of step "hold" failed'],
      },
    });
    expect(service.log.some(({ fields }) => String(fields['error']).includes('card refused'))).toBe(true);
  });

  test('skips messages that its filter drops, and refuses characters that no text may contain', async () => {
    const start = 'from {\n connector = "api"\n operation = "POST /rentals"\n filter = "input.van_id > 0"\n }';
    const service = await serve(saga(step('hold', hold), start));
    expect(await service.deliver('rent', { van_id: 0n })).toMatchObject({ kind: 'drop', reason: 'filter' });
    expect(() => service.deliver('rent', { van_id: 1n, text: 'a\u0000b' })).toThrow(/control character/);
    expect(service.calls).toEqual([]);
  });

  test('that a message started settles it when it is undone, and fails when it cannot be', async () => {
    const start = 'from { connector = "events" }';
    const blocks = `${step('hold', hold, release)}\n${step('deposit', deposit)}`;
    const answers = { 'db create': { rows: [{ id: 3n }] }, 'peer call': refused };
    const undone = await serve(saga(blocks, start), { answer: answering(answers) });
    expect(await undone.deliver('rent', input)).toMatchObject({ kind: 'failed', value: { status: 'compensated' } });
    const left = await serve(saga(blocks, start), {
      answer: answering({ ...answers, 'db delete': new Failure('constraint_violated', 'still in use') }),
    });
    await expect(left.deliver('rent', input)).rejects.toMatchObject({
      code: 'flow_failed',
      message: 'compensation of step "hold": still in use',
    });
  });

  test('whose caller disconnects is undone', async () => {
    const gone = new AbortController();
    const service = await serve(saga(`${step('hold', hold, release)}\n${step('deposit', deposit)}`), {
      answer: ({ description }) => {
        if (description.verb === 'call') {
          gone.abort();
          throw new Failure('cancelled', 'the request was cancelled');
        }
        return { rows: [{ id: 3n }] };
      },
    });
    await expect(service.deliver('rent', input, { signal: () => gone.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(service.calls.map(({ description }) => description.verb)).toEqual(['create', 'call', 'delete']);
  });

  test('runs again for the next message with nothing of the one before', async () => {
    let ids = 0n;
    const service = await serve(saga(step('hold', hold)), { answer: () => ({ rows: [{ id: ++ids }] }) });
    const first = (await service.deliver('rent', input)) as { value: { instance_id: string } };
    const second = (await service.deliver('rent', input)) as { value: { instance_id: string } };
    expect([first.value, second.value]).toMatchObject([
      { steps: { hold: { id: 1n } } },
      { steps: { hold: { id: 2n } } },
    ]);
    expect(first.value.instance_id).not.toBe(second.value.instance_id);
  });
});

describe('a saga that waits', () => {
  const program = programOf([stepOf('pickup', { await: 'keys_collected' })], { name: 'rent' });
  const message = messageOf({ van_id: 7n }, { auth: { ...anonymous, authenticated: true, user_id: 'u-1' } });
  const run = (start: StartWorkflow | undefined) => {
    const tools = { services: planServices({ clock: new ManualClock() }) } as FlowTools;
    const compiled = { program, places: [], watched: () => program, kept: program };
    const [part] = sagaParts({ name: 'rent', answers: true }, compiled, { programs: new Map(), start }, tools);
    const frame = new Frame(message, {});
    return { frame, done: (part as StepPart).step?.(frame) };
  };

  test('is passed to the engine, and answers 202 before its first step', async () => {
    const started: SagaState[] = [];
    const { frame, done } = run(async (state) => void started.push(state));
    await done;
    const [state] = started;
    expect([frame.status, frame.answer]).toEqual([
      202,
      { workflow_id: state?.id, saga: 'rent', status: 'running', started_at: '2026-01-01T00:00:00.000Z' },
    ]);
    expect(state).toMatchObject({
      id: expect.stringMatching(/^wf_[0-9a-f]{32}$/),
      status: 'running',
      step: 0,
      input: { van_id: 7n },
      auth: { user_id: 'u-1' },
    });
  });

  test('answers with the failure when it cannot be kept', async () => {
    const away = new Failure('store_unavailable', 'away');
    await expect(run(() => Promise.reject(away)).done).rejects.toBe(away);
    await expect(run(undefined).done).rejects.toThrow('saga "rent" waits, and no service.workflow keeps it meanwhile');
  });
});

describe('a debugger', () => {
  test('is notified of every action and compensation as a stage of its own, with its expressions', async () => {
    const seen: string[] = [];
    const say = (place: WatchedStage, rule: WatchedRule | undefined) =>
      void seen.push(`${place.stage} ${place.name}${rule === undefined ? '' : ` ${rule.target} ${rule.expression}`}`);
    const probe: FlowProbe = {
      attached: true,
      begin: () => 'thread',
      enter: async (thread, place, rule) => {
        expect(thread).toBe('thread');
        say(place, rule);
      },
      leave: () => undefined,
      end: () => undefined,
    };
    const service = await serve(saga(`${step('hold', hold, release)}\n${step('deposit', deposit, 'timeout = "5s"')}`), {
      probe,
      answer: answering({ 'db create': { rows: [{ id: 3n }] }, 'peer call': refused }),
    });
    expect(await service.deliver('rent', input)).toMatchObject({ value: { status: 'compensated' } });
    expect(seen.filter((one) => !/^(input|sanitize|validate)/.test(one))).toEqual([
      'step hold.action',
      'step hold.action data.van_id input.van_id',
      'step hold.action data.state "held"',
      'step deposit.action',
      'step deposit.action body.customer input.customer',
      'step deposit.action body.amount input.deposit',
      'step hold.compensate',
      'step hold.compensate where.id step.hold.id',
    ]);
  });

  test.each(['hold.action', 'hold.action data.van_id'])('may pause %s longer than the step may take', async (place) => {
    const clock = new ManualClock();
    const { promise, resolve } = Promise.withResolvers<void>();
    const at: string[] = [];
    const probe: FlowProbe = {
      attached: true,
      begin: () => 'thread',
      enter: (_thread, { name }, rule) => {
        at.push(rule === undefined ? name : `${name} ${rule.target}`);
        return at.at(-1) === place ? promise : undefined;
      },
      leave: () => undefined,
      end: () => undefined,
    };
    const service = await serve(saga(step('hold', hold, 'timeout = "5s"')), { probe, clock });
    const outcome = service.deliver('rent', input);
    await expect.poll(() => at.at(-1)).toBe(place);
    await clock.pass(60_000);
    resolve();
    expect(await outcome).toMatchObject({ value: { status: 'completed' } });
  });
});
