import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../foundation/errors/failure.ts';
import { ManualClock } from '../../../service/running/testing/manual-clock.ts';
import { type BreakerSettings, CircuitBreaker, type Verdict } from './breaker.ts';

const settings: BreakerSettings = { failures: 3, successes: 2, timeout: 10_000 };

function started() {
  const clock = new ManualClock();
  const states: string[] = [];
  const breaker = new CircuitBreaker('stock', clock, (state) => states.push(state));
  const call = (verdict: Verdict) => breaker.leave(breaker.enter(settings), verdict, settings);
  const refusal = () => {
    try {
      breaker.enter(settings);
    } catch (error) {
      const { code, message, retryAfter } = error as Failure;
      return [code, message, retryAfter];
    }
    return undefined;
  };
  const open = () => {
    for (let i = 0; i < settings.failures; i++) call('failure');
  };
  return { clock, states, breaker, call, refusal, open };
}

describe('a closed breaker', () => {
  test('opens after failures in a row; one success restarts the count', () => {
    const { breaker, call, states } = started();
    for (const verdict of ['failure', 'failure', 'success', 'failure', 'failure'] as const) call(verdict);
    expect(breaker.state).toBe('closed');
    call('failure');
    expect([breaker.state, states]).toEqual(['open', ['open']]);
  });

  test('does not count calls without a result', () => {
    const { breaker, call } = started();
    for (const verdict of ['failure', 'failure', 'neither', 'neither'] as const) call(verdict);
    expect(breaker.state).toBe('closed');
    call('failure');
    expect(breaker.state).toBe('open');
  });

  test('takes the thresholds with each call, as a reload may change them', () => {
    const { breaker, call } = started();
    call('failure');
    breaker.leave(breaker.enter(settings), 'failure', { ...settings, failures: 2 });
    expect(breaker.state).toBe('open');
  });
});

describe('an open breaker', () => {
  test('refuses at once and reports when to retry', async () => {
    const { clock, open, refusal } = started();
    open();
    expect(refusal()).toEqual(['circuit_open', 'circuit breaker stock is open', 10_000]);
    await clock.pass(9_999);
    expect(refusal()).toEqual(['circuit_open', 'circuit breaker stock is open', 1]);
    await clock.pass(1);
    expect(refusal()).toBeUndefined();
  });

  test('ignores calls that began before it opened', () => {
    const { breaker, open, refusal } = started();
    const early = breaker.enter(settings);
    open();
    breaker.leave(early, 'success', settings);
    expect([breaker.state, refusal()?.[0]]).toEqual(['open', 'circuit_open']);
  });
});

describe('R-91: a half-open breaker', () => {
  async function trying() {
    const all = started();
    all.open();
    await all.clock.pass(10_000);
    return all;
  }

  test('lets one call through at a time', async () => {
    const { breaker, refusal, states } = await trying();
    const probe = breaker.enter(settings);
    expect(states).toEqual(['open', 'half-open']);
    expect(refusal()).toEqual(['circuit_open', 'circuit breaker stock is open', 1000]);
    breaker.leave(probe, 'success', settings);
    const second = breaker.enter(settings);
    expect(refusal()?.[0]).toBe('circuit_open');
    breaker.leave(second, 'success', settings);
    expect(breaker.state).toBe('closed');
    expect([breaker.enter(settings), breaker.enter(settings)]).toHaveLength(2);
  });

  test('opens again with the first failure, for the whole time', async () => {
    const { breaker, call, clock, refusal } = await trying();
    call('success');
    call('failure');
    expect(breaker.state).toBe('open');
    await clock.pass(9_999);
    expect(refusal()?.[0]).toBe('circuit_open');
    await clock.pass(1);
    expect(refusal()).toBeUndefined();
  });

  test('tries again after a call without a result', async () => {
    const { breaker, call } = await trying();
    call('neither');
    expect(breaker.state).toBe('half-open');
    call('success');
    call('success');
    expect(breaker.state).toBe('closed');
  });

  test('does not mistake an earlier call for the trial call', async () => {
    const all = started();
    const early = all.breaker.enter(settings);
    all.open();
    await all.clock.pass(10_000);
    const probe = all.breaker.enter(settings);
    all.breaker.leave(early, 'failure', settings);
    expect([all.breaker.state, all.refusal()?.[0]]).toEqual(['half-open', 'circuit_open']);
    all.breaker.leave(probe, 'failure', settings);
    expect(all.breaker.state).toBe('open');
  });
});
