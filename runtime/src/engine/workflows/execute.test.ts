import { describe, expect, test } from 'vitest';
import { anonymous, type Message } from '../../foundation/contracts/message.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Frame } from '../flow/message/frame.ts';
import { bench, copyOf, endless, passing, permanent, programOf, stepOf } from './testing/instance.ts';
import { cancel, signal } from './transitions.ts';

const day = 24 * 60 * 60 * 1000;

describe('an instance', () => {
  test('runs its steps in order and keeps their results; each effect is saved once', async () => {
    const { does, done, begin, advance, saved } = bench();
    const program = programOf(
      [stepOf('a', { action: does('a', { id: 1n }) }), stepOf('b', { action: does('b', null) })],
      { onComplete: does('on_complete'), onFailure: does('on_failure') },
    );
    const state = begin(program);
    await advance(program, state);
    expect(done).toEqual(['a', 'b', 'on_complete']);
    expect(state).toMatchObject({ status: 'completed', results: { a: { id: 1n }, b: null }, error: undefined });
    expect(saved.map(({ status, step }) => [status, step])).toEqual([
      ['running', 1],
      ['running', 2],
      ['completed', 2],
    ]);
  });

  test('shows its actions the message, the results so far and what went wrong', async () => {
    const { begin, advance, does } = bench();
    const seen: unknown[] = [];
    const looks = (frame: Frame) => {
      const { input, step, error, auth, constants } = frame;
      seen.push({ input: { ...input }, step: { ...step }, error: { ...error }, auth, constants });
      return { n: seen.length };
    };
    const program = programOf(
      [stepOf('a', { action: looks, compensate: looks }), stepOf('b', { action: does('b', permanent('no money')) })],
      { onFailure: looks },
    );
    await advance(program, begin(program, { id: 7n }), undefined, { constants: { c: 1n } });
    const same = { input: { id: 7n }, auth: anonymous, constants: { c: 1n } };
    expect(seen).toEqual([
      { ...same, step: {}, error: {} },
      { ...same, step: { a: { n: 1 } }, error: { message: 'step "b": no money' } },
      { ...same, step: { a: { n: 1 } }, error: { message: 'step "b": no money' } },
    ]);
  });

  test('that fails undoes what succeeded in reverse, without the step that failed', async () => {
    const { does, done, begin, advance, saved } = bench();
    const step = (name: string, result?: unknown) =>
      stepOf(name, { action: does(name, result), compensate: does(`undo ${name}`) });
    const program = programOf([step('a'), step('b'), step('c', permanent())], { onFailure: does('on_failure') });
    const state = begin(program);
    await advance(program, state);
    expect(done).toEqual(['a', 'b', 'c', 'undo b', 'undo a', 'on_failure']);
    expect(state).toMatchObject({ status: 'failed', error: 'step "c": no', undo: [], compensationErrors: [] });
    expect(saved.map(({ status, undo }) => [status, undo])).toEqual([
      ['running', ['a']],
      ['running', ['a', 'b']],
      ['compensating', ['a', 'b']],
      ['compensating', ['a']],
      ['compensating', []],
      ['failed', []],
    ]);
  });

  test('continues after a step that may fail, and undoes it only when its action succeeded', async () => {
    const { does, done, begin, advance } = bench();
    const skipped = stepOf('a', {
      action: does('a', permanent('closed')),
      compensate: does('undo a'),
      onError: 'skip',
    });
    const program = programOf([skipped, stepOf('b', { action: does('b', permanent()) })]);
    const state = begin(program);
    await advance(program, state);
    expect(done).toEqual(['a', 'b']);
    expect(state).toMatchObject({ status: 'failed', results: { a: { error: 'step "a": closed' } } });
  });

  test('keeps an error without characters that no database stores', async () => {
    const { does, begin, advance } = bench();
    const program = programOf([stepOf('a', { action: does('a', permanent('bad\0answer')) })], {});
    const state = begin(program);
    await advance(program, state);
    expect(state).toMatchObject({ status: 'failed', error: 'step "a": bad\ufffdanswer' });
  });

  test('is not undone when what follows its success fails', async () => {
    const { does, done, begin, advance } = bench();
    const program = programOf([stepOf('a', { action: does('a'), compensate: does('undo a') })], {
      onComplete: does('on_complete', permanent()),
      onFailure: does('on_failure'),
    });
    const state = begin(program);
    await advance(program, state);
    expect(done).toEqual(['a', 'on_complete']);
    expect(state).toMatchObject({ status: 'failed', ending: undefined, error: 'on_complete: no' });
  });

  test('ends the same when what follows its failure fails', async () => {
    const { does, begin, advance, log } = bench();
    const program = programOf([stepOf('a', { action: does('a', permanent()) })], {
      onFailure: does('on_failure', permanent('no mail')),
    });
    const state = begin(program);
    await advance(program, state);
    expect(state).toMatchObject({ status: 'failed', error: 'step "a": no' });
    expect(log).toEqual([
      'an action of a saga failed: step "a": no',
      'an action of a saga failed: on_failure: no mail',
    ]);
  });
});

