/** The calls that began with the flows of one configuration. */
export class Generation {
  #underWay = 0;
  #isReplaced = false;
  readonly #ended = Promise.withResolvers<void>();

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  begin(): void {
    this.#underWay++;
  }

  end(): void {
    this.#underWay--;
    this.#settle();
  }

  /** No call begins with it from now on. */
  replace(): void {
    this.#isReplaced = true;
    this.#settle();
  }

  #settle(): void {
    if (this.#isReplaced && this.#underWay === 0) this.#ended.resolve();
  }
}
