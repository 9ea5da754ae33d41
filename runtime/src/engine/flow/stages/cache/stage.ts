import type { WatchedStage } from '../../../../foundation/contracts/probe.ts';
import type { Announce, Part, Run } from '../../message/part.ts';
import { type FlowModel, writes } from '../../model.ts';
import { type FlowTools, storageOf } from '../../tools.ts';
import { encodingOf } from './encoding.ts';
import { compileKey } from './key.ts';
import { keyParts, writtenTemplate } from './key-parts.ts';
import { Lookup, through } from './lookup.ts';
import { staleOn } from './stale.ts';

/**
 * Keeps the answers of reading flows: looks them up before everything that follows, stores them after success. An
 * unavailable store or an unreadable entry is a miss; of messages that miss the same entry at once, one loads it.
 */
export function cache(model: FlowModel, tools: FlowTools): Part[] {
  const { cache: block } = model.values;
  if (!block || model.verb !== 'read' || writes(model)) return [];
  const storage = storageOf(block.storage, tools);
  const stale = staleOn(model.name, block, storage, tools);
  if (stale !== undefined) tools.events.listen(stale);
  const lookup = new Lookup(
    { ...block, flow: model.name, storage, cache: block.storage, keyOf: compileKey(model, tools) },
    tools,
  );
  tools.keepsAnswers({
    flow: model.name,
    aspect: undefined,
    connector: block.storage,
    storage,
    ttl: block.ttl,
    written: block.key === undefined ? block.key_from?.source : writtenTemplate(block.key),
    key: keyParts(model.name, block),
    decode: encodingOf(block.encoding).decode,
  });
  return [
    {
      title: 'cache',
      around: (next) => through(lookup, next),
      places: [hitPlace, missPlace],
      split: (announce) => (next: Run) => watched(lookup, next, announce),
    },
  ];
}

const hitPlace: WatchedStage = { stage: 'cache_hit', name: '', rules: [] };
const missPlace: WatchedStage = { stage: 'cache_miss', name: '', rules: [] };

/** Messages that a debugger watches load for themselves: another one may be paused for any time. */
function watched(lookup: Lookup, next: Run, announce: Announce): Run {
  return async (frame) => {
    const key = lookup.keyOf(frame);
    if (key === undefined) return next(frame);
    const text = await lookup.get(key);
    const hit = text === undefined ? lookup.missed() : await lookup.read(key, text);
    await announce(hit ? hitPlace : missPlace, frame, () => undefined);
    return hit ?? lookup.keep(key, await next(frame), frame);
  };
}
