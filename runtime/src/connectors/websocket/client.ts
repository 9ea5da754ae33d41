import type { Outcome } from '../../contracts/outcome.ts';
import { asFailure } from '../../errors/classify.ts';
import { Failure } from '../../errors/failure.ts';
import type { Codec } from '../../formats/registry.ts';
import type { Happening } from '../../http/websocket/backlog.ts';
import type { Peer } from '../../http/websocket/connections.ts';
import type { Link } from '../../http/websocket/link.ts';
import type { ClientDriver } from './driver.ts';
import { ClientEvent } from './event.ts';
import { type ClientFrame, dataFrame, errorFrame, fieldsOf, longestName, readFrame } from './frame.ts';
import type { Member, Rooms } from './rooms.ts';

/** Rooms that one client may be in. */
const mostRooms = 100;

/** What all clients of a connector share. */
export interface ClientContext {
  readonly rooms: Rooms<Client>;
  readonly driver: ClientDriver;
  readonly json: Codec;
  readonly production: boolean;
}

/** One connected client: what it says becomes events for flows, memberships of rooms, and answers. */
export class Client implements Member {
  readonly rooms = new Set<string>();
  readonly user: string;
  readonly link: Link;
  readonly #peer: Peer;
  readonly #context: ClientContext;

  constructor(peer: Peer, link: Link, context: ClientContext) {
    this.user = peer.auth.user_id;
    this.link = link;
    this.#peer = peer;
    this.#context = context;
  }

  /** Handles what happened; resolves when the next may be handled. Never throws and never rejects. */
  handle({ kind, bytes }: Happening): Promise<void> | undefined {
    if (kind !== 'frame') return this.#context.driver.takes(kind) ? this.#tell(kind, {}) : undefined;
    try {
      const frame = readFrame(this.#context.json, bytes);
      if (!(frame instanceof Promise)) return this.#act(frame);
      return frame.then(
        (late) => this.#act(late),
        (error: unknown) => this.#refuse(error),
      );
    } catch (error) {
      this.#refuse(error);
      return undefined;
    }
  }

  #act(frame: ClientFrame): Promise<void> | undefined {
    const { driver } = this.#context;
    const { type, data, room } = frame;
    if (type === 'join_room' || type === 'leave_room') return this.#move(frame);
    if (type === 'message') {
      if (!driver.takes(type)) return undefined;
      return this.#tell(type, fieldsOf(data), (end) => this.#reply(end));
    }
    // These two names are of what happens, not of what a client can say.
    const isForged = type === 'connect' || type === 'disconnect';
    if (!isForged && type.length <= longestName && driver.takes(type)) return this.#tell(type, { data, room });
    this.#refuse(new Failure('value_refused', `unknown message type: ${type.slice(0, longestName)}`));
    return undefined;
  }

  /** Into a room or out of it. A flow of that name decides; without one, every client may be in every room. */
  #move({ type, data, room }: ClientFrame): Promise<void> | undefined {
    const { rooms, driver } = this.#context;
    if (room === '' || room.length > longestName) {
      this.#refuse(new Failure('value_refused', `${type} needs a room of at most ${longestName} characters`));
      return undefined;
    }
    const move = () => {
      if (type === 'leave_room') rooms.leave(this, room);
      else if (this.rooms.size < mostRooms || this.rooms.has(room)) rooms.join(this, room);
      else this.#refuse(new Failure('value_refused', `a client may be in ${mostRooms} rooms`));
    };
    if (!driver.names(type)) {
      move();
      return undefined;
    }
    return this.#tell(type, { data, room }, (end) => {
      if (end instanceof Failure) this.#refuse(end);
      else if (end.kind === 'reply') move();
      else this.#refuse(new Failure('permission_denied', `${type} was refused`));
    });
  }

  /** Hands an event to the flows; resolves when it is settled. */
  #tell(
    key: string,
    fields: Readonly<Record<string, unknown>>,
    answer: (end: Outcome | Failure) => void = () => undefined,
  ): Promise<void> {
    const { driver } = this.#context;
    return new Promise((resolve) => {
      const settled = () => {
        driver.settled();
        resolve();
      };
      driver.offer(new ClientEvent({ key, client: this.#peer, fields, answer, settled }));
    });
  }

  #reply(end: Outcome | Failure): void {
    if (end instanceof Failure) {
      this.#refuse(end);
      return;
    }
    if (end.kind !== 'reply' || end.value === null || end.value === undefined) return;
    try {
      this.link.send(dataFrame(this.#context.json, end.value));
    } catch (error) {
      this.#refuse(error);
    }
  }

  #refuse(error: unknown): void {
    this.link.send(errorFrame(asFailure(error), this.#context.production));
  }
}