describe('R-54: undoing', () => {
  test('is tried again while that may help, and the tries are saved', async () => {
    const { clock, done, does, begin, advance, saved } = bench();
    let tries = 0;
    const compensate = async () => {
      done.push('undo a');
      if (++tries < 3) throw passing();
    };
    const program = programOf([
      stepOf('a', { action: does('a'), compensate }),
      stepOf('b', { action: does('b', permanent()) }),
    ]);
    const state = begin(program);
    const over = advance(program, state);
    await expect.poll(() => clock.sleeping).toBe(1);
    await clock.pass(250);
    await expect.poll(() => clock.sleeping).toBe(1);
    await clock.pass(1000);
    await over;
    expect(done).toEqual(['a', 'b', 'undo a', 'undo a', 'undo a']);
    expect(state.status).toBe('failed');
    expect(saved.map(({ attempts }) => attempts)).toEqual([0, 0, 1, 2, 0, 0]);
  });

  test('that keeps failing is recorded, the rest is undone, and the result shows it', async () => {
    const { clock, done, does, begin, advance } = bench();
    const program = programOf([
      stepOf('a', { action: does('a'), compensate: does('undo a') }),
      stepOf('b', { action: does('b'), compensate: does('undo b', passing()) }),
      stepOf('c', { action: does('c', permanent()) }),
    ]);
    const state = begin(program);
    const over = advance(program, state);
    for (const pause of [250, 1000]) {
      await expect.poll(() => clock.sleeping).toBe(1);
      await clock.pass(pause);
    }
    await over;
    expect(done.slice(3)).toEqual(['undo b', 'undo b', 'undo b', 'undo a']);
    expect(state).toMatchObject({
      status: 'compensation_failed',
      compensationErrors: ['compensation of step "b": away'],
    });
  });

  test('continues where it was when the process ends, and never with the step that failed', async () => {
    const { done, does, begin, advance, saved } = bench();
    const stop = new AbortController();
    const program = programOf([
      stepOf('a', { action: does('a'), compensate: does('undo a') }),
      stepOf('b', {
        action: does('b'),
        compensate: async () => {
          done.push('undo b');
          stop.abort();
        },
      }),
      stepOf('c', { action: does('c', permanent()) }),
    ]);
    await advance(program, begin(program), stop.signal);
    expect(done).toEqual(['a', 'b', 'c', 'undo b']);
    const state = saved.at(-1);
    expect(state).toMatchObject({ status: 'compensating', undo: ['a'] });
    if (state) await advance(program, state);
    expect(done).toEqual(['a', 'b', 'c', 'undo b', 'undo a']);
    expect(state).toMatchObject({ status: 'failed' });
  });
});

describe('R-42: an instance whose process stops', () => {
  test('stays at its step when its action is cut off, and repeats that step later', async () => {
    const { done, does, begin, advance, saved } = bench();
    const stop = new AbortController();
    let cuts = 0;
    const b = stepOf('b', { action: endless(() => cuts++), compensate: does('undo b') });
    const a = stepOf('a', { action: does('a'), compensate: does('undo a') });
    const program = programOf([a, b]);
    const state = begin(program);
    const over = advance(program, state, stop.signal);
    await expect.poll(() => done).toEqual(['a']);
    stop.abort();
    await over;
    expect([cuts, done, state.status, state.step]).toEqual([1, ['a'], 'running', 1]);
    const again = saved.at(-1);
    if (again) await advance(programOf([a, stepOf('b', { action: does('b') })]), again);
    expect(done).toEqual(['a', 'b']);
    expect(again?.status).toBe('completed');
  });

  test('keeps an effect that succeeded all the same, and does nothing more', async () => {
    const { done, does, begin, advance, saved } = bench();
    const stop = new AbortController();
    const action = async () => {
      stop.abort();
      return 'came through';
    };
    const program = programOf([stepOf('a', { action }), stepOf('b', { action: does('b') })]);
    await advance(program, begin(program), stop.signal);
    expect(done).toEqual([]);
    expect(saved).toMatchObject([{ status: 'running', step: 1, results: { a: 'came through' } }]);
  });
});

