import type { OutlineSupport } from '@svc/protocol/language';
import type { ConnectorDeclaration } from '@svc/protocol/model';
import { sagaLanes } from '../flow/pipeline/saga.ts';
import { lanes } from '../flow/pipeline/stages.ts';

/** What a picture of a service says about connectors and stages. */
export const outlineSupport: OutlineSupport = {
  stages: lanes,
  drawnAsFlows: { saga: sagaLanes },
  connector: inWords,
};

/** The driver, else the type; the port where it listens; how much else it declares. */
function inWords({ spec, values, operations, profiles }: ConnectorDeclaration): string {
  if (spec === undefined) return profiles.size === 0 ? '' : counted(profiles.size, 'profile');
  const { port } = values as { readonly port?: unknown };
  const word = spec.driver === undefined || spec.defaultDriver ? spec.type : spec.driver;
  const place = typeof port === 'number' ? `${word} :${port}` : word;
  return operations.size === 0 ? place : `${place}, ${counted(operations.size, 'op')}`;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
