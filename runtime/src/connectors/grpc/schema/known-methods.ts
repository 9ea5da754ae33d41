import type { KnownTarget } from '@svc/protocol/wire';
import { mostColumns, mostKnown } from '../../../foundation/contracts/connector.ts';
import type { RpcMethod } from '../../../platform/formats/protobuf/schema/methods.ts';

/**
 * The methods that flows can name, with the fields of their messages: `stream` where a method streams its answers. Methods that
 * stream in both directions are left out.
 */
export function knownMethods(methods: readonly RpcMethod[]): readonly KnownTarget[] {
  let left = mostColumns;
  return methods
    .filter(({ requestStream, responseStream }) => !(requestStream && responseStream))
    .slice(0, mostKnown)
    .map(({ path, request, responseStream }) => {
      const columns = request.fieldsArray.slice(0, left).map(({ name }) => name);
      left -= columns.length;
      return { name: path.slice(1), kind: responseStream ? 'stream' : 'method', columns };
    });
}
