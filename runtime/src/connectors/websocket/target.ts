import type { CallRequest, Execute, Target } from '../../contracts/target.ts';
import { Failure } from '../../errors/failure.ts';
import type { Codec } from '../../formats/registry.ts';
import type { Link } from '../../http/websocket/link.ts';
import type { Outbox } from '../../http/websocket/outbox.ts';
import type { Client } from './client.ts';
import { dataFrame, nameOf } from './frame.ts';
import { type Addressee, addresseeOf } from './operation.ts';
import type { Rooms } from './rooms.ts';

export interface TargetOptions {
  readonly connector: string;
  readonly isOpen: () => boolean;
  readonly rooms: Rooms<Client>;
  readonly outbox: Outbox;
  readonly json: () => Codec;
}

const pushed = () => ({ affected: 1 });

/** Pushes frames to the clients of a connector. A room or a user without clients is not a failure. */
export function pushTarget({ connector, isOpen, rooms, outbox, json }: TargetOptions): Target {
  const push = (clients: Iterable<Client>, request: CallRequest, room?: string) => {
    if (!isOpen())
      throw new Failure('connector_refused', `connector "${connector}" is not open`, { at: { connector } });
    const sent = outbox.push(links(clients), dataFrame(json(), request.payload ?? {}, room));
    return sent === undefined ? pushed() : sent.then(pushed);
  };
  const missing = (what: string) => new Failure('filter_missing', what, { at: { connector } });
  return {
    prepare({ operation, target }): Execute {
      const addressee = addresseeOf(operation) as Addressee;
      switch (addressee.kind) {
        case 'broadcast':
          return (request) => push(rooms.all, request);
        case 'room':
          return (request) => {
            const room = addressee.room ?? request.target ?? target ?? '';
            if (room === '') throw missing('send_to_room needs a room: write `target`');
            return push(rooms.in(room), request, room);
          };
        case 'user':
          return (request) => {
            const user = nameOf(request.target ?? target ?? request.payload?.['user_id']);
            if (user === '')
              throw missing('send_to_user needs a user: write `target`, or give the payload a `user_id`');
            return push(rooms.of(user), request);
          };
      }
    },
  };
}

function* links(clients: Iterable<Client>): Iterable<Link> {
  for (const { link } of clients) yield link;
}
