import { errors, ProtocolError } from './errors.ts';

interface Member {
  id: string;
  /** Its static name; empty without one. */
  readonly instance: string;
  /** Milliseconds without a sign of life after which it is removed. */
  session: number;
  /** Milliseconds in which it joins again when the group changes. */
  rebalance: number;
  /** By name of the protocol. */
  protocols: ReadonlyMap<string, Buffer>;
  expires: NodeJS.Timeout | undefined;
  joining: PromiseWithResolvers<Joined> | undefined;
  syncing: PromiseWithResolvers<Buffer> | undefined;
}

/** Milliseconds after its session in which the signs of life of a member are still read. */
const graceOfSession = 100;

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
  readonly members: readonly { readonly id: string; readonly instance: string; readonly metadata: Buffer }[];
}

/** Who asks something of its group. */
export interface Asking {
  readonly id: string;
  readonly instance: string;
}

export interface JoinRequest {
  readonly member: string;
  readonly instance: string;
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
  /** While it waits for its first members. */
  #initial: NodeJS.Timeout | undefined;
  #made = 0;
  /** Ids that were given and have not joined. */
  readonly #expected = new Set<string>();
  readonly #initialDelay: number;
  #timeouts: { readonly session: number; readonly rebalance: number } | undefined;

  constructor(initialDelay: number) {
    this.#initialDelay = initialDelay;
  }

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

  /** The id for a member that is to join by it. */
  expect(): string {
    const id = `member-${++this.#made}`;
    this.#expected.add(id);
    return id;
  }

