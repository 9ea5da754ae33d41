import { expect, test } from 'vitest';
import { Failure } from '../../foundation/errors/failure.ts';
import { bench, passing, permanent, programOf, stepOf } from './testing/instance.ts';

const retry = { attempts: 3, wait: (tried: number) => tried * 1000 };

/** An action that fails with these, one after another, and then succeeds. */
function failing(...failures: readonly Failure[]) {
  let tries = 0;
  const action = async () => {
    const failure = failures[tries++];
    if (failure !== undefined) throw failure;
    return { tries: BigInt(tries) };
  };
  return { action, tries: () => tries };
}

test('the action of a step is retried with its pauses, and each failure is logged', async () => {
  const { clock, begin, advance, saved, log } = bench();
  const { action, tries } = failing(passing(), passing());
  const program = programOf([stepOf('pay', { action, retry })]);
  const state = begin(program);
  const advancing = advance(program, state);
  await clock.pass(0);
  expect(tries()).toBe(1);
  await clock.pass(999);
  expect(tries()).toBe(1);
  await clock.pass(1);
  expect(tries()).toBe(2);
  await clock.pass(2000);
  await advancing;
  expect(state).toMatchObject({ status: 'completed', results: { pay: { tries: 3n } }, error: undefined });
  expect(saved.map(({ status, step }) => [status, step])).toEqual([
    ['running', 1],
    ['completed', 1],
  ]);
  expect(log).toEqual(Array(2).fill('an action of a saga failed: step "pay": away'));
});

test.each([
  ['after its last attempt', 3, [passing(), passing(), passing('still away')], 'step "pay": still away'],
  ['at once when another attempt would not help', 1, [permanent('no money')], 'step "pay": no money'],
])('a step fails %s', async (_, expected, failures, error) => {
  const { clock, begin, advance, does, done } = bench();
  const { action, tries } = failing(...failures);
  const held = stepOf('hold', { action: does('hold'), compensate: does('undo hold') });
  const program = programOf([held, stepOf('pay', { action, retry })]);
  const state = begin(program);
  const advancing = advance(program, state);
  for (let second = 0; second < 4; second++) await clock.pass(1000);
  await advancing;
  expect(tries()).toBe(expected);
  expect(state).toMatchObject({ status: 'failed', error });
  expect(done).toEqual(['hold', 'undo hold']);
});

test.each([
  [undefined, 1],
  [true, 2],
])('a write whose outcome is unknown is repeated only where that is accepted: %s', async (unsafe, expected) => {
  const { clock, begin, advance } = bench();
  const { action, tries } = failing(new Failure('outcome_unknown', 'the answer was lost'));
  const program = programOf([stepOf('pay', { action, retry: { ...retry, unsafe } })]);
  const advancing = advance(program, begin(program));
  for (let second = 0; second < 2; second++) await clock.pass(1000);
  await advancing;
  expect(tries()).toBe(expected);
});

test('a wait that would outlast the saga is not begun', async () => {
  const { begin, advance } = bench();
  const { action, tries } = failing(passing());
  const program = programOf([stepOf('pay', { action, retry })], { timeout: 900 });
  const state = begin(program);
  await advance(program, state);
  expect([tries(), state.status, state.error]).toEqual([1, 'failed', 'step "pay": away']);
});

test('a process that stops while it waits leaves the step to another one', async () => {
  const { clock, begin, advance, saved } = bench();
  const { action, tries } = failing(passing());
  const program = programOf([stepOf('pay', { action, retry })]);
  const state = begin(program);
  const stop = new AbortController();
  const advancing = advance(program, state, stop.signal);
  await clock.pass(500);
  stop.abort();
  await advancing;
  expect([tries(), state.status, state.step, saved]).toEqual([1, 'running', 0, []]);
  await advance(program, state);
  expect([tries(), state.status]).toEqual([2, 'completed']);
});

test('a saga whose caller disconnects while it waits is undone', async () => {
  const { clock, begin, advance, does, done } = bench();
  const { action, tries } = failing(passing());
  const held = stepOf('hold', { action: does('hold'), compensate: does('undo hold') });
  const program = programOf([held, stepOf('pay', { action, retry })]);
  const state = begin(program);
  const caller = new AbortController();
  const message = { input: {}, auth: state.auth, signal: () => caller.signal, addressed: [] } as never;
  const advancing = advance(program, state, undefined, { message });
  await clock.pass(500);
  caller.abort(new Failure('cancelled', 'the caller went away'));
  await advancing;
  expect([tries(), state.status, done]).toEqual([1, 'cancelled', ['hold', 'undo hold']]);
});
