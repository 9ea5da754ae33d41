import type { Variables } from '@svc/protocol/wire';
import type { LanguageClient } from '../../language/language-client.ts';
import { cutPath } from './cut-values.ts';

/** What an expression gives, as a service answers it, or why it gives nothing. */
export type RecordedAnswer = { readonly result: unknown; readonly type: string } | { readonly error: string };

export type ValueAsker = Pick<LanguageClient, 'askValues'>;

/**
 * Evaluates an expression over what is kept of a run that has ended, in the worker: no service can be asked any more.
 * Whole numbers come as doubles, since events are JSON.
 */
export async function evaluateRecorded(
  language: ValueAsker,
  { input, output, steps, enriched }: Variables,
  expression: string,
): Promise<RecordedAnswer> {
  const scope = { input, output, step: steps, enriched };
  const cut = cutPath(expression, scope);
  if (cut !== undefined) return { error: `${cut} is too large: only a part of it is kept of a run that has ended.` };
  const found = await language.askValues('evaluate', expression, scope);
  if (!('error' in found)) return { result: found.value, type: found.type };
  return { error: `${found.error}. The run has ended: its input, output, step and enriched are what is kept of it.` };
}
