import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import { type Origin, originOf, type Values } from '@svc/protocol/schema';
import { type FlowDeclaration, flowsOf } from '../../../flow/declarations.ts';
import { resolveOperation } from '../../operations.ts';
import { parseField } from '../operation.ts';
import { federationOf, graphqlServer } from '../server/spec.ts';

type Settings = Values<typeof graphqlServer.config>;

/** A server with its flows. */
export interface Served {
  readonly connector: ConnectorDeclaration;
  readonly settings: Settings;
  /** The schema file; undefined: the schema is generated. */
  readonly path: string | undefined;
  readonly federation: 1 | 2 | undefined;
  readonly flows: readonly FieldFlow[];
}

/** A flow behind a server. */
export interface FieldFlow {
  readonly flow: FlowDeclaration;
  /** The operation after named ones were resolved; undefined when none was written. */
  readonly operation: string | undefined;
  /** Where it is written. */
  readonly at: Origin;
}

/** The servers of a project that publish a schema. */
export function serversOf(project: Project): readonly Served[] {
  const flows = flowsOf(project);
  return [...project.connectors.values()].flatMap((connector): Served[] => {
    if (connector.spec !== graphqlServer) return [];
    const settings = connector.values as unknown as Settings;
    const own = flows.flatMap((flow): FieldFlow[] => {
      const { from } = flow.values;
      if (from?.connector !== connector.name) return [];
      const { operation: written } = from;
      const named = written === undefined ? undefined : resolveOperation(connector, written);
      const at = originOf(from, written === undefined ? 'connector' : 'operation');
      return [{ flow, operation: named ? named.operation : written, at }];
    });
    const path = settings.schema?.path;
    const federation = federationOf(settings.federation);
    return [{ connector, settings, path: path === '' ? undefined : path, federation, flows: own }];
  });
}

/** The type and the field that a flow resolves; undefined for what is malformed, which is reported elsewhere. */
export function fieldOf({ operation }: FieldFlow) {
  return operation === undefined ? undefined : parseField(operation);
}
