import type { Project } from '@svc/protocol/model';
import { type Origin, originOf } from '@svc/protocol/schema';
import { endpointsOf, pathTemplate } from '../../engine/export/endpoints.ts';
import { componentName } from '../../engine/export/json-schema.ts';
import { flowsOf } from '../../engine/flow/declarations.ts';
import { type } from '../../engine/flow/stages/validate/spec.ts';

/** Where the configuration says what its description has at a pointer; undefined for what it does not say anywhere. */
export function placeOf(project: Project, pointer: string): Origin | undefined {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const [root, kind, name] = parts;
  if (root === 'components' && kind === 'schemas' && name !== undefined)
    return fieldPlace(project, name, parts.slice(3));
  if (root !== 'paths' || kind === undefined || name === undefined) return undefined;
  return operationPlace(project, kind, name.toUpperCase(), parts);
}

function fieldPlace(project: Project, component: string, parts: readonly string[]): Origin | undefined {
  const found = project.all('type', type).find((each) => componentName(each.name) === component);
  const field = parts[0] === 'properties' ? parts[1] : undefined;
  return found?.values.fields.find(({ name }) => name === field)?.origin ?? found?.nameOrigin;
}

function operationPlace(project: Project, path: string, method: string, parts: readonly string[]): Origin | undefined {
  const endpoint = endpointsOf(project).find((each) => each.method === method && pathTemplate(each) === path);
  if (endpoint === undefined) return undefined;
  const flow = flowsOf(project).find(({ name }) => name === endpoint.name);
  const { from } = endpoint.values;
  const inFlow = from === undefined ? flow?.nameOrigin : originOf(from, 'operation');
  const { named } = endpoint;
  if (named === undefined || parts[3] !== 'parameters') return inFlow;
  return endpoint.connector.operations.get(named.name)?.origin ?? inFlow;
}
