import type { TypeEntry } from '@svc/protocol/wire';
import type { Outline } from '../debug/session/flow-map.ts';
import type { Request } from './request.ts';

/** Something that a service of this project answers. */
export interface Endpoint {
  /** The flow that answers it; undefined where the sign-in system does. */
  readonly flow: string | undefined;
  /** The name of the flow, or that of the endpoint of the sign-in system. */
  readonly name: string;
  readonly method: string;
  /** As the flow says it: `/orders/:id`. */
  readonly path: string;
  /** The members of its body, where they are known without a running service. */
  readonly members?: Outline['endpoints'][number]['body'] | undefined;
}

const operation = /^([A-Z]+)\s+(\/\S*)$/;
const parameter = /:([A-Za-z_]\w*)/g;

/** The endpoints of a project in the order of their paths: its flows whose messages are requests, and those of sign-in. */
export function endpointsOf({ flows, connectors, endpoints }: Outline): readonly Endpoint[] {
  const apis = new Set(connectors.filter(({ kind }) => kind === 'api').map(({ name }) => name));
  const found = flows.flatMap(({ name, source }): readonly Endpoint[] => {
    const [, method, path] = operation.exec(source?.operation ?? '') ?? [];
    if (source === undefined || method === undefined || path === undefined || !apis.has(source.connector)) return [];
    return [{ flow: name, name, method, path }];
  });
  const others = endpoints.map(({ name, method, path, body }) => ({
    flow: undefined,
    name,
    method,
    path,
    members: body,
  }));
  return [...found, ...others].sort((a, b) =>
    a.path === b.path ? compare(a.method, b.method) : compare(a.path, b.path),
  );
}

/** A request for an endpoint: parameters of its path become variables, its body is `body` where one is sent. */
export function requestFor({ method, path, members }: Endpoint, body: unknown): Request {
  const names = [...path.matchAll(parameter)].map(([, name]) => name as string);
  const isWritten = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const hasBody = members === undefined ? isWritten : Object.keys(members).length > 0;
  return {
    method,
    url: `{{base}}${path.replace(parameter, '{{$1}}')}`,
    headers: {},
    ...(hasBody ? { body } : {}),
    ...(names.length === 0 ? {} : { variables: Object.fromEntries(names.map((name) => [name, ''])) }),
  };
}

/** Whether a request with this method and address arrives at a route such as `/orders/:id`. */
export function isFor(method: string, route: string, sent: { readonly method: string; readonly url: string }): boolean {
  if (method !== sent.method || !URL.canParse(sent.url)) return false;
  const wanted = route.split('/');
  const parts = new URL(sent.url).pathname.split('/');
  return wanted.length === parts.length && wanted.every((part, at) => part.startsWith(':') || part === parts[at]);
}

/** A body with the members that an endpoint of the sign-in system needs. */
export function bodyOfMembers(members: NonNullable<Endpoint['members']>): Readonly<Record<string, unknown>> {
  const needed = Object.entries(members).filter(([, { required }]) => required);
  return Object.fromEntries(needed.map(([name, { type }]) => [name, emptyOf(type, [], deepest)]));
}

/** Types inside types that are written out; deeper ones become empty objects. */
const deepest = 4;

/**
 * A body with every field of a type, as the running service tells its types, that passes the type where the service
 * says samples; `{}` for a type that it does not know.
 */
export function skeletonOf(name: string, types: readonly TypeEntry[], depth = 0): Readonly<Record<string, unknown>> {
  const fields = depth < deepest ? types.find((each) => each.name === name)?.fields : undefined;
  return Object.fromEntries(
    (fields ?? []).map(({ name: field, type, sample }) => {
      const isPlain = Object.hasOwn(values, type);
      return [field, isPlain && sample !== undefined && sample !== null ? sample : emptyOf(type, types, depth)];
    }),
  );
}

const values: Readonly<Record<string, unknown>> = {
  string: '',
  number: 0,
  integer: 0,
  boolean: false,
  id: '',
  array: [],
  object: {},
};

function emptyOf(type: string, types: readonly TypeEntry[], depth: number): unknown {
  return Object.hasOwn(values, type) ? values[type] : skeletonOf(type, types, depth + 1);
}

/** A free name for the file of a request: `requests/post-orders.json`. */
export function pathFor({ method, path }: Pick<Endpoint, 'method' | 'path'>, taken: ReadonlySet<string>): string {
  const words = path.split(/[^A-Za-z0-9_]+/).filter((word) => word !== '');
  const name = [method.toLowerCase(), ...words].join('-');
  for (let number = 1; ; number++) {
    const file = `requests/${name}${number === 1 ? '' : `-${number}`}.json`;
    if (!taken.has(file)) return file;
  }
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