  join({ member: written, instance, session, rebalance, protocols }: JoinRequest): Promise<Joined> {
    this.#timeouts = { session, rebalance };
    const own = [...this.#members.values()].find((each) => instance !== '' && each.instance === instance);
    if (own !== undefined && written !== '' && own.id !== written) throw new ProtocolError(errors.fencedInstance);
    if (written !== '' && !this.#members.has(written) && !this.#expected.delete(written))
      throw new ProtocolError(errors.unknownMember);
    if (own !== undefined && written === '') {
      // A static member that is back takes the place of the one before it, and nothing changes for the others.
      const before = this.#leader ?? '';
      const protocol = this.#joined(own).protocol;
      this.#rename(own, `member-${++this.#made}`);
      own.protocols = protocols;
      const { protocol: now, ...joined } = this.#joined(own);
      if (this.#state === 'stable' && protocol === now) {
        this.#touch(own);
        // One that led the group does not know it: nothing is distributed.
        return Promise.resolve({ ...joined, protocol, leader: before, members: [] });
      }
    }
    const id = own?.id ?? (written === '' ? `member-${++this.#made}` : written);
    const isNew = !this.#members.has(id);
    const member = this.#members.get(id) ?? {
      id,
      instance,
      session,
      rebalance,
      protocols,
      expires: undefined,
      joining: undefined,
      syncing: undefined,
    };
    // As Kafka: a member that has nothing new to say gets what it has, unless it leads the group.
    if (this.#state === 'stable' && !isNew && id !== this.#leader && isEqual(member.protocols, protocols))
      return Promise.resolve(this.#joined(member));
    Object.assign(member, { protocols, session, rebalance, joining: Promise.withResolvers<Joined>() });
    clearTimeout(member.expires);
    this.#members.set(id, member);
    const { promise } = member.joining as PromiseWithResolvers<Joined>;
    if (this.#state === 'empty') this.#wait(this.#initialDelay);
    else if (this.#initial !== undefined && isNew) this.#wait(this.#initialDelay);
    this.#rebalance();
    return promise;
  }

  sync(asking: Asking, generation: number, assignments: ReadonlyMap<string, Buffer>): Promise<Buffer> {
    const member = this.#check(asking, generation);
    const { id } = member;
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

  heartbeat(asking: Asking, generation: number): void {
    this.#check(asking, generation);
    if (this.#state === 'joining') throw new ProtocolError(errors.rebalanceInProgress);
  }

  leave(id: string): void {
    if (this.#expected.delete(id)) return;
    const member = this.#members.get(id);
    if (member === undefined) throw new ProtocolError(errors.unknownMember);
    this.#remove(member);
  }

  /** A generation below 0 is that of a client which is not a member. */
  commit(id: string, generation: number, offsets: ReadonlyMap<string, Committed>): void {
    if (generation >= 0) this.#check({ id, instance: '' }, generation);
    else if (this.#members.size > 0) throw new ProtocolError(errors.unknownMember);
    if (this.#state === 'syncing') throw new ProtocolError(errors.rebalanceInProgress);
    for (const [place, committed] of offsets) this.offsets.set(place, committed);
  }

  /** All members must join again, as when partitions were added. */
  shake(): void {
    if (this.#state !== 'empty') this.#rebalance();
  }

  /** Forgets a member that does not know it, as after a long pause of its process. */
  forget(id: string): void {
    const member = this.#members.get(id);
    if (member !== undefined) this.#remove(member);
  }

  end(): void {
    clearTimeout(this.#deadline);
    clearTimeout(this.#initial);
    for (const { expires } of this.#members.values()) clearTimeout(expires);
  }

  get #leader(): string | undefined {
    return this.#members.keys().next().value;
  }

  #check({ id, instance }: Asking, generation: number): Member {
    const member = this.#members.get(id);
    const isKnown = instance !== '' && [...this.#members.values()].some((each) => each.instance === instance);
    if (member === undefined && isKnown) throw new ProtocolError(errors.fencedInstance);
    if (member === undefined) throw new ProtocolError(errors.unknownMember);
    if (generation !== this.#generation) throw new ProtocolError(errors.illegalGeneration);
    this.#touch(member);
    return member;
  }

  #touch(member: Member): void {
    clearTimeout(member.expires);
    const expire = () => {
      // As Kafka: one whose answer is held need not show that it is there.
      if (member.joining === undefined && member.syncing === undefined) this.#remove(member);
    };
    // Its signs of life may wait in this process, which was busy: they are read before it is removed.
    const wait = () => (member.expires = setTimeout(expire, graceOfSession).unref());
    member.expires = setTimeout(wait, member.session).unref();
  }

  #remove(member: Member): void {
    clearTimeout(member.expires);
    if (!this.#members.delete(member.id)) return;
    member.joining?.reject(new ProtocolError(errors.unknownMember));
    member.syncing?.reject(new ProtocolError(errors.unknownMember));
    if (this.#members.size > 0) return this.#rebalance();
    this.#state = 'empty';
    clearTimeout(this.#initial);
    this.#initial = undefined;
  }

  /** Keeps its place among the others. */
  #rename(member: Member, id: string): void {
    const all = [...this.#members.values()];
    member.joining?.reject(new ProtocolError(errors.fencedInstance));
    member.syncing?.reject(new ProtocolError(errors.fencedInstance));
    const assignment = this.#assignments.get(member.id);
    if (assignment !== undefined) this.#assignments.set(id, assignment);
    Object.assign(member, { id, joining: undefined, syncing: undefined });
    this.#members.clear();
    for (const each of all) this.#members.set(each.id, each);
  }

  /** The group does not come together before these milliseconds are over: others may be about to join. */
  #wait(milliseconds: number): void {
    clearTimeout(this.#initial);
    this.#initial = setTimeout(() => {
      this.#initial = undefined;
      this.#complete(false);
    }, milliseconds);
  }

  #rebalance(): void {
    if (this.#state === 'syncing')
      for (const member of this.#members.values()) {
        member.syncing?.reject(new ProtocolError(errors.rebalanceInProgress));
        member.syncing = undefined;
      }
    if (this.#state !== 'joining') {
      this.#state = 'joining';
      clearTimeout(this.#deadline);
      const limit = Math.max(...[...this.#members.values()].map(({ rebalance }) => rebalance));
      this.#deadline = setTimeout(() => this.#complete(true), limit).unref();
    }
    this.#complete(false);
  }

  /** When every member has joined; `isOver`: those that have not are removed. */
  #complete(isOver: boolean): void {
    if (this.#state !== 'joining' || this.#initial !== undefined) return;
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
        ? members.map(({ id, instance, protocols }) => ({ id, instance, metadata: protocols.get(protocol) as Buffer }))
        : [],
    };
  }
}

function isEqual(one: ReadonlyMap<string, Buffer>, other: ReadonlyMap<string, Buffer>): boolean {
  return one.size === other.size && [...one].every(([name, metadata]) => other.get(name)?.equals(metadata) === true);
}
