import type { CallDescription, CallRequest, Execute, Target } from '../../../foundation/contracts/target.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { encodeJson } from '../../formats/json.ts';
import { answered } from '../../net/answered.ts';
import { type Addressee, nameOf, type PushOperations } from './addressee.ts';
import type { Filters } from './filters.ts';
import type { Push } from './push.ts';

export interface PushTargetOptions {
  readonly connector: string;
  readonly operations: PushOperations;
  readonly filters: Filters;
  readonly isOpen: () => boolean;
  /** The bytes of `_binary`, where the configuration names it; absent: such a field is data. */
  readonly bytesOf?: ((fields: Readonly<Record<string, unknown>>) => Buffer) | undefined;
  /** Undefined when it has been sent; else resolves when it has. Throws or rejects with a Failure. */
  readonly publish: (push: Push) => Promise<void> | undefined;
}

const pushed = () => ({ affected: 1 });

/** Sends to the clients of a connector. A room or a user without clients is not a failure. */
export function pushTarget(options: PushTargetOptions): Target {
  const { connector, operations, filters, isOpen, publish, bytesOf } = options;
  return {
    prepare(call): Execute {
      const { timeout } = call;
      const addressee = addresseesOf(call, operations, connector);
      const filter = call.deferred?.['filter'];
      if (filter !== undefined) filters.add(filter);
      const asBytes = call.binary === true ? bytesOf : undefined;
      return (request) => {
        if (!isOpen())
          throw new Failure('connector_refused', `connector "${connector}" is not open`, { at: { connector } });
        const { payload = {} } = request;
        const to = addressee(request);
        const bytes = asBytes?.(payload);
        const text = bytes === undefined ? encodeJson(payload) : '';
        const published = publish({ to, text, bytes, filter: filter?.source, value: () => payload });
        return published === undefined
          ? pushed()
          : answered(published.then(pushed), { signal: request.signal, timeout });
      };
    },
  };
}

/** Whom each message of a destination is for. */
function addresseesOf(
  { operation, target }: Pick<CallDescription, 'operation' | 'target'>,
  operations: PushOperations,
  connector: string,
): (request: CallRequest) => Addressee {
  const written = operations.read(operation) ?? { kind: 'all' };
  const missing = (what: string) => new Failure('filter_missing', what, { at: { connector } });
  switch (written.kind) {
    case 'all':
      return () => ({ kind: 'all' });
    case 'room':
      return (request) => {
        const name = written.name ?? nameOf(request.target ?? target);
        if (name === '') throw missing('send_to_room needs a room: write `target`');
        return { kind: 'room', name };
      };
    case 'user':
      return ({ target: given, filters, payload }) => {
        const name = nameOf(given ?? target ?? filters?.['user_id'] ?? payload?.['user_id']);
        if (name === '') throw missing('send_to_user needs a user: write `target`, or give the payload a `user_id`');
        return { kind: 'user', name };
      };
  }
}
