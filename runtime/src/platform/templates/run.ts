import { Failure } from '../../foundation/errors/failure.ts';

/** How a loop continues behind a node; undefined: with the next node. */
export type Signal = 'break' | 'continue' | undefined;

/** What a node does: at once, or in steps, between which other work runs. */
export type Program =
  | { readonly kind: 'whole'; readonly run: (run: Run) => Signal }
  | { readonly kind: 'steps'; readonly run: (run: Run) => Generator<void, Signal> };

/** Templates in templates. */
const deepest = 200;

/** One execution of a template. */
export class Run {
  /** Variables by their place, `$` first. */
  variables: unknown[];
  dot: unknown;
  readonly #most: number;
  #text = '';
  #depth = 0;
  /** Iterations until other work gets a turn. */
  #turn = 0;

  constructor(data: unknown, most: number) {
    this.dot = data;
    this.variables = [data];
    this.#most = most;
  }

  get text(): string {
    return this.#text;
  }

  print(text: string): void {
    this.#text += text;
    if (this.#text.length > this.#most)
      throw new Failure('body_too_large', `the template prints more than ${this.#most} characters`);
  }

  /** Whether it is time to let other work run. */
  get isTurnOver(): boolean {
    this.#turn = (this.#turn + 1) % 32;
    return this.#turn === 0;
  }

  enter(): void {
    if (++this.#depth > deepest)
      throw new Failure('expression_failed', `more than ${deepest} templates call each other`);
  }

  leave(): void {
    this.#depth--;
  }
}
