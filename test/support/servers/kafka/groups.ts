import { errors, ProtocolError } from './errors.ts';

interface Member {
  readonly id: string;
  /** Milliseconds without a sign of life after which it is removed. */
  session: number;
  /** By name of the protocol. */
  protocols: ReadonlyMap<string, Buffer>;
  expires: NodeJS.Timeout | undefined;
  joining: PromiseWithResolvers<Joined> | undefined;
  syncing: PromiseWithResolvers<Buffer> | undefined;
}

/** What a group has committed of a partition. */
export interface Committed {
  readonly offset: bigint;
  readonly metadata: string;
}

export interface Joined {
  readonly generation: number;
  readonly protocol: string;
  readonly leader: string;
  readonly member: string;
  /** For the leader alone. */
  readonly members: readonly { readonly id: string; readonly metadata: Buffer }[];
}

export interface JoinRequest {
  readonly member: string;
  readonly session: number;
  /** Milliseconds in which every member must have joined again. */
  readonly rebalance: number;
  readonly protocols: ReadonlyMap<string, Buffer>;
}

/** A group of consumers, as its coordinator keeps it. */
export class Group {
  /** Committed offsets by `topic/partition`. */
  readonly offsets = new Map<string, Committed>();
  readonly #members = new Map<string, Member>();
  #state: 'empty' | 'joining' | 'syncing' | 'stable' = 'empty';
  #generation = 0;
  #assignments = new Map<string, Buffer>();
  #deadline: NodeJS.Timeout | undefined;
  #made = 0;
  #timeouts: { readonly session: number; readonly rebalance: number } | undefined;

  get generation(): number {
    return this.#generation;
  }

