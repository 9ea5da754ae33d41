/** A value as the Debug Adapter Protocol shows one line of it. */
export interface DapVariable {
  readonly name: string;
  readonly value: string;
  readonly type: string;
  /** Above 0: what it holds can be asked for by this number. */
  readonly variablesReference: number;
}

/** Values that a client may open, by number, as long as the flow stands. */
export class OpenValues {
  readonly #values: unknown[] = [];

  /** Numbers that were given mean nothing any more. */
  clear(): void {
    this.#values.length = 0;
  }

  /** A number for the members of a value; 0 where it has none. */
  reference(value: unknown): number {
    if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return 0;
    return this.#values.push(value);
  }

  shown(name: string, value: unknown): DapVariable {
    return {
      name,
      value: JSON.stringify(value) ?? 'null',
      type: typeOf(value),
      variablesReference: this.reference(value),
    };
  }

  /** The members of a value that was given a number. */
  members(reference: number): readonly DapVariable[] {
    const value = this.#values[reference - 1];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).map(([name, member]) => this.shown(name, member));
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' ? 'map' : typeof value;
}
