import { Failure } from '../../foundation/errors/failure.ts';
import { type DecodingBudget, messageBudget } from './budget.ts';
import { decodeJson, encodeJson } from './json.ts';
import { itemsOf, Spending } from './records.ts';

/**
 * Decodes JSON Lines: a list of the values, one in each line. Empty lines are passed over. Throws `body_undecodable`, which
 * names the line, and `body_too_large` when all lines together are beyond the budget.
 */
export function decodeNdjson(text: string, budget: DecodingBudget = messageBudget): unknown[] {
  const values: unknown[] = [];
  const spending = new Spending(budget);
  let number = 0;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? text.length : end);
    at = end < 0 ? text.length : end + 1;
    number++;
    if (line.trim() === '') continue;
    const value = decodeLine(line, number, budget);
    spending.add(value);
    values.push(value);
  }
  return values;
}

/** The value of one line. */
export function decodeLine(line: string, number: number, budget: DecodingBudget = messageBudget): unknown {
  try {
    return decodeJson(line, budget);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw error.reworded(error.message.replace(/^the body/, `line ${number}`));
  }
}

/** Writes the items of a list as JSON Lines, any other value as one line. */
export function encodeNdjson(value: unknown): string {
  let text = '';
  for (const item of itemsOf(value)) text += `${encodeJson(item)}\n`;
  return text;
}
