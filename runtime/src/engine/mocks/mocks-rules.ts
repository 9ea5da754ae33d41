import { type Coerced, coerce } from '@svc/protocol/model';
import { type AttributeSpec, duration, flag, float } from '@svc/protocol/schema';
import { closest } from '@svc/protocol/text';

/** How a mocked connector behaves. */
export interface Behaviour {
  readonly enabled: boolean;
  /** Milliseconds that each call waits. */
  readonly latency: number;
  /** Calls of a hundred that fail. */
  readonly failRate: number;
}

/** A connector that answers at once and never fails. */
export const standardBehaviour: Behaviour = { enabled: true, latency: 0, failRate: 0 };

const words: Readonly<Record<string, AttributeSpec>> = {
  enabled: flag('Whether it is mocked.'),
  latency: duration('How long each call takes.', { min: 0 }),
  fail_rate: float('Calls of a hundred that fail.', { min: 0, max: 100 }),
};

/** Reads the settings of one connector; what is wrong with them is reported and has its default. */
export function readBehaviour(written: unknown, report: (problem: string, help?: string) => void): Behaviour {
  if (typeof written !== 'object' || written === null || Array.isArray(written)) {
    report('must be an object', 'Write { latency = "50ms", fail_rate = 25, enabled = true }.');
    return standardBehaviour;
  }
  const values: Record<string, unknown> = {};
  for (const [word, value] of Object.entries(written)) {
    const spec = Object.hasOwn(words, word) ? words[word] : undefined;
    if (spec === undefined) {
      const near = closest(word, Object.keys(words));
      report(`has no "${word}"`, near ? `Did you mean "${near}"?` : `It takes ${Object.keys(words).join(', ')}.`);
      continue;
    }
    const coerced: Coerced = coerce(value, spec);
    if ('value' in coerced) values[word] = coerced.value;
    else report(`${word} ${coerced.problem}`, coerced.help);
  }
  const { enabled = true, latency = 0, fail_rate: failRate = 0 } = values;
  return { enabled: enabled === true, latency: Number(latency), failRate: Number(failRate) };
}
