import type { RpcMethod } from '../../../platform/formats/protobuf/schema/methods.ts';
import { type DifferProto, nameOf, type ProtoDifference } from './differences.ts';
import { Messages } from './messages.ts';

/** The methods of a service, and which of them flows answer. */
export interface ServedMethods {
  readonly connector: string;
  readonly methods: readonly RpcMethod[];
  /** Paths of methods that are answered, by flows or by the server of itself. */
  readonly answered: ReadonlyMap<string, unknown>;
}

/** How the methods that flows answer, and their messages, differ from those of a contract. */
export function compareProto(contract: readonly RpcMethod[], served: ServedMethods): readonly ProtoDifference[] {
  const found = new Map<string, ProtoDifference>();
  const differ: DifferProto = (one) => {
    const key = [one.code, one.isBreaking, one.message, one.contract, one.served].join('\n');
    if (!found.has(key)) found.set(key, one);
  };
  const messages = new Messages(differ);
  const own = new Map(served.methods.map((method) => [method.path, method]));
  for (const method of contract) {
    const mine = own.get(method.path);
    const note = (message: string) =>
      differ({
        code: 'contract-operation',
        isBreaking: true,
        message,
        contract: nameOfMethod(method),
        served: mine && nameOfMethod(mine),
        isOfFlow: true,
      });
    const name = method.path.slice(1);
    if (mine === undefined) {
      if (!served.answered.has(method.path))
        note(`connector "${served.connector}" does not define ${name}, which the contract has`);
      continue;
    }
    if (!served.answered.has(method.path))
      note(`no flow answers ${name}, which the contract has: callers get UNIMPLEMENTED`);
    for (const [what, here, there] of [
      ['requests', mine.requestStream, method.requestStream],
      ['answers', mine.responseStream, method.responseStream],
    ] as const)
      if (here !== there) note(`${name} ${streams(what, here)} here, and ${streams(what, there)} in the contract`);
    if (mine.requestStream !== method.requestStream || mine.responseStream !== method.responseStream) continue;
    messages.compare(method.request, mine.request, 'request');
    messages.compare(method.response, mine.response, 'answer');
  }
  const promised = new Set(contract.map(({ path }) => path));
  for (const method of served.methods)
    if (!promised.has(method.path) && served.answered.has(method.path))
      differ({
        code: 'contract-operation',
        isBreaking: false,
        message: `${method.path.slice(1)} is served, and the contract does not have it`,
        contract: undefined,
        served: nameOfMethod(method),
        isOfFlow: true,
      });
  return [...found.values()];
}

function streams(what: string, isStream: boolean): string {
  return isStream ? `streams its ${what}` : `has one message as its ${what}`;
}

export function nameOfMethod({ service, name }: RpcMethod): string {
  return `${nameOf({ fullName: service })}.${name}`;
}
