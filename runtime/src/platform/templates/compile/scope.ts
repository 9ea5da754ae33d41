import { TemplateProblem } from '../syntax/problem.ts';

/** Variables of one template: each has a place of its own, and is seen until the block ends in which it is declared. */
export class Scope {
  readonly #places = new Map<string, number[]>([['$', [0]]]);
  #declared: string[] = [];
  #count = 1;

  declare(name: string): number {
    const place = this.#count++;
    const places = this.#places.get(name);
    if (places === undefined) this.#places.set(name, [place]);
    else places.push(place);
    this.#declared.push(name);
    return place;
  }

  placeOf(name: string, line: number): number {
    const place = this.#places.get(name)?.at(-1);
    if (place === undefined) throw new TemplateProblem(`the variable ${name} is not declared`, line);
    return place;
  }

  /** What `work` declares is not seen behind it. */
  within<T>(work: () => T): T {
    const before = this.#declared.length;
    const result = work();
    for (const name of this.#declared.slice(before)) this.#places.get(name)?.pop();
    this.#declared.length = before;
    return result;
  }
}
