import { parseMethodName } from '../../platform/formats/protobuf/schema/method-name.ts';
import { verbOfName } from '../core/verb-of-name.ts';

/** Why an operation is malformed, or undefined. */
export function checkRpc(operation: string): string | undefined {
  if (parseMethodName(operation) !== undefined) return undefined;
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
  return verbOfName(parseMethodName(operation ?? '')?.method ?? '') ?? 'read';
}
