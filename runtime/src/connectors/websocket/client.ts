import type { Outcome } from '../../foundation/contracts/outcome.ts';
import { failureOf } from '../../foundation/errors/answered.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { reportOf } from '../../foundation/errors/report.ts';
import type { Codec } from '../../platform/formats/registry.ts';
import type { Recipient } from '../../platform/http/live/broadcaster.ts';
import type { Peer } from '../../platform/http/live/peer.ts';
import { longestName, mostRooms, type Rooms } from '../../platform/http/live/rooms.ts';
import type { Happening } from '../../platform/http/websocket/inbox.ts';
import type { Link, SocketFrame } from '../../platform/http/websocket/link.ts';
import type { ClientDriver } from '../intake/clients/client-driver.ts';
import { ClientEvent } from '../intake/clients/client-event.ts';
import { fieldsOf } from '../intake/fields.ts';
import { type ClientFrame, dataFrame, errorFrame, readFrame } from './frame.ts';

/** What all clients of a connector share. */
export interface ClientContext {
  readonly rooms: Rooms<Client>;
  readonly driver: ClientDriver;
  readonly json: Codec;
  readonly production: boolean;
}

/** One connected client: what it says becomes events for flows, memberships of rooms, and answers. */
export class Client implements Recipient<SocketFrame> {
  readonly rooms = new Set<string>();
  readonly link: Link;
  readonly #peer: Peer;
  readonly #context: ClientContext;

  constructor(peer: Peer, link: Link, context: ClientContext) {
    this.link = link;
    this.#peer = peer;
    this.#context = context;
  }

  get user(): string {
    return this.#peer.auth.user_id;
  }

  get auth(): Peer['auth'] {
    return this.#peer.auth;
  }

  get params(): Peer['params'] {
    return this.#peer.params;
  }

  send(frame: SocketFrame): void {
    this.link.send(frame);
  }

  hold(frame: SocketFrame): void {
    this.link.hold(frame);
  }

  release(): void {
    this.link.release();
  }

  skip(): void {
    this.link.skip();
  }

  /** Handles what happened; resolves when the next may be handled. Never throws and never rejects. */
  handle({ kind, bytes, isBinary }: Happening): Promise<void> | undefined {
    if (kind !== 'frame') return this.#happened(kind);
    // Without such a flow, a text may come as bytes.
    if (isBinary === true && this.#context.driver.names('binary'))
      return this.#tell('binary', { data: bytes }, (end) => this.#reply(end));
    try {
      const frame = readFrame(this.#context.json, bytes);
      if (!(frame instanceof Promise)) return this.#act(frame);
      return frame.then(
        (late) => this.#act(late),
        (error: unknown) => void this.#refuse(error),
      );
    } catch (error) {
      this.#refuse(error);
      return undefined;
    }
  }

  #happened(kind: 'connect' | 'disconnect'): Promise<void> | undefined {
    if (!this.#context.driver.takes(kind)) return undefined;
    const { protocol } = this.link;
    return this.#tell(kind, {}, undefined, kind === 'connect' && protocol !== '' ? { protocol } : undefined);
  }

  #act(frame: ClientFrame): Promise<void> | undefined {
    const { driver } = this.#context;
    const { type, data, room } = frame;
    if (type === 'join_room' || type === 'leave_room') return this.#move(frame);
    if (type === 'message') {
      if (!driver.takes(type)) return undefined;
      return this.#tell(type, fieldsOf(data), (end) => this.#reply(end));
    }
    // These names are of what happens, not of what a client can say.
    const isForged = type === 'connect' || type === 'disconnect' || type === 'binary';
    if (!isForged && type.length <= longestName && driver.takes(type))
      return this.#tell(type, { data, room }, (end) => this.#failed(end));
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
      if (end instanceof Failure) return this.#refuse(end);
      if (end.kind === 'failed') return this.#refuse(failureOf(end));
      if (end.kind === 'reply') move();
      else this.#refuse(new Failure('permission_denied', `${type} was refused`));
      return undefined;
    });
  }

  /** Hands an event to the flows; resolves when it is settled. */
  #tell(
    key: string,
    fields: Readonly<Record<string, unknown>>,
    answer: (end: Outcome | Failure) => string | undefined = () => undefined,
    said?: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { driver } = this.#context;
    return new Promise((resolve) => {
      const settled = () => {
        driver.settled();
        resolve();
      };
      driver.offer(new ClientEvent({ key, client: this.#peer, fields, said, answer, settled }));
    });
  }

  /** Tells the client of a failure, and of nothing else. */
  #failed(end: Outcome | Failure): string | undefined {
    if (end instanceof Failure) return this.#refuse(end);
    return end.kind === 'failed' ? this.#refuse(failureOf(end)) : undefined;
  }

  #reply(end: Outcome | Failure): string | undefined {
    if (end instanceof Failure || end.kind === 'failed') return this.#failed(end);
    if (end.kind !== 'reply' || end.value === null || end.value === undefined) return undefined;
    try {
      this.link.send(dataFrame(this.#context.json, end.value));
      return undefined;
    } catch (error) {
      return this.#refuse(error);
    }
  }

  /** Answers the id under which the failure is to be logged. */
  #refuse(error: unknown): string | undefined {
    const said = reportOf(asFailure(error), this.#context.production);
    this.link.send(errorFrame(said));
    return said.requestId;
  }
}
