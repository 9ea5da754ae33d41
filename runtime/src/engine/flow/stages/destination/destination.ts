import type { ArgumentSource, Values } from '@svc/protocol/schema';
import type { ConnectorUse, NamedOperation } from '../../tools.ts';
import type { FlowVerb } from '../../verb.ts';
import type { to } from './spec.ts';

/** One `to` block with named operations resolved and its verb decided. */
export interface Destination {
  readonly values: Values<typeof to>;
  readonly use: ConnectorUse;
  readonly verb: FlowVerb;
  /** As the connector receives it; undefined: it follows from the verb. */
  readonly operation: string | undefined;
  /** Text of the configuration, or an expression over the message. */
  readonly target: string | ArgumentSource | undefined;
  readonly query: string | undefined;
  /** The named operation that it refers to. */
  readonly named: NamedOperation | undefined;
  /** Names it in answers of several: `db`, `db:orders`, `db#2`. */
  readonly label: string;
}

/** The name of the stage that works on a destination: what is read, where it is written. */
export function stageName({ verb, target, label }: Destination): string {
  return verb === 'read' && typeof target === 'string' ? target : label;
}
