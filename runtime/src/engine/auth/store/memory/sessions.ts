import type { Clock } from '../../../../foundation/observe/clock.ts';
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
import { Entries } from './entries.ts';
import { Grouped } from './grouped.ts';

/** How many there may be. */
const most = { sessions: 200_000, used: 500_000, generations: 200_000 };

/** Milliseconds for which a generation is kept: no sign-in takes as long. */
const generationLife = 24 * 3_600_000;

/** A session and what is kept beside it; times by the monotonic clock. */
interface Kept {
  session: Session;
  readonly life: SessionLife;
  readonly lastsUntil: number;
  /** The refresh token before the valid one. */
  spent: { readonly id: string; readonly client: string; readonly at: number } | undefined;
}

/** Sessions in the memory of this process. */
export class MemorySessionStore implements SessionStore {
  readonly #clock: Clock;
  readonly #byUser = new Grouped();
  readonly #owners = new Map<string, string>();
  readonly #kept: Entries<Kept>;
  readonly #generations = new Entries<string>({
    what: 'accounts whose sessions were ended',
    most: most.generations,
    whenFull: 'evict',
  });
  #lastGeneration = 0;
  readonly #used = new Entries<true>({ what: 'tokens that were used', most: most.used, whenFull: 'refuse' });

  constructor(clock: Clock, mostSessions = most.sessions) {
    this.#clock = clock;
    const removed = (id: string) => this.#forget(id);
    this.#kept = new Entries({ what: 'sessions', most: mostSessions, whenFull: 'evict', removed });
  }

  get size(): number {
    return this.#kept.size + this.#used.size + this.#generations.size;
  }

  async generation(userId: string): Promise<string> {
    return this.#generations.get(userId, this.#clock.elapsed()) ?? '';
  }

  async begin(session: Session, life: SessionLife, limit: SessionLimit, generation: string): Promise<Beginning> {
    const now = this.#clock.elapsed();
    if ((this.#generations.get(session.userId, now) ?? '') !== generation) return 'outdated';
    const alive = this.#alive(session.userId, now);
    const tooMany = alive.length + 1 - limit.most;
    if (tooMany > 0 && limit.whenFull === 'reject_new') return 'full';
    const ended = tooMany > 0 ? alive.slice(0, tooMany) : [];
    for (const id of ended) this.#end(id);
    const lastsUntil = now + life.absolute;
    const { id, userId } = session;
    this.#kept.set(id, { session, life, lastsUntil, spent: undefined }, Math.min(lastsUntil, now + life.idle), now);
    this.#byUser.add(userId, id);
    this.#owners.set(id, userId);
    return { ended };
  }

  find(id: string): Session | undefined {
    return this.#kept.get(id, this.#clock.elapsed())?.session;
  }

  use(id: string, at: number, unnoticed: number): Session | undefined {
    const now = this.#clock.elapsed();
    const kept = this.#kept.get(id, now);
    if (kept === undefined || Math.abs(at - kept.session.lastActiveAt) < unnoticed) return kept?.session;
    kept.session = { ...kept.session, lastActiveAt: at };
    if (kept.life.extends) this.#kept.extend(id, Math.min(kept.lastsUntil, now + kept.life.idle));
    return kept.session;
  }

  async rotate(id: string, { from, to, client, leeway, at }: RotationRequest): Promise<Rotation> {
    const now = this.#clock.elapsed();
    const kept = this.#kept.get(id, now);
    if (kept === undefined) return 'ended';
    const { spent, session } = kept;
    const isValid = session.refreshId === from;
    const isForgiven = spent?.id === from && spent.client === client && now - spent.at < leeway;
    if (!isValid && !isForgiven) {
      this.#end(id);
      return 'reused';
    }
    if (isValid) {
      kept.spent = { id: from, client, at: now };
      kept.session = { ...session, refreshId: to };
    }
    this.use(id, at, 0);
    return isValid ? 'rotated' : 'forgiven';
  }

  async setFacts(id: string, facts: SessionFacts): Promise<boolean> {
    const kept = this.#kept.get(id, this.#clock.elapsed());
    if (kept === undefined) return false;
    kept.session = { ...kept.session, facts: { ...facts } };
    return true;
  }

  async of(userId: string): Promise<readonly Session[]> {
    const now = this.#clock.elapsed();
    return this.#alive(userId, now).map((id) => (this.#kept.get(id, now) as Kept).session);
  }

  async end(id: string, userId: string): Promise<boolean> {
    if (this.find(id)?.userId !== userId) return false;
    this.#end(id);
    return true;
  }

  async endAll(userId: string, except?: string): Promise<readonly string[]> {
    const now = this.#clock.elapsed();
    this.#lastGeneration += 1;
    this.#generations.set(userId, String(this.#lastGeneration), now + generationLife, now);
    const ended = this.#alive(userId, now).filter((id) => id !== except);
    for (const id of ended) this.#end(id);
    return ended;
  }

  async firstUse(key: string, ttl: number): Promise<boolean> {
    const now = this.#clock.elapsed();
    if (this.#used.get(key, now) !== undefined) return false;
    this.#used.set(key, true, now + ttl, now);
    return true;
  }

  sweep(now: number): void {
    this.#kept.sweep(now);
    this.#used.sweep(now);
    this.#generations.sweep(now);
  }

  clear(): void {
    this.#kept.clear();
    this.#used.clear();
    this.#generations.clear();
    this.#byUser.clear();
    this.#owners.clear();
  }

  #alive(userId: string, now: number): readonly string[] {
    return this.#byUser.of(userId).filter((id) => this.#kept.get(id, now) !== undefined);
  }

  #end(id: string): void {
    this.#kept.delete(id);
    this.#forget(id);
  }

  #forget(id: string): void {
    const owner = this.#owners.get(id);
    if (owner === undefined) return;
    this.#owners.delete(id);
    this.#byUser.remove(owner, id);
  }
}
