import type {
  Beginning,
  Rotation,
  RotationRequest,
  Session,
  SessionFacts,
  SessionLife,
  SessionLimit,
  SessionStore,
} from '../sessions.ts';
import { found, inBoth, type Layouts } from './layout.ts';

const isUndefined = (answer: unknown) => answer === undefined;
const isFalse = (answer: boolean) => !answer;

/** Between the generations of the two layouts, which are numbers. */
const between = '/';

/** Sessions in the layout that is written, and those that are left in the other one. */
export class TwoSessionStores implements SessionStore {
  readonly #layouts: () => Layouts;

  constructor(layouts: () => Layouts) {
    this.#layouts = layouts;
  }

  /** Both are read: which layout is written may change before the session begins. */
  async generation(userId: string): Promise<string> {
    const { former, scoped, other } = this.#layouts();
    const read = await Promise.all(
      [...(other === undefined ? [] : [former]), scoped].map((each) => each.sessions.generation(userId)),
    );
    return read.join(between);
  }

  async begin(session: Session, life: SessionLife, limit: SessionLimit, generation: string): Promise<Beginning> {
    const { written, other, former } = this.#layouts();
    const parts = generation.split(between);
    const expected = (written === former ? parts.slice(0, -1) : parts).at(-1) ?? '';
    if (other === undefined) return written.sessions.begin(session, life, limit, expected);
    const { userId } = session;
    const [kept, left] = await Promise.all([written.sessions.of(userId), other.sessions.of(userId)]);
    // The sessions that are left count, and end first where the oldest ones end.
    const excess = limit.whenFull === 'reject_new' ? 0 : kept.length + left.length + 1 - limit.most;
    const ending = left.slice(0, Math.max(0, excess));
    const most = limit.most - (left.length - ending.length);
    const begun = await written.sessions.begin(session, life, { ...limit, most }, expected);
    if (typeof begun === 'string') return begun;
    await Promise.all(ending.map(({ id }) => other.sessions.end(id, userId)));
    return { ended: [...ending.map(({ id }) => id), ...begun.ended] };
  }

  find(id: string): Promise<Session | undefined> {
    return found(this.#layouts(), ({ sessions }) => sessions.find(id), isUndefined);
  }

  use(id: string, at: number, unnoticed: number): Promise<Session | undefined> {
    return found(this.#layouts(), ({ sessions }) => sessions.use(id, at, unnoticed), isUndefined);
  }

  rotate(id: string, request: RotationRequest): Promise<Rotation> {
    return found(
      this.#layouts(),
      ({ sessions }) => sessions.rotate(id, request),
      (answer) => answer === 'ended',
    );
  }

  setFacts(id: string, facts: SessionFacts): Promise<boolean> {
    return found(this.#layouts(), ({ sessions }) => sessions.setFacts(id, facts), isFalse);
  }

  async of(userId: string): Promise<readonly Session[]> {
    const both = await inBoth(this.#layouts(), ({ sessions }) => sessions.of(userId));
    return both.length === 1 ? (both[0] ?? []) : both.flat().sort((a, b) => a.createdAt - b.createdAt);
  }

  end(id: string, userId: string): Promise<boolean> {
    return found(this.#layouts(), ({ sessions }) => sessions.end(id, userId), isFalse);
  }

  /** A session that begins in one of the layouts before its generation is replaced there ends with the others there. */
  async endAll(userId: string, except?: string): Promise<readonly string[]> {
    return (await inBoth(this.#layouts(), ({ sessions }) => sessions.endAll(userId, except))).flat();
  }

  /** Noted where the version before notes it, so that of several processes one gets true. */
  async firstUse(key: string, ttl: number): Promise<boolean> {
    const { written, other } = this.#layouts();
    if (!(await written.sessions.firstUse(key, ttl))) return false;
    return other === undefined || !(await other.sessions.wasUsed(key));
  }
}
