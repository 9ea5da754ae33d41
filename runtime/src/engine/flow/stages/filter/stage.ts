import type { Part } from '../../message/part.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { gate, type TurnedAway } from './gate.ts';

/** Skips the messages that the flow does not handle. */
export function filter({ values }: FlowModel, tools: FlowTools): Part[] {
  if (!values.from?.filter) return [];
  const { filter, on_reject: besideText } = values.from;
  const condition = tools.expression(filter.condition, 'filter');
  const identity = filter.id_field && tools.expression(filter.id_field, 'filter: id_field');
  const policy = filter.on_reject ?? besideText ?? 'ack';
  const limit = filter.max_requeue;
  return [
    gate('filter', condition, (frame): TurnedAway => {
      const id = identity?.evaluate(frame);
      const messageId = id === undefined || id === null ? '' : String(id);
      return { policy, messageId, maxRequeue: limit };
    }),
  ];
}
