import type { Part } from '../../message/part.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { gate, type TurnedAway } from '../filter/gate.ts';

/** Rejects messages that do not satisfy the business condition. */
export function accept({ values }: FlowModel, tools: FlowTools): Part[] {
  if (!values.accept) return [];
  const { when, on_reject: policy } = values.accept;
  const turnedAway: TurnedAway = { policy, messageId: '' };
  return [gate('accept', tools.expression(when, 'accept: when'), () => turnedAway)];
}
