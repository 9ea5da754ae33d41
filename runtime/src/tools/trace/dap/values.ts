import type { DebugProtocol } from '@vscode/debugprotocol';

interface Opened {
  readonly threadId: string;
  readonly value: object;
}

/** Values that a client may open, by number, as long as their thread is paused. A number never means another value. */
export class OpenValues {
  readonly #values = new Map<number, Opened>();
  #last = 0;

  /** Makes the numbers that were given for a thread invalid. */
  clear(threadId: string): void {
    for (const [reference, opened] of this.#values) if (opened.threadId === threadId) this.#values.delete(reference);
  }

  /** A number for the members of a value; 0 when it has no members. */
  reference(threadId: string, value: unknown): number {
    if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return 0;
    this.#values.set(++this.#last, { threadId, value });
    return this.#last;
  }

  /** The members of a value that was given a number. Throws for every other number. */
  members(reference: unknown): DebugProtocol.Variable[] {
    const opened = typeof reference === 'number' ? this.#values.get(reference) : undefined;
    if (opened === undefined) throw new Error(`there is no value with the reference ${JSON.stringify(reference)}`);
    const { threadId, value } = opened;
    return Object.entries(value).map(([name, member]) => ({
      name,
      value: JSON.stringify(member) ?? 'null',
      type: typeOf(member),
      variablesReference: this.reference(threadId, member),
    }));
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' ? 'map' : typeof value;
}