  get members(): readonly string[] {
    return [...this.#members.keys()];
  }

  /** What its last member asked for. */
  get timeouts(): { readonly session: number; readonly rebalance: number } | undefined {
    return this.#timeouts;
  }

  get isStable(): boolean {
    return this.#state === 'stable';
  }

  join({ member: written, session, rebalance, protocols }: JoinRequest): Promise<Joined> {
    this.#timeouts = { session, rebalance };
    const id = written === '' ? `member-${++this.#made}` : written;
    if (written !== '' && !this.#members.has(id)) throw new ProtocolError(errors.unknownMember);
    const member = this.#members.get(id) ?? {
      id,
      session,
      protocols,
      expires: undefined,
      joining: undefined,
      syncing: undefined,
    };
    // As Kafka: a member that has nothing new to say gets what it has, unless it leads the group.
    if (this.#state === 'stable' && written !== '' && id !== this.#leader && isEqual(member.protocols, protocols))
      return Promise.resolve(this.#joined(member));
    member.protocols = protocols;
    member.session = session;
    member.joining = Promise.withResolvers<Joined>();
    clearTimeout(member.expires);
    this.#members.set(id, member);
    const { promise } = member.joining;
    this.#rebalance(rebalance);
    return promise;
  }

  sync(id: string, generation: number, assignments: ReadonlyMap<string, Buffer>): Promise<Buffer> {
    const member = this.#check(id, generation);
    if (this.#state === 'joining') throw new ProtocolError(errors.rebalanceInProgress);
    if (this.#state === 'stable') return Promise.resolve(this.#assignments.get(id) ?? Buffer.alloc(0));
    member.syncing = Promise.withResolvers<Buffer>();
    const { promise } = member.syncing;
    if (assignments.size > 0 || id === this.#leader) {
      this.#assignments = new Map(assignments);
      this.#state = 'stable';
      for (const other of this.#members.values()) {
        other.syncing?.resolve(this.#assignments.get(other.id) ?? Buffer.alloc(0));
        other.syncing = undefined;
      }
    }
    return promise;
  }

  heartbeat(id: string, generation: number): void {
    this.#check(id, generation);
    if (this.#state === 'joining') throw new ProtocolError(errors.rebalanceInProgress);
  }

  leave(id: string): void {
    const member = this.#members.get(id);
    if (member === undefined) throw new ProtocolError(errors.unknownMember);
    this.#remove(member);
  }

  /** A generation below 0 is that of a client which is not a member. */
  commit(id: string, generation: number, offsets: ReadonlyMap<string, Committed>): void {
    if (generation >= 0) this.#check(id, generation);
    else if (this.#members.size > 0) throw new ProtocolError(errors.unknownMember);
    if (this.#state === 'syncing') throw new ProtocolError(errors.rebalanceInProgress);
    for (const [place, committed] of offsets) this.offsets.set(place, committed);
  }

  /** All members must join again, as when partitions were added. */
  shake(): void {
    if (this.#state !== 'empty') this.#rebalance(60_000);
  }

  /** Forgets a member that does not know it, as after a long pause of its process. */
  forget(id: string): void {
    const member = this.#members.get(id);
    if (member !== undefined) this.#remove(member);
  }

  end(): void {
    clearTimeout(this.#deadline);
    for (const { expires } of this.#members.values()) clearTimeout(expires);
  }

  get #leader(): string | undefined {
    return this.#members.keys().next().value;
  }

  #check(id: string, generation: number): Member {
    const member = this.#members.get(id);
    if (member === undefined) throw new ProtocolError(errors.unknownMember);
    if (generation !== this.#generation) throw new ProtocolError(errors.illegalGeneration);
    this.#touch(member);
    return member;
  }

  #touch(member: Member): void {
    clearTimeout(member.expires);
    member.expires = setTimeout(() => this.#remove(member), member.session).unref();
  }

  #remove(member: Member): void {
    clearTimeout(member.expires);
    if (!this.#members.delete(member.id)) return;
    member.joining?.reject(new ProtocolError(errors.unknownMember));
    member.syncing?.reject(new ProtocolError(errors.unknownMember));
    if (this.#members.size > 0) this.#rebalance(60_000);
    else this.#state = 'empty';
  }

  #rebalance(limit: number): void {
    if (this.#state === 'syncing')
      for (const member of this.#members.values()) {
        member.syncing?.reject(new ProtocolError(errors.rebalanceInProgress));
        member.syncing = undefined;
      }
    if (this.#state !== 'joining') {
      this.#state = 'joining';
      clearTimeout(this.#deadline);
      this.#deadline = setTimeout(() => this.#complete(true), limit).unref();
    }
    this.#complete(false);
  }

  /** When every member has joined; `isOver`: those that have not are removed. */
  #complete(isOver: boolean): void {
    if (this.#state !== 'joining') return;
    const all = [...this.#members.values()];
    if (isOver)
      for (const member of all)
        if (member.joining === undefined) {
          clearTimeout(member.expires);
          this.#members.delete(member.id);
        }
    const members = [...this.#members.values()];
    if (members.length === 0 || members.some(({ joining }) => joining === undefined)) return;
    clearTimeout(this.#deadline);
    this.#generation++;
    this.#state = 'syncing';
    this.#assignments = new Map();
    for (const member of members) {
      member.joining?.resolve(this.#joined(member));
      member.joining = undefined;
      this.#touch(member);
    }
  }

  #joined(member: Member): Joined {
    const members = [...this.#members.values()];
    const [leader] = members as [Member];
    const protocol =
      [...leader.protocols.keys()].find((name) => members.every(({ protocols }) => protocols.has(name))) ?? '';
    const isLeader = member === leader;
    return {
      generation: this.#generation,
      protocol,
      leader: leader.id,
      member: member.id,
      members: isLeader
        ? members.map(({ id, protocols }) => ({ id, metadata: protocols.get(protocol) as Buffer }))
        : [],
    };
  }
}

function isEqual(one: ReadonlyMap<string, Buffer>, other: ReadonlyMap<string, Buffer>): boolean {
  return one.size === other.size && [...one].every(([name, metadata]) => other.get(name)?.equals(metadata) === true);
}
