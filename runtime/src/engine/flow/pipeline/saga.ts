import { originOf } from '@svc/protocol/schema';
import { sagaPlaces } from '../sagas/places.ts';
import { filter } from '../stages/filter/descriptor.ts';
import { from } from '../stages/from/descriptor.ts';
import { argumentRules } from './argument-rules.ts';
import { describeStage, type LanePlace, lane, stop } from './descriptor.ts';

/** The work of a saga, in place of that of a flow. */
export const sagaWork = describeStage({
  key: 'saga',
  work: 'whole',
  stops: (_, { saga }) =>
    (saga === undefined ? [] : sagaPlaces(saga)).map(({ name, values }) => {
      const { connector, data, body, set, where, params } = values;
      const asked = connector === undefined ? [] : [data, body, set, where, params];
      return stop('step', originOf(values), asked.flatMap(argumentRules), name);
    }),
});

const action = { stages: ['step'], detail: 'connector' } as const;

/** Where the stages of a saga are written, in the order in which its blocks can run. */
export const sagaLanes: readonly LanePlace[] = [
  ...(from.places ?? []),
  ...(filter.places ?? []),
  lane('gather', ['step', 'action'], action),
  lane('shape', ['step', 'delay'], {}),
  lane('shape', ['step', 'await'], {}),
  lane('deliver', ['on_complete'], action),
  lane('deliver', ['step', 'compensate'], action),
  lane('deliver', ['on_failure'], action),
];
