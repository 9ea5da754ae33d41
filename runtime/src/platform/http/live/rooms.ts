/** Rooms that one client may be in. */
export const mostRooms = 100;
/** Characters of the name of a room, or of a type of what clients send. */
export const longestName = 256;

/** Whom frames can be addressed to. */
export interface Member {
  /** The verified identity; empty without one. */
  readonly user: string;
  /** The rooms it is in. */
  readonly rooms: Set<string>;
}

const empty: ReadonlySet<never> = new Set();

/** Who is connected, by room and by user. Names are compared as they are written, character by character. */
export class Rooms<M extends Member> {
  readonly #all = new Set<M>();
  readonly #rooms = new Map<string, Set<M>>();
  readonly #users = new Map<string, Set<M>>();

  add(member: M): void {
    this.#all.add(member);
    if (member.user !== '') into(this.#users, member.user, member);
  }

  remove(member: M): void {
    this.#all.delete(member);
    outOf(this.#users, member.user, member);
    for (const room of member.rooms) outOf(this.#rooms, room, member);
    member.rooms.clear();
  }

  /** Has no effect on one that is gone. */
  join(member: M, room: string): void {
    if (!this.#all.has(member)) return;
    member.rooms.add(room);
    into(this.#rooms, room, member);
  }

  leave(member: M, room: string): void {
    member.rooms.delete(room);
    outOf(this.#rooms, room, member);
  }

  get all(): ReadonlySet<M> {
    return this.#all;
  }

  in(room: string): ReadonlySet<M> {
    return this.#rooms.get(room) ?? empty;
  }

  /** All connections of a user. */
  of(user: string): ReadonlySet<M> {
    return this.#users.get(user) ?? empty;
  }
}

function into<M>(sets: Map<string, Set<M>>, name: string, member: M): void {
  const set = sets.get(name);
  if (set === undefined) sets.set(name, new Set([member]));
  else set.add(member);
}

function outOf<M>(sets: Map<string, Set<M>>, name: string, member: M): void {
  const set = sets.get(name);
  if (set?.delete(member) === true && set.size === 0) sets.delete(name);
}
