import type { CelSource, TemplateSource } from '@svc/protocol/schema';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Expression } from '../../compile/expression.ts';
import { compileTemplate, type Fill, textsOf } from '../../compile/template.ts';
import { keptSpellings } from '../../hold/uuid-spelling.ts';
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
 * Compiles what drops cache entries; `place` names it in the log. An unavailable store and a template that cannot be
 * evaluated are logged and counted, and the rest is dropped. A failure of `keys_from` or `patterns_from` is thrown
 * after that. A promise only when the store is asynchronous.
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
  const untold = (attribute: string, error: unknown): Failure => {
    const failure = asFailure(error, { flow: place.flow });
    log.warn('cache entries to drop cannot be determined', {
      ...place,
      cache,
      attribute,
      code: failure.code,
      error: failure.message,
    });
    observer.invalidateFailed(cache, attribute);
    return failure;
  };
  /** What templates and expression name, each text once, and the failure of the expression. */
  const listed = ({ attribute, fills, from }: Listed, scope: object): Named => {
    const texts = new Set<string>();
    for (const fill of fills)
      try {
        const text = fill(scope);
        if (text === undefined) untold(attribute, new Failure('expression_failed', 'it holds a list or an object'));
        else for (const spelled of keptSpellings(text)) texts.add(spelled);
      } catch (error) {
        untold(attribute, error);
      }
    let failure: Failure | undefined;
    try {
      if (from !== undefined) for (const text of textsOf(from, scope).flatMap(keptSpellings)) texts.add(text);
    } catch (error) {
      failure = untold(`${attribute}_from`, error);
    }
    return { texts: [...texts], failure };
  };
  const storeFailed = (attribute: string, error: unknown): undefined => {
    const failure = asFailure(error, { flow: place.flow });
    log.warn('cache entries were not dropped', { ...place, cache, code: failure.code, error: failure.message });
    observer.invalidateFailed(cache, attribute);
    return undefined;
  };
  /** A promise only when the store is asynchronous. */
  const drop = (attribute: string, work: () => number | Promise<number>): Promise<unknown> | undefined => {
    try {
      const dropped = work();
      return dropped instanceof Promise ? dropped.catch((error: unknown) => storeFailed(attribute, error)) : undefined;
    } catch (error) {
      return storeFailed(attribute, error);
    }
  };
  return (scope) => {
    const [exact, globs] = [listed(keys, scope), listed(patterns, scope)];
    const waiting = [
      exact.texts.length > 0 ? drop('keys', () => storage.delete(exact.texts)) : undefined,
      ...globs.texts.map((pattern) => drop('patterns', () => storage.deleteMatching(pattern))),
    ].filter((each) => each !== undefined);
    const failure = exact.failure ?? globs.failure;
    if (waiting.length === 0) return end(failure);
    return Promise.all(waiting).then(() => end(failure));
  };
}

/** The write has succeeded: a retry would repeat it. */
function end(failure: Failure | undefined): undefined {
  if (failure !== undefined) throw failure;
}

interface Listed {
  readonly attribute: 'keys' | 'patterns';
  readonly fills: readonly Fill[];
  readonly from: Expression | undefined;
}

interface Named {
  readonly texts: readonly string[];
  readonly failure: Failure | undefined;
}
