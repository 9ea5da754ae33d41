import type { Frame } from '../message/frame.ts';
import type { AroundPart, Run } from '../message/part.ts';
import type { FlowModel } from '../model.ts';
import { encodingOf } from '../stages/cache/encoding.ts';
import { aspectKeyParts, writtenTemplate } from '../stages/cache/key-parts.ts';
import { Lookup, through } from '../stages/cache/lookup.ts';
import { compileTemplateKey } from '../stages/cache/template-key.ts';
import { type FlowTools, storageOf } from '../tools.ts';
import { compileBreaker } from './circuit-breaker.ts';
import { type CompiledAspect, compileAspect } from './compiled.ts';
import type { AspectDeclaration } from './selection.ts';

/** An aspect around the work of the flow, retries included: a cache or a circuit breaker. */
export function aroundAspect(declaration: AspectDeclaration, model: FlowModel, tools: FlowTools): AroundPart {
  const aspect = compileAspect(declaration, model, tools);
  const { circuit_breaker: breaker } = aspect.values;
  const surround = breaker === undefined ? cached(aspect, model, tools) : compileBreaker(breaker, aspect.name, tools);
  const place = aspect.place();
  return {
    title: aspect.title,
    around: (next) => {
      const inside = surround(next);
      return (frame) => (aspect.passes(aspect.scope(frame), undefined) ? inside(frame) : next(frame));
    },
    places: [place],
    split: (announce) => (next) => {
      const inside = surround(next);
      return async (frame) => {
        const applies = await announce(place, frame, (watch) => aspect.passes(aspect.scope(frame), watch));
        return applies ? inside(frame) : next(frame);
      };
    },
  };
}

/** How answers of aspects are stored. */
const encoding = ['json'] as const;

/** Answers from a cache when it can, else caches what the flow answers. */
function cached(aspect: CompiledAspect, model: FlowModel, tools: FlowTools): (next: Run) => Run {
  const { cache } = aspect.values;
  if (cache === undefined) return (next) => next;
  const place = { flow: model.name, aspect: aspect.name, cache: cache.storage, attribute: 'key' };
  const fill = compileTemplateKey(cache.key, `${aspect.title}: cache.key`, place, tools);
  const keyOf = (frame: Frame): string | undefined => fill(aspect.scope(frame), frame.auth);
  const { storage: connector, ttl } = cache;
  const storage = storageOf(connector, tools);
  tools.keepsAnswers({
    flow: model.name,
    aspect: aspect.name,
    connector,
    storage,
    ttl,
    written: writtenTemplate(cache.key),
    key: aspectKeyParts(model.name, cache.key),
    decode: encodingOf(encoding).decode,
  });
  const lookup = new Lookup({ flow: model.name, cache: connector, storage, ttl, encoding, keyOf }, tools);
  return (next) => through(lookup, next);
}
