import { originOf } from '@svc/protocol/schema';
import { transaction } from '../../../../connectors/core/transaction-spec.ts';
import { written } from '../../pipeline/argument-rules.ts';
import { describeStage, lane, type StopPlace, stop } from '../../pipeline/descriptor.ts';
import { stageName } from './destination.ts';
import { type Body, inOrder } from './in-order.ts';
import * as spec from './spec.ts';

export const to = describeStage({
  key: 'to',
  word: 'to',
  block: spec.to,
  reusable: { transaction },
  places: [lane('deliver', ['to'], { stages: ['read', 'write'], detail: 'connector' })],
  stages: {
    read: { gives: ({ answer }, _name, result) => result ?? answer },
    write: {
      acts: true,
      makes: ['call'],
      decides: ({ target }) => /(^|\.)when$/.test(target),
      takes: ({ output, input }) => output ?? input,
      gives: ({ answer }, _name, result) => result ?? answer,
    },
  },
  stops: (_, { destinations }) =>
    destinations().map((destination) => {
      const { values, verb } = destination;
      const { when, transform, transaction } = values;
      if (verb === 'read') return stop('read', originOf(values), [], stageName(destination));
      const rules = [...written(when), ...(transform?.fields ?? []), ...statementRules(transaction)];
      return stop('write', originOf(values), rules, stageName(destination));
    }),
  asks: (all) => all.map((values) => ({ kind: 'to', title: 'to', values })),
  work: 'piece',
  readsChecked: true,
});

/** Every statement before its expressions, and the list of every loop before its content. */
function statementRules(body: Body | undefined): StopPlace['rules'] {
  if (body === undefined) return [];
  return inOrder(body).flatMap((each) => {
    if ('over' in each) return [each.over, ...statementRules(each)];
    return [{ origin: originOf(each) }, ...written(each.when), ...(each.params?.fields ?? [])];
  });
}
