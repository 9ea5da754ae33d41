import { keyText } from '../../../../platform/formats/key-text.ts';
import { keptSpellings } from '../../hold/uuid-spelling.ts';
import type { Frame } from '../../message/frame.ts';
import type { StepPart } from '../../message/part.ts';
import { type FlowModel, writes } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import type { FlowVerb } from '../../verb.ts';
import type { Destination } from './destination.ts';

const done: Readonly<Record<FlowVerb, string>> = {
  read: 'read',
  create: 'created',
  update: 'updated',
  delete: 'deleted',
};

/** Notifies the caches of the service of a write, as soon as it has succeeded. */
export function publish(model: FlowModel, { events }: FlowTools): StepPart[] {
  if (!writes(model)) return [];
  const publish = publishing(eventsOf(model.name, model.destinations), events);
  return [
    {
      stage: undefined,
      name: '',
      title: 'invalidate_on',
      // No lookup is needed without listeners.
      step: (frame) => (events.isHeard ? publish(idOf(frame)) : undefined),
    },
  ];
}

/** Publishes what was written; with its id, when that is known. */
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

/** The events of a flow: its name, and the change of each target. */
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
