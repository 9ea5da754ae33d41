/** The variables of the macros around a place, and where the frame keeps them. */
export class Scope {
  static readonly empty = new Scope(new Map());
  readonly #slots: ReadonlyMap<string, number>;

  private constructor(slots: ReadonlyMap<string, number>) {
    this.#slots = slots;
  }

  /** Whether a frame exists here. */
  get hasFrame(): boolean {
    return this.#slots.size > 0;
  }

  slotOf(name: string): number | undefined {
    return this.#slots.get(name);
  }

  with(name: string, slot: number): Scope {
    return new Scope(new Map(this.#slots).set(name, slot));
  }
}
