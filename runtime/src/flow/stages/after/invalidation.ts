import type { CelSource, TemplateSource } from '@svc/protocol/schema';
import { asFailure } from '../../../errors/classify.ts';
import { Failure } from '../../../errors/failure.ts';
import type { Expression } from '../../expression.ts';
import { compileTemplate, type Fill, textsOf } from '../../template.ts';
import { type FlowTools, storageOf } from '../../tools.ts';

/** Which entries of which cache are dropped. */
export interface Invalidation {
  readonly storage: string;
  readonly keys?: readonly TemplateSource[] | undefined;
  readonly patterns?: readonly TemplateSource[] | undefined;
  readonly keys_from?: CelSource | undefined;
  readonly patterns_from?: CelSource | undefined;
}

/**
 * Compiles what drops cache entries; `place` names it in the log. A store that is away is logged and counted; keys that
 * cannot be told are thrown (document 1, Validation and cache failures). A promise only when the store needs time.
 */
export function compileInvalidation(
  block: Invalidation,
  place: { readonly flow: string; readonly aspect?: string },
  title: string,
  tools: FlowTools,
): (scope: object) => Promise<unknown> | undefined {
  const { storage: cache } = block;
  const storage = storageOf(cache, tools);
  const { observer, log } = tools.services;
  const expression = (source: CelSource, at: string) => tools.expression(source, at);
  const fill = (templates: typeof block.keys, at: string) =>
    (templates ?? []).map((template) => compileTemplate(template, expression, at));
  const keys: Listed = {
    attribute: 'keys',
    fills: fill(block.keys, `${title}: keys`),
    from: block.keys_from && expression(block.keys_from, `${title}: keys_from`),
  };
  const patterns: Listed = {
    attribute: 'patterns',
    fills: fill(block.patterns, `${title}: patterns`),
    from: block.patterns_from && expression(block.patterns_from, `${title}: patterns_from`),
  };
  const listed = (list: Listed, scope: object): readonly string[] => {
    try {
      return textsFor(list, title, scope);
    } catch (error) {
      const failure = asFailure(error, { flow: place.flow });
      log.warn('cache entries to drop cannot be told', { ...place, cache, code: failure.code, error: failure.message });
      observer.invalidateFailed(cache, list.from === undefined ? list.attribute : `${list.attribute}_from`);
      throw failure;
    }
  };
  const away = (attribute: string, error: unknown): undefined => {
    const failure = asFailure(error, { flow: place.flow });
    log.warn('cache entries were not dropped', { ...place, cache, code: failure.code, error: failure.message });
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
  return (scope) => {
    const [exact, globs] = [listed(keys, scope), listed(patterns, scope)];
    const waiting = [
      exact.length > 0 ? drop('keys', () => storage.delete(exact)) : undefined,
      ...globs.map((pattern) => drop('patterns', () => storage.deleteMatching(pattern))),
    ].filter((each) => each !== undefined);
    return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => undefined);
  };
}

interface Listed {
  readonly attribute: 'keys' | 'patterns';
  readonly fills: readonly Fill[];
  readonly from: Expression | undefined;
}

/** What templates and expression name, each text once. */
function textsFor({ attribute, fills, from }: Listed, title: string, scope: object): readonly string[] {
  const texts = new Set<string>();
  for (const fill of fills) {
    const text = fill(scope);
    if (text === undefined) {
      throw new Failure('expression_failed', `${title}: ${attribute} holds a list or an object`);
    }
    texts.add(text);
  }
  if (from !== undefined) for (const text of textsOf(from, scope)) texts.add(text);
  return [...texts];
}
