import type { Frame } from '../../frame.ts';
import { type FlowModel, writes } from '../../model.ts';
import type { StepPart } from '../../part.ts';
import { keyText } from '../../template.ts';
import type { FlowTools } from '../../tools.ts';
import { keptSpellings } from '../../uuid-spelling.ts';
import type { FlowVerb } from '../../verb.ts';
import type { Destination } from './resolve.ts';

const done: Readonly<Record<FlowVerb, string>> = {
  read: 'read',
  create: 'created',
  update: 'updated',
  delete: 'deleted',
};

/** Tells the caches of the service what was written, as soon as it is written. */
export function publish(model: FlowModel, { events }: FlowTools): StepPart[] {
  if (!writes(model)) return [];
  const tell = publishing(eventsOf(model.name, model.destinations), events);
  return [
    {
      stage: undefined,
      name: '',
      title: 'invalidate_on',
      // Nothing is looked up where nobody listens.
      step: (frame) => (events.isHeard ? tell(idOf(frame)) : undefined),
    },
  ];
}

/** Tells what was written; with the id of it, where that is known. */
export function publishing(
  names: readonly string[],
  events: FlowTools['events'],
): (id: string | undefined) => Promise<undefined> | undefined {
  return (id) => {
    if (!events.isHeard) return undefined;
    const ids = id === undefined ? [] : keptSpellings(id);
    return events.publish(names.flatMap((name) => [name, ...ids.map((each) => `${name}:${each}`)])) as
      | Promise<undefined>
      | undefined;
  };
}

/** What a flow is heard of by: its name, and what happens to each target. */
export function eventsOf(flow: string, destinations: readonly Destination[]): readonly string[] {
  return [flow, ...new Set(destinations.flatMap((each) => eventOf(each) ?? []))];
}

function eventOf({ target, verb }: Destination): string | undefined {
  return typeof target === 'string' ? `${target}.${done[verb]}` : undefined;
}

/** The id of what was written: the answer's, else the one that the message addresses. */
function idOf({ answer, input }: Frame): string | undefined {
  const own = typeof answer === 'object' && answer !== null && 'id' in answer ? answer.id : undefined;
  const id = own ?? input['id'];
  return id === undefined || id === null ? undefined : keyText(id);
}
