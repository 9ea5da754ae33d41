import { bool, dyn, Fields } from '@svc/protocol/cel';
import { bodyOf } from '../../connectors/intake/body.ts';
import { createExpressionEngine } from '../../engine/plan/engine.ts';
import type { Choose, QueuedMessage } from '../../foundation/contracts/queue.ts';
import { readable } from './shown.ts';

/**
 * Chooses messages by an expression over `input`: `body`, `headers`, `key`, `source` and `position`, as the broker has them.
 * One for which it cannot be evaluated is not chosen. Gives the reason for a text that is not such an expression.
 */
export function conditionOf(text: string): Choose | string {
  const engine = createExpressionEngine();
  const compiled = engine.compile(text, { variables: [{ name: 'input', type: dyn }], expect: bool });
  if (!compiled.ok) return compiled.problems[0]?.message ?? text;
  return async (message) => {
    const input = await shownInput(message);
    try {
      return compiled.program.evaluate({ input }) === true;
    } catch {
      return false;
    }
  };
}

async function shownInput(message: QueuedMessage): Promise<object> {
  const { source, position, key, headers } = message;
  const body = await bodyOf(await readable(message), undefined);
  return Object.assign(new Fields(), { source, position, key, headers, body });
}
