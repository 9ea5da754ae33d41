import type { WatchedStage } from '../../../contracts/probe.ts';
import { type FlowModel, writes } from '../../model.ts';
import type { Announce, Part, Run } from '../../part.ts';
import { type FlowTools, storageOf } from '../../tools.ts';
import { compileKey } from './key.ts';
import { Lookup, through } from './lookup.ts';
import { staleOn } from './stale.ts';

/**
 * Keeps the answers of reading flows: looks before everything that follows, stores after success. A store that is away
 * or an entry that cannot be read is a miss; of messages that miss the same entry at once, one asks.
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

/** Messages that a debugger watches ask for themselves: another one may be held for as long as somebody looks at it. */
function watched(lookup: Lookup, next: Run, announce: Announce): Run {
  return async (frame) => {
    const key = lookup.keyOf(frame);
    if (key === undefined) return next(frame);
    const text = await lookup.get(key);
    const hit = text === undefined ? lookup.missed() : lookup.read(key, text);
    await announce(hit ? hitPlace : missPlace, frame, () => undefined);
    return hit ?? lookup.keep(key, await next(frame), frame);
  };
}
