import type { Outcome } from '../../foundation/contracts/outcome.ts';
import { failureOf } from '../../foundation/errors/answered.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Peer } from '../../platform/http/live/peer.ts';
import type { ClientDriver } from '../intake/clients/client-driver.ts';
import { ClientEvent } from '../intake/clients/client-event.ts';

/** What happens to streams, for the flows that take it. What is handed over of one stream is handled in order. */
export class StreamEvents {
  readonly #driver: ClientDriver;
  /** The end of what was handed over last, of streams with something under way. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(driver: ClientDriver) {
    this.#driver = driver;
  }

  /**
   * Asks the flow that decides who may be in a room; resolves with why one of the rooms is refused. Undefined where no
   * flow decides: then everybody may be in every room.
   */
  mayJoin(peer: Peer, rooms: readonly string[]): Promise<Failure | undefined> | undefined {
    if (rooms.length === 0 || !this.#driver.names('join_room')) return undefined;
    return this.#firstRefused(peer, rooms);
  }

  connected(peer: Peer): void {
    if (this.#driver.takes('connect')) void this.#tell(peer, 'connect', {});
  }

  /** Resolves when it is handled. */
  async disconnected(peer: Peer): Promise<void> {
    await this.#last.get(peer.id);
    if (this.#driver.takes('disconnect')) await this.#tell(peer, 'disconnect', {});
  }

  async #firstRefused(peer: Peer, rooms: readonly string[]): Promise<Failure | undefined> {
    for (const room of rooms) {
      const end = await this.#tell(peer, 'join_room', { room });
      if (end instanceof Failure) return end;
      if (end?.kind === 'failed') return failureOf(end);
      if (end?.kind !== 'reply') return new Failure('permission_denied', `the room ${room} is refused`);
    }
    return undefined;
  }

  /** Resolves with the answer of the flow once everything is settled. Never rejects. */
  #tell(peer: Peer, key: string, said: Readonly<Record<string, unknown>>): Promise<Outcome | Failure | undefined> {
    const handled = new Promise<Outcome | Failure | undefined>((resolve) => {
      let end: Outcome | Failure | undefined;
      const answer = (given: Outcome | Failure) => {
        end = given;
        return undefined;
      };
      const settled = () => {
        this.#driver.settled();
        resolve(end);
      };
      const own = { ...said, client_id: peer.id };
      this.#driver.offer(new ClientEvent({ key, client: peer, fields: {}, said: own, answer, settled }));
    });
    this.#last.set(peer.id, handled);
    void handled.then(() => {
      if (this.#last.get(peer.id) === handled) this.#last.delete(peer.id);
    });
    return handled;
  }
}
