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
import { type Ask, life, type Prefix } from './commands.ts';

/** Milliseconds for which a generation is kept: no sign-in takes as long. */
const generationLife = 24 * 3_600_000;

const fields = ['user', 'ip', 'agent', 'created', 'active', 'expires', 'refresh', 'facts'] as const;

/** Sessions in a Redis server: a hash for each, which ends by itself, and an index of those of each person. */
export class RedisSessionStore implements SessionStore {
  readonly #ask: Ask;
  readonly #prefix: Prefix;

  constructor(ask: Ask, prefix: Prefix) {
    this.#ask = ask;
    this.#prefix = prefix;
  }

  async generation(userId: string): Promise<string> {
    return (await this.#ask((redis) => redis.get(this.#generation(userId)))) ?? '';
  }

  async begin(
    session: Session,
    { absolute, idle, extends: extended }: SessionLife,
    { most, whenFull }: SessionLimit,
    generation: string,
  ): Promise<Beginning> {
    const { id, userId } = session;
    const keys = [this.#sessions + id, this.#index(userId), this.#generation(userId)] as const;
    const rules = [
      this.#sessions,
      id,
      String(most),
      whenFull,
      life(absolute),
      life(idle),
      'extends',
      extended ? '1' : '0',
    ];
    const ended = await this.#ask((redis) =>
      redis.svcSessionBegin(...keys, generation, ...rules, ...valuesOf(session)),
    );
    return typeof ended === 'string' ? (ended as 'full' | 'outdated') : { ended };
  }

  async find(id: string): Promise<Session | undefined> {
    return sessionOf(id, await this.#ask((redis) => redis.hmget(this.#sessions + id, ...fields)));
  }

  async use(id: string, at: number, unnoticed: number): Promise<Session | undefined> {
    const asked = [String(at), String(unnoticed), ...fields];
    return sessionOf(id, await this.#ask((redis) => redis.svcSessionUse(this.#sessions + id, ...asked)));
  }

  async rotate(id: string, { from, to, client, leeway, at }: RotationRequest): Promise<Rotation> {
    const values = [from, to, client, String(leeway), String(at), this.#index(''), id];
    return (await this.#ask((redis) => redis.svcSessionRotate(this.#sessions + id, ...values))) as Rotation;
  }

  async setFacts(id: string, facts: SessionFacts): Promise<boolean> {
    return (await this.#ask((redis) => redis.svcSessionFacts(this.#sessions + id, JSON.stringify(facts)))) === 1;
  }

  async of(userId: string): Promise<readonly Session[]> {
    const rows = await this.#ask((redis) =>
      redis.svcSessionsOf(this.#sessions, this.#index(userId), this.#sessions, ...fields),
    );
    return rows.flatMap(([id, ...values]) => sessionOf(id as string, values) ?? []);
  }

  async end(id: string, userId: string): Promise<boolean> {
    return (
      (await this.#ask((redis) => redis.svcSessionEnd(this.#sessions + id, this.#index(userId), id, userId))) === 1
    );
  }

  endAll(userId: string, except = ''): Promise<readonly string[]> {
    const keys = [this.#sessions, this.#index(userId), this.#generation(userId)] as const;
    return this.#ask((redis) => redis.svcSessionEndAll(...keys, this.#sessions, except, String(generationLife)));
  }

  async firstUse(key: string, ttl: number): Promise<boolean> {
    return (await this.#ask((redis) => redis.set(this.#used(key), '1', 'PX', Number(life(ttl)), 'NX'))) === 'OK';
  }

  /** Whether something was noted as presented. */
  async wasUsed(key: string): Promise<boolean> {
    return (await this.#ask((redis) => redis.exists(this.#used(key)))) === 1;
  }

  get #sessions(): string {
    return `${this.#prefix()}session:`;
  }

  #index(userId: string): string {
    return `${this.#sessions}user:${userId}`;
  }

  #generation(userId: string): string {
    return `${this.#sessions}generation:${userId}`;
  }

  #used(key: string): string {
    return `${this.#prefix()}token:blacklist:${key}`;
  }
}

/** Fields and their values; what is undefined is left out. */
function valuesOf({ userId, ip, userAgent, createdAt, lastActiveAt, expiresAt, refreshId, facts }: Session): string[] {
  const texts = [userId, ip, userAgent, createdAt, lastActiveAt, expiresAt, refreshId, JSON.stringify(facts)];
  return fields.flatMap((field, index) => (texts[index] === undefined ? [] : [field, String(texts[index])]));
}

function sessionOf(id: string, values: readonly (string | null)[]): Session | undefined {
  const [userId, ip, userAgent, createdAt, lastActiveAt, expiresAt, refreshId, facts] = values;
  if (userId === null || userId === undefined) return undefined;
  return {
    id,
    userId,
    ip: ip ?? undefined,
    userAgent: userAgent ?? undefined,
    createdAt: Number(createdAt),
    lastActiveAt: Number(lastActiveAt),
    expiresAt: Number(expiresAt),
    refreshId: String(refreshId),
    facts: JSON.parse(String(facts)) as SessionFacts,
  };
}
