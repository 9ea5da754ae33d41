import { namesBytes } from '../../message/binary-answer.ts';
import type { FlowModel } from '../../model.ts';
import { keepsAnswers } from '../../pipeline/stages.ts';
import { findSources } from '../../sources-in.ts';
import type { FlowTools } from '../../tools.ts';

/** The properties of a file that are known before its bytes have arrived. */
const label: ReadonlySet<string> = new Set(['filename', 'content_type']);

/**
 * The step whose result is only the bytes of the answer: `_binary = "step.file"`. No other expression reads or keeps
 * it, and it is never repeated, so that the file can be streamed to the caller. Undefined without such a step.
 */
export function passedStep(
  { values, outputTypes, work }: FlowModel,
  tools: FlowTools,
  aspects: { readonly readsAnswer: boolean; readonly work: readonly unknown[] },
): string | undefined {
  const fields = values.response?.fields ?? [];
  if (!namesBytes(fields) || values.step.length === 0) return undefined;
  if (keepsAnswers(values) || outputTypes.length > 0 || work !== undefined) return undefined;
  // Invalidation reads the answer, and a retry fetches the file again.
  if (values.after !== undefined || values.error_handling?.retry !== undefined) return undefined;
  if (aspects.readsAnswer || aspects.work.length > 0) return undefined;

  const sent = fields.findLast(({ name }) => name === '_binary')?.value;
  if (sent === undefined) return undefined;
  const [name, ...further] = tools
    .expression(sent, '')
    .program.references.map(({ path }) => path)
    .flatMap(([variable, name, ...rest]) => (variable === 'step' && name && rest.length === 0 ? [name] : []));
  if (name === undefined || further.length > 0 || sent.source.trim() !== `step.${name}`) return undefined;
  const looks = findSources(values).some(
    ({ source, variables }) =>
      source !== sent &&
      tools
        .expression(source, '', variables)
        .program.references.some(
          ({ path: [variable, step, field] }) =>
            variable === 'step' && (step === undefined || step === name) && !label.has(field ?? ''),
        ),
  );
  return looks ? undefined : name;
}
