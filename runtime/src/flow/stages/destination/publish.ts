import type { Frame } from '../../frame.ts';
import { type FlowModel, writes } from '../../model.ts';
import type { StepPart } from '../../part.ts';
import { keyText } from '../../template.ts';
import type { FlowTools } from '../../tools.ts';
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
  const names = [model.name, ...new Set(model.destinations.flatMap((each) => eventOf(each) ?? []))];
  return [
    {
      stage: undefined,
      name: '',
      title: 'invalidate_on',
      step: (frame) => {
        if (!events.isHeard) return undefined;
        const id = idOf(frame);
        return events.publish(id === undefined ? names : names.flatMap((name) => [name, `${name}:${id}`])) as
          | Promise<undefined>
          | undefined;
      },
    },
  ];
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