describe('R-43: cancelling', () => {
  test('undoes what was done in reverse, and is the final status of the instance', async () => {
    const { done, does, begin, advance, saved } = bench();
    const step = (name: string) => stepOf(name, { action: does(name), compensate: does(`undo ${name}`) });
    const waiting = { ...step('c'), await: 'go' };
    const program = programOf([step('a'), step('b'), waiting, step('d')], { onFailure: does('on_failure') });
    const state = begin(program);
    await advance(program, state);
    expect(state).toMatchObject({ status: 'waiting', awaiting: 'go', step: 2 });
    expect(cancel(state)).toBe(true);
    expect(state).toMatchObject({ status: 'compensating', ending: 'cancelled', awaiting: undefined });
    await advance(program, state);
    expect(done).toEqual(['a', 'b', 'undo b', 'undo a']);
    expect(saved.at(-1)).toMatchObject({ status: 'cancelled', error: undefined });
    expect(cancel(state)).toBe(false);
  });
});

describe('time', () => {
  test('of an action expires: it is cut off, and the step has failed', async () => {
    const { clock, does, done, begin, advance } = bench();
    let cuts = 0;
    const program = programOf([
      stepOf('a', { action: does('a'), compensate: does('undo a') }),
      stepOf('b', { action: endless(() => cuts++), timeout: 15_000 }),
    ]);
    const state = begin(program);
    const over = advance(program, state);
    await expect.poll(() => clock.sleeping).toBe(1);
    await clock.pass(14_999);
    expect(cuts).toBe(0);
    await clock.pass(1);
    await over;
    expect([cuts, done]).toEqual([1, ['a', 'undo a']]);
    expect(state).toMatchObject({ status: 'failed', error: 'step "b" took too long' });
    expect(clock.sleeping).toBe(0);
  });

  test('of the whole saga expires while an action runs, also one that ignores its signal and may be skipped', async () => {
    const { clock, begin, advance } = bench();
    const program = programOf([stepOf('a', { action: () => new Promise(() => undefined), onError: 'skip' })], {
      timeout: 1000,
    });
    const state = begin(program);
    const over = advance(program, state);
    await expect.poll(() => clock.sleeping).toBe(1);
    await clock.pass(1000);
    await over;
    expect(state).toMatchObject({ status: 'failed', error: 'saga "s": its timeout passed' });
  });

  test('R-53: of seven days passes after seven days', async () => {
    const { clock, does, done, begin, advance, saved } = bench();
    const program = programOf([
      stepOf('a', { action: does('a'), compensate: does('undo a') }),
      stepOf('pickup', { await: 'collected', timeout: 7 * day }),
      stepOf('b', { action: does('b') }),
    ]);
    const state = begin(program);
    await advance(program, state);
    await clock.pass(7 * day - 1);
    await advance(program, state);
    expect(state).toMatchObject({ status: 'waiting', stepExpiresAt: state.startedAt + 7 * day });
    await clock.pass(1);
    await advance(program, state);
    expect(done).toEqual(['a', 'undo a']);
    expect(state.status).toBe('failed');
    expect(state.error).toBe('step "pickup": the event "collected" did not come in time');
    // It is saved that it failed before anything is undone.
    expect(saved.map(({ status }) => status)).toEqual(['running', 'waiting', 'compensating', 'compensating', 'failed']);
  });

  test('of an action may be longer than timers of the platform', async () => {
    const { clock, begin, advance } = bench();
    let cuts = 0;
    const program = programOf([stepOf('a', { action: endless(() => cuts++) })], { timeout: 30 * day });
    const state = begin(program);
    const over = advance(program, state);
    await expect.poll(() => clock.sleeping).toBe(1);
    await clock.pass(2 ** 31 - 1);
    expect(cuts).toBe(0);
    await clock.pass(30 * day - (2 ** 31 - 1));
    await over;
    expect([cuts, state.status]).toEqual([1, 'failed']);
  });

  test('does not run while a debugger holds the action', async () => {
    const { clock, begin, advance } = bench();
    const { promise, resolve } = Promise.withResolvers<void>();
    const action = async (frame: Frame) => {
      const resume = frame.message.hold?.();
      await promise;
      resume?.();
      return 'done';
    };
    const program = programOf([stepOf('a', { action, timeout: 1000 })]);
    const state = begin(program);
    const over = advance(program, state);
    await clock.pass(60_000);
    resolve();
    await over;
    expect([state.status, clock.sleeping]).toEqual(['completed', 0]);
  });

  test('of a wait that ends before the timeout of the saga counts, however late it is observed', async () => {
    const { clock, does, done, begin, advance } = bench();
    const program = programOf([stepOf('a', { delay: 1000 }), stepOf('b', { action: does('b') })], { timeout: 5000 });
    const [early, late] = [begin(program), begin(program)];
    await advance(program, early);
    await advance(program, late);
    expect(early).toMatchObject({ status: 'waiting', resumeAt: early.startedAt + 1000 });
    await clock.pass(1000);
    await advance(program, early);
    expect([early.status, done]).toEqual(['completed', ['b']]);
    await clock.pass(4000);
    await advance(program, late);
    expect([late.status, late.error, done]).toEqual(['failed', 'saga "s": its timeout passed', ['b']]);
  });
});

