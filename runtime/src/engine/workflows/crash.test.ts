import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SagaAction, SagaProgram, SagaState } from './program.ts';
import { bench, copyOf, permanent, programOf, stepOf } from './testing/instance.ts';
import { hasEnded, signal } from './transitions.ts';

interface Drawn {
  readonly acts: 'succeeds' | 'fails' | 'nothing';
  readonly undoes: 'succeeds' | 'fails' | 'nothing';
  readonly waits: 'delay' | 'event' | 'late event' | 'nothing';
  readonly skips: boolean;
}

const drawn: fc.Arbitrary<Drawn> = fc
  .record({
    acts: fc.constantFrom('succeeds', 'succeeds', 'succeeds', 'fails', 'nothing'),
    undoes: fc.constantFrom('succeeds', 'succeeds', 'fails', 'nothing'),
    waits: fc.constantFrom('nothing', 'nothing', 'delay', 'event', 'late event'),
    skips: fc.boolean(),
  } as const)
  .filter(({ acts, waits }) => acts !== 'nothing' || waits !== 'nothing');

/** At which save the process ends abruptly, and whether that save was made. */
const crash = fc.record({ save: fc.nat(12), isMade: fc.boolean() });

class Died extends Error {}

/** The expected effects, derived from the steps alone. */
function expectation(steps: readonly Drawn[]) {
  const succeeded: number[] = [];
  const actions: string[] = [];
  let isFailed = false;
  for (const [at, { acts, waits, skips }] of steps.entries()) {
    const isLate = waits === 'late event';
    if (!isLate && acts !== 'nothing') actions.push(`do ${at}`);
    if (!isLate && acts !== 'fails') succeeded.push(at);
    else if (!skips) {
      isFailed = true;
      break;
    }
  }
  const undone = isFailed ? succeeded.filter((at) => steps[at]?.undoes !== 'nothing').toReversed() : [];
  const broken = undone.filter((at) => steps[at]?.undoes === 'fails');
  return {
    effects: [...actions, ...undone.map((at) => `undo ${at}`), isFailed ? 'on_failure' : 'on_complete'],
    status: !isFailed ? 'completed' : broken.length > 0 ? 'compensation_failed' : 'failed',
    broken: broken.map((at) => `compensation of step "${at}": no`),
  };
}

test('R-54: whatever fails and wherever the process crashes, only the effect in progress is repeated, and what succeeded is undone in reverse', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(drawn, { minLength: 1, maxLength: 5 }),
      fc.array(crash, { maxLength: 3 }),
      async (steps, crashes) => {
        const { clock, done, does, begin, advance } = bench();
        const action = (what: 'succeeds' | 'fails' | 'nothing', name: string): SagaAction | undefined =>
          what === 'nothing' ? undefined : does(name, what === 'fails' ? permanent() : { name });
        const program: SagaProgram = programOf(
          steps.map(({ acts, undoes, waits, skips }, at) =>
            stepOf(String(at), {
              action: action(acts, `do ${at}`),
              compensate: action(undoes, `undo ${at}`),
              delay: waits === 'delay' ? 60_000 : undefined,
              await: waits.includes('event') ? `event ${at}` : undefined,
              timeout: waits === 'late event' ? 60_000 : undefined,
              onError: skips ? 'skip' : 'fail',
            }),
          ),
          { onComplete: does('on_complete'), onFailure: does('on_failure') },
        );
        let stored = begin(program);
        let saves = 0;
        let died = 0;
        const save = async (state: SagaState) => {
          const now = saves++;
          const end = crashes.find((one) => one.save === now);
          if (end === undefined || end.isMade) stored = copyOf(state);
          if (end !== undefined) throw new Died();
        };
        for (;;) {
          const state = copyOf(stored);
          try {
            await advance(program, state, undefined, { journal: { save } });
          } catch (error) {
            if (!(error instanceof Died)) throw error;
            died++;
            continue;
          }
          if (hasEnded(state)) break;
          const drawnStep = steps[state.step];
          if (drawnStep?.waits === 'event') {
            expect(signal(state, `event ${state.step}`, { at: state.step })).toBe(true);
            stored = copyOf(state);
          } else await clock.pass(60_000);
        }
        const wanted = expectation(steps);
        const repeated = done.filter((effect, at) => effect === done[at - 1]);
        expect(done.filter((effect, at) => effect !== done[at - 1])).toEqual(wanted.effects);
        expect(repeated.length).toBeLessThanOrEqual(died);
        expect([stored.status, stored.compensationErrors]).toEqual([wanted.status, wanted.broken]);
      },
    ),
    { numRuns: 500 },
  );
});
