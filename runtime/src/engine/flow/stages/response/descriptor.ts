import { originOf } from '@svc/protocol/schema';
import { written } from '../../pipeline/argument-rules.ts';
import { describeStage, lane, stop } from '../../pipeline/descriptor.ts';
import * as spec from './spec.ts';
import { viewOf } from './view.ts';

export const response = describeStage({
  key: 'response',
  word: 'response',
  block: spec.response,
  places: [lane('deliver', ['response'], { stages: ['response'], detail: 'http_status_code' })],
  stages: {
    response: {
      builds: true,
      makes: ['answer'],
      sees: ({ answer }) => viewOf(answer),
      takes: ({ answer }) => answer,
      gives: ({ answer }) => answer,
    },
  },
  stops: (values) => [
    stop('response', originOf(values), [
      ...values.fields,
      ...written(values.http_status_code),
      ...written(values.grpc_status_code),
      ...(values.headers?.fields ?? []),
    ]),
  ],
  readsChecked: true,
});
