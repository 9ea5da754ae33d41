import type { RequestCounts, RequestObserver } from '../../../foundation/contracts/observer.ts';
import type { Binding } from '../../../foundation/contracts/source.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { findMethod, isMethod, type RpcMethod } from '../../../platform/formats/protobuf/schema/methods.ts';
import { answering } from '../../core/flows-beside.ts';

/** A method and what answers it. */
export interface ServedMethod {
  readonly method: RpcMethod;
  readonly binding: Binding;
  /** What its calls are counted by; undefined: they are not. */
  readonly counts: RequestCounts | undefined;
}

/** The methods of a configuration by their paths. Throws a Failure for an operation that the files do not have. */
export function servedMethods(
  bindings: readonly Binding[],
  methods: readonly RpcMethod[],
  { log, observer }: { readonly log: Log; readonly observer: RequestObserver | undefined },
): ReadonlyMap<string, ServedMethod> {
  const found = new Map<string, RpcMethod>();
  const named = bindings.map((binding) => {
    const method = methodOf(binding, methods);
    found.set(method.path, method);
    return { ...binding, operation: method.path };
  });
  const served = answering(named, log).map((binding): [string, ServedMethod] => {
    const path = binding.operation as string;
    return [path, { method: found.get(path) as RpcMethod, binding, counts: observer?.of('POST', path) }];
  });
  return new Map(served);
}

function methodOf({ flow, operation = '' }: Binding, methods: readonly RpcMethod[]): RpcMethod {
  const found = findMethod(methods, operation);
  if (!isMethod(found)) throw new Failure('internal', `flow "${flow}": ${found.message}`);
  if (found.requestStream && found.responseStream)
    throw new Failure('internal', `flow "${flow}": ${found.path} streams in both directions`);
  return found;
}
