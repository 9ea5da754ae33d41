import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import { type ResolvedOperation, resolveOperation } from '../../connectors/core/operations.ts';
import { type Operation, parseOperation } from '../../platform/http/routes/route-rules.ts';
import { type FlowDeclaration, flowsOf, sagaOf } from '../flow/declarations.ts';
import type { SagaDeclaration } from '../flow/sagas/saga.ts';

/** A flow that answers requests. */
export interface Endpoint extends Operation {
  readonly name: string;
  readonly values: FlowDeclaration['values'];
  /** The saga that the flow starts. */
  readonly saga: SagaDeclaration | undefined;
  readonly connector: ConnectorDeclaration;
  /** The named operation that the flow refers to. */
  readonly named: ResolvedOperation | undefined;
}

/** Every method and path that the REST connectors of a project serve, in written order; where flows share one, the first. */
export function endpointsOf(project: Project): readonly Endpoint[] {
  const taken = new Set<string>();
  return flowsOf(project).flatMap((declaration) => {
    const endpoint = endpointOf(declaration, project);
    if (!endpoint) return [];
    const route = `${endpoint.method} ${pathTemplate(endpoint)}`;
    if (taken.has(route)) return [];
    taken.add(route);
    return [endpoint];
  });
}

function endpointOf(declaration: FlowDeclaration, project: Project): Endpoint | undefined {
  const { name, values } = declaration;
  const { connector: source = '', operation } = values.from ?? {};
  const connector = project.connectors.get(source);
  if (connector?.spec?.source?.routes !== true || operation === undefined) return undefined;
  const named = resolveOperation(connector, operation);
  const parsed = parseOperation(named?.operation ?? operation);
  return typeof parsed === 'string'
    ? undefined
    : { ...parsed, name, values, saga: sagaOf(declaration), connector, named };
}

/** The path with `{name}` for each parameter. */
export function pathTemplate({ segments }: Pick<Operation, 'segments'>): string {
  return `/${segments.map((part) => ('literal' in part ? part.literal : `{${part.parameter}}`)).join('/')}`;
}

/** Names of the parameters of the path, in written order. */
export function pathParameters({ segments }: Pick<Operation, 'segments'>): readonly string[] {
  return segments.flatMap((part) => ('parameter' in part ? part.parameter : []));
}

/** Whether the request asks for something instead of changing it. */
export function isReading({ method }: Pick<Operation, 'method'>): boolean {
  return ['GET', 'HEAD', 'OPTIONS', 'QUERY'].includes(method);
}
