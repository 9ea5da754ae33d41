import type {
  ContractOperation,
  ContractParameter,
  OpenApiContract,
} from '../../../platform/formats/openapi/contract.ts';
import { methods, parseOperation, pathConflicts } from '../../../platform/http/routes/route-rules.ts';
import { snake } from '../names.ts';

/** An operation under the name and the path that a configuration gives it. */
export interface Route {
  readonly operation: ContractOperation;
  /** Of the flow and of the operation. */
  readonly name: string;
  readonly method: string;
  /** With `:name` for each parameter. */
  readonly path: string;
  /** Names of the parameters of the path, by those of the contract. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** The operations that flows can serve or call, in written order; the others are noted. */
export function routesOf(contract: OpenApiContract, isClient: boolean): readonly Route[] {
  const { documents, operations, base } = contract;
  const taken = new Set<string>();
  const found = operations.flatMap((operation): readonly Route[] => {
    const leave = (why: string): readonly Route[] => {
      documents.leave(operation.at, why);
      return [];
    };
    const { method } = operation;
    if (!(methods as readonly string[]).includes(method)) return leave(`no flow serves or calls ${method}`);
    const isRead = operations.some((each) => each.path === operation.path && each.method === 'GET');
    if (method === 'HEAD' && isRead && !isClient) return leave('the flow of GET answers HEAD too');
    const [path, renamed] = pathOf(isClient ? operation.path : `${base}${operation.path}`);
    const parsed = parseOperation(`${method} ${path}`);
    if (typeof parsed === 'string') return leave(parsed);
    return [{ operation, name: freeName(operation, taken), method, path, renamed }];
  });
  return isClient ? found : withoutConflicts(found, contract);
}

/** What no router can order is not served: of two such paths the first is. */
function withoutConflicts(routes: readonly Route[], { documents }: OpenApiContract): readonly Route[] {
  const dropped = new Set<number>();
  const conflicts = pathConflicts(routes.map(({ method, path }) => `${method} ${path}`));
  for (const { first, second, message } of conflicts) {
    const route = routes[second];
    if (dropped.has(first) || dropped.has(second) || route === undefined) continue;
    dropped.add(second);
    documents.leave(route.operation.at, message);
  }
  return routes.filter((_, index) => !dropped.has(index));
}

function pathOf(path: string): readonly [string, ReadonlyMap<string, string>] {
  const renamed = new Map<string, string>();
  const written = path.replace(/(^|\/)\{([^{}/]*)\}(?=\/|$)/g, (_, before: string, name: string) => {
    const plain = name.replace(/\W+/g, '_').replace(/^(?=\d)|^$/, '_');
    const usual = plain === 'headers' || plain === 'files' ? `${plain}_` : plain;
    renamed.set(name, usual);
    return `${before}:${usual}`;
  });
  return [written, renamed];
}

/** The identifier of an operation as names of flows are written, else its method and path. */
function freeName({ id, method, path }: ContractOperation, taken: Set<string>): string {
  const written = id ?? `${method.toLowerCase()}_${path}`;
  const plain = snake(written)
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .replace(/^(?![a-z])/, 'op_');
  let name = plain;
  for (let count = 2; taken.has(name); count++) name = `${plain}_${count}`;
  taken.add(name);
  return name;
}

/** The name under which a flow finds a parameter. */
export function parameterName({ renamed }: Route, parameter: ContractParameter): string {
  return parameter.in === 'path' ? (renamed.get(parameter.name) ?? parameter.name) : parameter.name;
}
