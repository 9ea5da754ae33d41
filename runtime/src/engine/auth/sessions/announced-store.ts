import type {
  Beginning,
  Rotation,
  RotationRequest,
  Session,
  SessionFacts,
  SessionLife,
  SessionLimit,
  SessionStore,
} from '../store/sessions.ts';
import type { SessionEndings } from './endings.ts';

/** Sessions of a store, which tells what is open for those that end. */
export class AnnouncedSessionStore implements SessionStore {
  readonly #store: SessionStore;
  readonly #endings: Pick<SessionEndings, 'tell'>;

  constructor(store: SessionStore, endings: Pick<SessionEndings, 'tell'>) {
    this.#store = store;
    this.#endings = endings;
  }

  generation(userId: string): Promise<string> {
    return this.#store.generation(userId);
  }

  async begin(session: Session, life: SessionLife, limit: SessionLimit, generation: string): Promise<Beginning> {
    const begun = await this.#store.begin(session, life, limit, generation);
    if (typeof begun !== 'string') this.#endings.tell(begun.ended);
    return begun;
  }

  find(id: string): Session | undefined | Promise<Session | undefined> {
    return this.#store.find(id);
  }

  use(id: string, at: number, unnoticed: number): Session | undefined | Promise<Session | undefined> {
    return this.#store.use(id, at, unnoticed);
  }

  async rotate(id: string, request: RotationRequest): Promise<Rotation> {
    const rotation = await this.#store.rotate(id, request);
    if (rotation === 'reused') this.#endings.tell([id]);
    return rotation;
  }

  setFacts(id: string, facts: SessionFacts): Promise<boolean> {
    return this.#store.setFacts(id, facts);
  }

  of(userId: string): Promise<readonly Session[]> {
    return this.#store.of(userId);
  }

  async end(id: string, userId: string): Promise<boolean> {
    const isEnded = await this.#store.end(id, userId);
    if (isEnded) this.#endings.tell([id]);
    return isEnded;
  }

  async endAll(userId: string, except?: string): Promise<readonly string[]> {
    const ended = await this.#store.endAll(userId, except);
    this.#endings.tell(ended);
    return ended;
  }

  firstUse(key: string, ttl: number): Promise<boolean> {
    return this.#store.firstUse(key, ttl);
  }
}
