import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomUUID } from 'node:crypto';
import type { CelEngine } from '@svc/protocol/cel';
import { createExpressionEngine } from '../../engine/plan/engine.ts';
import { type Clock, systemClock } from '../../foundation/observe/clock.ts';
import type { Variables } from '../../service/config/dotenv.ts';

/** The environment that expressions read in one test: variables, time and random numbers. */
export interface TestSurroundings {
  readonly clock: Clock;
  readonly uuid: () => string;
  readonly variables: Variables;
}

const current = new AsyncLocalStorage<TestSurroundings>();

/** Does work of a test: expressions ask its surroundings, those included that the work continues with later. */
export function within<T>(surroundings: TestSurroundings, work: () => T): T {
  return current.run(surroundings, work);
}

/** Evaluates beside a test without using up what its next expressions would be given. */
export function aside<T>(work: () => T): T {
  const now = current.getStore();
  return now === undefined ? work() : current.run({ ...now, uuid: randomUUID }, work);
}

/** One engine for all tests: each expression is compiled once, and asks the test that evaluates it. */
export function testEngine(): CelEngine {
  const clock: Clock = { ...systemClock, now: () => (current.getStore()?.clock ?? systemClock).now() };
  return createExpressionEngine(
    (name) => current.getStore()?.variables[name],
    clock,
    () => (current.getStore()?.uuid ?? randomUUID)(),
  );
}

/** Version 4 UUIDs, the same for the same seed. */
export function seededUuids(seed: number): () => string {
  let count = 0;
  return () => {
    const digits = createHash('sha256').update(`${seed} ${count++}`).digest('hex');
    const variant = '89ab'.charAt(Number.parseInt(digits.charAt(16), 16) % 4);
    const parts = [
      digits.slice(0, 8),
      digits.slice(8, 12),
      `4${digits.slice(13, 16)}`,
      variant + digits.slice(17, 20),
      digits.slice(20, 32),
    ];
    return parts.join('-');
  };
}
