import { verbOfName } from '../verb-of-name.ts';

/** What a flow names of a schema. */
export interface RpcOperation {
  /** With or without its package; undefined: the method is found by its name alone. */
  readonly service: string | undefined;
  readonly method: string;
}

const written = /^\/?(?:([A-Za-z_][\w.]*)\/)?([A-Za-z_]\w*)$/;

/** Reads `package.Service/Method`, `Service/Method` or `Method`; undefined when it is malformed. */
export function parseRpc(operation: string): RpcOperation | undefined {
  const [, service, method] = written.exec(operation.trim()) ?? [];
  return method === undefined ? undefined : { service, method };
}

/** Why an operation is malformed, or undefined. */
export function checkRpc(operation: string): string | undefined {
  if (parseRpc(operation) !== undefined) return undefined;
  return 'must name a service and a method, such as "shop.Orders/GetOrder"';
}

/** Words of databases, which name no method: the target does then. */
const words = new Set(['SELECT', 'INSERT', 'CREATE', 'UPDATE', 'DELETE']);

/** The method of a call: what `operation` names, else `target`. */
export function rpcOf(operation: string | undefined, target: string | undefined): string | undefined {
  const isWord = operation === undefined || words.has(operation.trim().toUpperCase());
  return isWord ? (target ?? operation) : operation;
}

/** What a flow of a method does, by the first word of its name (`CreateOrder`); any other name reads. */
export function verbOfRpc(operation: string | undefined): 'read' | 'create' | 'update' | 'delete' {
  return verbOfName(parseRpc(operation ?? '')?.method ?? '') ?? 'read';
}
