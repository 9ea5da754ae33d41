import type { FlowModel } from '../../model.ts';
import type { Part } from '../../part.ts';
import type { FlowTools } from '../../tools.ts';
import { gate, type TurnedAway } from '../filter/gate.ts';

/** Turns away what the business does not want. */
export function accept({ values }: FlowModel, tools: FlowTools): Part[] {
  if (!values.accept) return [];
  const { when, on_reject: policy } = values.accept;
  const turnedAway: TurnedAway = { policy, messageId: '' };
  return [gate('accept', tools.expression(when, 'accept: when'), () => turnedAway)];
}
