import { originOf } from '@svc/protocol/schema';
import { written } from '../../pipeline/argument-rules.ts';
import { describeStage, lane, stop } from '../../pipeline/descriptor.ts';
import * as spec from './spec.ts';

export const stateTransition = describeStage({
  key: 'state_transition',
  word: 'state_transition',
  block: spec.stateTransition,
  root: { state_machine: spec.stateMachine },
  places: [lane('deliver', ['state_transition'], { stages: ['state_transition'], detail: 'machine' })],
  stages: { state_transition: { decides: ({ target }) => target.endsWith(': guard') } },
  stops: (values, { project }) => {
    const { machine, id, event, data } = values;
    const declared = project.all('state_machine', spec.stateMachine).find(({ name }) => name === machine);
    const guards = (declared?.values.state ?? []).flatMap(({ on }) => on.map(({ guard }) => guard));
    return [stop('state_transition', originOf(values), written(id, event, data, ...guards), machine)];
  },
  work: 'whole',
  // Without a connector of its own it takes that of `to`.
  beside: ['to'],
});