describe('an event', () => {
  test('resumes its instance, which reads its body from then on', async () => {
    const { begin, advance } = bench();
    const seen: unknown[] = [];
    const program = programOf([
      stepOf('a', { await: 'go' }),
      stepOf('b', { action: ({ input }) => void seen.push(input['signal']) }),
    ]);
    const state = begin(program);
    await advance(program, state);
    expect(signal(state, 'other', {})).toBe(false);
    expect(signal(state, 'go', { key: 'k' })).toBe(true);
    expect(signal(state, 'go', { key: 'again' })).toBe(false);
    await advance(program, state);
    expect([state.status, seen]).toEqual(['completed', [{ key: 'k' }]]);
  });
});

describe('the wait of a step', () => {
  test('comes before its action, which reads what came with the event', async () => {
    const { begin, advance, saved, clock } = bench();
    const seen: unknown[] = [];
    const action = ({ input }: Frame) => void seen.push(input['signal'] ?? 'no signal');
    const program = programOf([stepOf('late', { delay: 1000, action }), stepOf('paid', { await: 'payment', action })]);
    const state = begin(program);
    await advance(program, state);
    expect([state.status, seen]).toEqual(['waiting', []]);
    await clock.pass(1000);
    await advance(program, state);
    expect([state.status, state.awaiting, seen]).toEqual(['waiting', 'payment', ['no signal']]);
    await advance(program, state);
    expect(seen).toHaveLength(1);
    expect(signal(state, 'payment', { amount: 5 })).toBe(true);
    // Saved and taken up again here, it does not wait a second time.
    const again = copyOf(state);
    await advance(program, again);
    expect([again.status, seen]).toEqual(['completed', ['no signal', { amount: 5 }]]);
    expect(saved.at(-1)).toMatchObject({ awaiting: undefined, resumeAt: undefined });
  });

  test('that ends without the event has done nothing, and nothing of it is undone', async () => {
    const { begin, advance, does, done, clock } = bench();
    const paid = stepOf('paid', {
      await: 'payment',
      timeout: 1000,
      action: does('paid'),
      compensate: does('undo paid'),
    });
    const program = programOf([paid]);
    const state = begin(program);
    await advance(program, state);
    await clock.pass(1000);
    await advance(program, state);
    expect([state.status, done]).toEqual(['failed', []]);
  });
});

describe('a caller that disconnects', () => {
  test('cuts off the action, and everything is undone without the caller', async () => {
    const { does, done, begin, advance } = bench();
    const gone = new AbortController();
    const message: Message = { input: {}, auth: anonymous, signal: () => gone.signal, addressed: [] };
    let cuts = 0;
    const undo = (frame: Frame) => {
      done.push('undo a');
      expect(frame.message.signal()).toBeUndefined();
    };
    const program = programOf(
      [
        stepOf('a', { action: does('a'), compensate: undo }),
        stepOf('b', { action: endless(() => cuts++), onError: 'skip' }),
        stepOf('c', { action: does('c') }),
      ],
      { onFailure: does('on_failure') },
    );
    const state = begin(program);
    const over = advance(program, state, undefined, { message });
    await expect.poll(() => done).toEqual(['a']);
    gone.abort();
    await over;
    expect([cuts, done]).toEqual([1, ['a', 'undo a']]);
    expect(state).toMatchObject({ status: 'cancelled', compensationErrors: [] });
  });
});

test('a state that cannot be saved stops the instance at once', async () => {
  const { does, done, begin, advance } = bench();
  const program = programOf([stepOf('a', { action: does('a') }), stepOf('b', { action: does('b') })]);
  const away = new Failure('store_unavailable', 'away');
  const over = advance(program, begin(program), undefined, { journal: { save: () => Promise.reject(away) } });
  await expect(over).rejects.toBe(away);
  expect(done).toEqual(['a']);
});

test('a step that the saga no longer has is reported, and the others are undone', async () => {
  const { does, done, begin, advance } = bench();
  const program = programOf([stepOf('a', { action: does('a'), compensate: does('undo a') })]);
  const state = begin(program);
  Object.assign(state, { step: 1, undo: ['a', 'gone'] });
  cancel(state);
  await advance(program, state);
  expect(done).toEqual(['undo a']);
  expect(state).toMatchObject({
    status: 'compensation_failed',
    compensationErrors: ['step "gone": the saga no longer has this step'],
  });
});
