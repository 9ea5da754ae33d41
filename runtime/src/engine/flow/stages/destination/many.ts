import { asFailure } from '../../../../foundation/errors/classify.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { isLoss } from '../../hold/held.ts';
import type { Frame } from '../../message/frame.ts';
import { skipped, unchanged } from './answer.ts';
import type { Write } from './write.ts';

type Results = Record<string, unknown>;

/** How one destination is run: watched by a debugger, or not. */
export type RunWrite = (write: Write, frame: Frame) => unknown;

/**
 * Writes to several destinations: the parallel ones concurrently, then the others in written order. What succeeded is
 * recorded in the frame, so that another attempt of the flow does not repeat it
 * (docs/specification/flow.md#several-destinations).
 */
export function compileMany(writes: readonly Write[], run: RunWrite): (frame: Frame) => Promise<unknown> {
  const parallel = writes.filter(({ destination }) => destination.values.parallel);
  const inOrder = writes.filter(({ destination }) => !destination.values.parallel);
  return async (frame) => {
    const left = frame.unchanged;
    const failures = new Map<string, Failure>();
    const delivered = (frame.delivered ??= new Map());
    const attempt = async (write: Write) => {
      const { label, values } = write.destination;
      if (delivered.has(label) || isLeft(values.facet, left)) return;
      try {
        delivered.set(label, await run(write, frame));
      } catch (error) {
        failures.set(label, asFailure(error));
      }
    };
    await Promise.all(parallel.map(attempt));
    for (const write of inOrder) await attempt(write);
    refuseFailed(writes, failures, delivered);
    return answerOf(writes, failures, delivered, left);
  };
}

/** Whether a destination is skipped because its part of the message has not changed since it was written last. */
function isLeft(facet: string | undefined, left: ReadonlySet<string> | undefined): boolean {
  return facet !== undefined && left?.has(facet) === true;
}

function refuseFailed(
  writes: readonly Write[],
  failures: ReadonlyMap<string, Failure>,
  delivered: ReadonlyMap<string, unknown>,
): void {
  if (failures.size === 0) return;
  const loss = [...failures.values()].find(isLoss);
  if (loss !== undefined) throw loss;
  // Decides about another attempt of them all.
  const unsure = [...failures.values()].find(({ code }) => code === 'outcome_unknown');
  const required = writes.filter(({ destination }) => destination.values.required);
  const decisive = required.find(({ destination }) => failures.has(destination.label));
  if (decisive !== undefined) throw unsure ?? failures.get(decisive.destination.label);
  const succeeded = [...delivered.values()].some((answer) => answer !== skipped);
  if (required.length > 0 || succeeded) return;
  const all = [...failures.values()];
  // One that may pass keeps the message.
  const first = unsure ?? all.find(({ passes }) => passes === 'later') ?? (all[0] as Failure);
  const { code, upstream, retriable, passes, at } = first;
  const texts = [...failures].map(([label, { message }]) => `${label}: ${message}`).join('; ');
  throw new Failure(code, `every destination failed: ${texts}`, { cause: first, upstream, retriable, passes, at });
}

function answerOf(
  writes: readonly Write[],
  failures: ReadonlyMap<string, Failure>,
  delivered: ReadonlyMap<string, unknown>,
  left: ReadonlySet<string> | undefined,
): unknown {
  const results: Results = {};
  const errors: Results = {};
  for (const { destination } of writes) {
    const { label, values } = destination;
    if (delivered.has(label)) results[label] = delivered.get(label);
    else if (isLeft(values.facet, left)) results[label] = unchanged;
    const failure = failures.get(label);
    if (failure !== undefined) errors[label] = failure.message;
  }
  return { results, errors, success: failures.size === 0 };
}
