import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../foundation/errors/failure.ts';
import { ManualClock } from '../../../service/running/testing/manual-clock.ts';
import { type BreakerSettings, PeerBreaker, type Verdict } from './breaker.ts';

const settings: BreakerSettings = { failures: 3, window: 10_000, open: 30_000, halfOpen: 2 };

function started(over: Partial<BreakerSettings> = {}) {
  const clock = new ManualClock();
  const states: string[] = [];
  const observer = { changed: (state: string) => void states.push(state), refused: () => undefined };
  const breaker = new PeerBreaker('http://peer', { ...settings, ...over }, clock, observer);
  const call = (...verdicts: Verdict[]) => {
    for (const verdict of verdicts) breaker.leave(breaker.enter(), verdict);
  };
  const refusal = () => {
    try {
      breaker.leave(breaker.enter(), 'neither');
    } catch (error) {
      const { code, message, retryAfter } = error as Failure;
      return [code, message, retryAfter];
    }
    return undefined;
  };
  const open = () => call('failure', 'failure', 'failure');
  return { clock, states, breaker, call, refusal, open };
}

describe('a closed breaker', () => {
  test('opens with failures within the window, whatever succeeds between them', () => {
    const { breaker, call, states } = started();
    call('failure', 'success', 'failure', 'neither', 'success');
    expect(breaker.state).toBe('closed');
    call('failure');
    expect([breaker.state, states]).toEqual(['open', ['open']]);
  });

  test('forgets failures that are older than the window', async () => {
    const { breaker, call, clock } = started();
    call('failure');
    await clock.pass(5_000);
    call('failure');
    await clock.pass(5_000);
    call('failure');
    expect(breaker.state).toBe('closed');
    await clock.pass(4_999);
    call('failure');
    expect(breaker.state).toBe('open');
  });

  test('opens with the first failure where one is enough', () => {
    const { breaker, call } = started({ failures: 1 });
    call('success', 'neither', 'failure');
    expect(breaker.state).toBe('open');
  });
});

describe('an open breaker', () => {
  test('refuses at once and says when to come back', async () => {
    const { clock, open, refusal } = started();
    open();
    const says = 'nothing is sent to http://peer: it failed too often, and its circuit breaker is open';
    expect(refusal()).toEqual(['peer_unavailable', says, 30_000]);
    await clock.pass(29_999);
    expect(refusal()).toEqual(['peer_unavailable', says, 1]);
    await clock.pass(1);
    expect(refusal()).toBeUndefined();
  });

  test('A-09: goes by the time that passed, not by the time of the day', async () => {
    const { breaker, clock, open, refusal } = started();
    open();
    clock.set(3_600_000);
    expect(refusal()?.[2]).toBe(30_000);
    clock.set(-7_200_000);
    await clock.pass(30_000);
    expect(refusal()).toBeUndefined();
    expect(breaker.state).toBe('half-open');
  });

  test('ignores what began before it opened', () => {
    const { breaker, open } = started();
    const early = breaker.enter();
    open();
    breaker.leave(early, 'success');
    breaker.leave(early, 'failure');
    expect(breaker.state).toBe('open');
  });
});

describe('R-91: a half-open breaker', () => {
  async function trying(over: Partial<BreakerSettings> = {}) {
    const all = started(over);
    all.open();
    await all.clock.pass(30_000);
    return all;
  }

  test('lets through as many at a time as it may, and closes when as many succeeded', async () => {
    const { breaker, refusal, states } = await trying();
    const [first, second] = [breaker.enter(), breaker.enter()];
    const says = 'nothing is sent to http://peer: it failed too often, and its circuit breaker is half-open';
    expect(refusal()).toEqual(['peer_unavailable', says, 1000]);
    breaker.leave(first, 'success');
    expect(breaker.state).toBe('half-open');
    const third = breaker.enter();
    expect(refusal()?.[0]).toBe('peer_unavailable');
    breaker.leave(second, 'success');
    expect([breaker.state, states]).toEqual(['closed', ['open', 'half-open', 'closed']]);
    breaker.leave(third, 'failure');
    expect([breaker.state, refusal()]).toEqual(['closed', undefined]);
  });

  test('opens again with one failure, for the whole time', async () => {
    const { breaker, call, clock, refusal } = await trying();
    call('success', 'failure');
    expect(breaker.state).toBe('open');
    await clock.pass(29_999);
    expect(refusal()?.[2]).toBe(1);
  });

  test('gives back the place of a request without a result', async () => {
    const { breaker, call } = await trying({ halfOpen: 1 });
    call('neither', 'neither', 'success');
    expect(breaker.state).toBe('closed');
  });

  test('does not mistake earlier requests for those that try the peer', async () => {
    const all = started({ halfOpen: 1 });
    const early = all.breaker.enter();
    all.open();
    await all.clock.pass(30_000);
    const trial = all.breaker.enter();
    all.breaker.leave(early, 'failure');
    expect([all.breaker.state, all.refusal()?.[0]]).toEqual(['half-open', 'peer_unavailable']);
    all.breaker.leave(trial, 'success');
    expect(all.breaker.state).toBe('closed');
  });
});
