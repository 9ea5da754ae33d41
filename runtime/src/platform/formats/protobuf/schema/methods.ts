import { closest } from '@svc/protocol/text';
import protobuf from 'protobufjs';
import { parseMethodName } from './method-name.ts';

/** One method of a service. */
export interface RpcMethod {
  /** As it is asked for: `/shop.Orders/GetOrder`. */
  readonly path: string;
  readonly service: string;
  readonly name: string;
  readonly request: protobuf.Type;
  readonly response: protobuf.Type;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
}

/** Why no method, or more than one, is meant, and what may be meant instead. */
export interface UnknownMethod {
  readonly message: string;
  readonly help: string | undefined;
}

/** Every method of a schema that was read without problems, sorted by path. */
export function methodsOf(root: protobuf.Root): readonly RpcMethod[] {
  const methods: RpcMethod[] = [];
  const visit = (place: protobuf.NamespaceBase) => {
    for (const each of place.nestedArray) {
      if (each instanceof protobuf.Service) methods.push(...each.methodsArray.map((method) => methodOf(each, method)));
      else if (each instanceof protobuf.Namespace) visit(each);
    }
  };
  visit(root);
  return methods.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function methodOf(service: protobuf.Service, method: protobuf.Method): RpcMethod {
  const name = service.fullName.slice(1);
  return {
    path: `/${name}/${method.name}`,
    service: name,
    name: method.name,
    request: method.resolvedRequestType as protobuf.Type,
    response: method.resolvedResponseType as protobuf.Type,
    requestStream: method.requestStream === true,
    responseStream: method.responseStream === true,
  };
}

/** The method that an operation names: a service may leave out its package, and a method its service, where one is meant. */
export function findMethod(methods: readonly RpcMethod[], operation: string): RpcMethod | UnknownMethod {
  const parsed = parseMethodName(operation);
  if (parsed === undefined) return { message: `"${operation}" names no method`, help: undefined };
  const { service, method } = parsed;
  const isService = (each: RpcMethod) =>
    service === undefined || each.service === service || each.service.endsWith(`.${service}`);
  const ofService = methods.filter(isService);
  const exact = ofService.filter(({ service: own }) => own === service);
  const found = (exact.length > 0 ? exact : ofService).filter(({ name }) => name === method);
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first;
  if (first !== undefined)
    return {
      message: `"${operation}" is a method of ${found.map((each) => each.service).join(', ')}`,
      help: `Write the service with its package, such as "${first.service}/${first.name}".`,
    };
  if (ofService.length === 0) {
    const services = [...new Set(methods.flatMap((each) => [each.service, each.service.split('.').at(-1) as string]))];
    const near = closest(service as string, services);
    return {
      message: `the .proto files have no service "${service}"`,
      help: near === undefined ? servicesHelp(methods) : `Did you mean "${near}/${method}"?`,
    };
  }
  const near = closest(
    method,
    ofService.map(({ name }) => name),
  );
  const owner = service === undefined ? 'no service of the .proto files' : `service "${service}"`;
  return {
    message: service === undefined ? `${owner} has a method "${method}"` : `${owner} has no method "${method}"`,
    help: near === undefined ? undefined : `Did you mean "${service === undefined ? near : `${service}/${near}`}"?`,
  };
}

export function isMethod(found: RpcMethod | UnknownMethod): found is RpcMethod {
  return 'path' in found;
}

function servicesHelp(methods: readonly RpcMethod[]): string | undefined {
  const services = [...new Set(methods.map(({ service }) => service))];
  return services.length === 0 ? 'They have no service.' : `They have ${services.slice(0, 10).join(', ')}.`;
}
