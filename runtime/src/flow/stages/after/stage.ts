import { asFailure } from '../../../errors/classify.ts';
import { Failure } from '../../../errors/failure.ts';
import type { Expression } from '../../expression.ts';
import type { Frame } from '../../frame.ts';
import { type FlowModel, reads } from '../../model.ts';
import type { StepPart } from '../../part.ts';
import { compileTemplate, type Fill, textsOf } from '../../template.ts';
import { type FlowTools, storageOf } from '../../tools.ts';

/**
 * Drops cache entries once a writing flow, or one without a destination, has succeeded. A store that is away is logged
 * and counted; keys that cannot be told fail the flow (document 1, Validation and cache failures).
 */
export function after(model: FlowModel, tools: FlowTools): StepPart[] {
  const invalidate = model.values.after?.invalidate;
  if (!invalidate || reads(model)) return [];
  const { storage: cache } = invalidate;
  const storage = storageOf(cache, tools);
  const { observer, log } = tools.services;
  const { name: flow } = model;
  const expression = (source: Parameters<FlowTools['expression']>[0], title: string) => tools.expression(source, title);
  const fill = (templates: typeof invalidate.keys, title: string) =>
    (templates ?? []).map((template) => compileTemplate(template, expression, title));
  const keys: Listed = {
    attribute: 'keys',
    fills: fill(invalidate.keys, 'after.invalidate: keys'),
    from: invalidate.keys_from && expression(invalidate.keys_from, 'after.invalidate: keys_from'),
  };
  const patterns: Listed = {
    attribute: 'patterns',
    fills: fill(invalidate.patterns, 'after.invalidate: patterns'),
    from: invalidate.patterns_from && expression(invalidate.patterns_from, 'after.invalidate: patterns_from'),
  };
  const listed = (list: Listed, frame: Frame): readonly string[] => {
    try {
      return textsFor(list, frame);
    } catch (error) {
      const failure = asFailure(error, { flow });
      log.warn('cache entries to drop cannot be told', { flow, cache, code: failure.code, error: failure.message });
      observer.invalidateFailed(cache, list.from === undefined ? list.attribute : `${list.attribute}_from`);
      throw failure;
    }
  };
  const away = (attribute: string, error: unknown): undefined => {
    const failure = asFailure(error, { flow });
    log.warn('cache entries were not dropped', { flow, cache, code: failure.code, error: failure.message });
    observer.invalidateFailed(cache, attribute);
    return undefined;
  };
  /** A promise only when the store needs time. */
  const drop = (attribute: string, work: () => number | Promise<number>): Promise<unknown> | undefined => {
    try {
      const dropped = work();
      return dropped instanceof Promise ? dropped.catch((error: unknown) => away(attribute, error)) : undefined;
    } catch (error) {
      return away(attribute, error);
    }
  };
  return [
    {
      stage: undefined,
      name: '',
      title: 'after',
      step: (frame) => {
        frame.output = frame.answer;
        const [exact, globs] = [listed(keys, frame), listed(patterns, frame)];
        const waiting = [
          exact.length > 0 ? drop('keys', () => storage.delete(exact)) : undefined,
          ...globs.map((pattern) => drop('patterns', () => storage.deleteMatching(pattern))),
        ].filter((each) => each !== undefined);
        return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => undefined);
      },
    },
  ];
}

interface Listed {
  readonly attribute: 'keys' | 'patterns';
  readonly fills: readonly Fill[];
  readonly from: Expression | undefined;
}

/** What templates and expression name, each text once. */
function textsFor({ attribute, fills, from }: Listed, frame: Frame): readonly string[] {
  const texts = new Set<string>();
  for (const fill of fills) {
    const text = fill(frame);
    if (text === undefined) {
      throw new Failure('expression_failed', `after.invalidate: ${attribute} holds a list or an object`);
    }
    texts.add(text);
  }
  if (from !== undefined) for (const text of textsOf(from, frame)) texts.add(text);
  return [...texts];
}
