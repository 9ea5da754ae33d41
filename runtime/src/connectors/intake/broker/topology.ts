import { Failure } from '../../../foundation/errors/failure.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { textOf } from '../../../platform/net/connection.ts';

/**
 * What a broker has of the sources of a connector, and what is declared there. Nothing is declared over what exists:
 * a missing source is an error, or is declared where the configuration says so.
 */
export interface Topology<C> {
  /** Where the broker has its sources, for people: `virtual host "/"`. */
  readonly place: string;
  /** Whether a missing source is declared. */
  readonly createIfMissing: boolean;
  exists(connection: C, source: string): Promise<boolean>;
  /** What is missing, with its remedy. Absent: the source, which may be declared by `create_if_missing`. */
  missing?(connection: C): Promise<string>;
  /**
   * Declares a source that is missing, and what belongs to it, such as dead letters, for one that exists too. Resolves with
   * false when one that exists has no such dead letters.
   */
  declare(connection: C, source: string, exists: boolean): Promise<boolean>;
}

/** Whether the broker does what is asked. Rejects with every error but those whose text matches `refusal`. */
export async function isAccepted(request: () => Promise<unknown>, refusal: RegExp): Promise<boolean> {
  try {
    await request();
    return true;
  } catch (error) {
    if (refusal.test(textOf(error))) return false;
    throw error;
  }
}

/** The sources of a connector at its broker, checked or declared as its topology says. */
export class DeclaredSources<C> {
  readonly #topology: Topology<C>;
  readonly #kind: string;
  readonly #log: Log;
  readonly #warned = new Set<string>();

  /** `kind` names a source for people: `queue`. */
  constructor(topology: Topology<C>, kind: string, log: Log) {
    this.#topology = topology;
    this.#kind = kind;
    this.#log = log;
  }

  /** Rejects when a source does not exist and is not to be declared. */
  async ensure(connection: C, source: string): Promise<void> {
    const { place, createIfMissing } = this.#topology;
    const exists = await this.#topology.exists(connection, source);
    if (!exists && !createIfMissing) {
      const text =
        (await this.#topology.missing?.(connection)) ??
        `${this.#kind} "${source}" does not exist in ${place}: declare it at the broker first, or write create_if_missing = true in the consumer block`;
      throw new Failure('connector_failed', text, { retriable: false });
    }
    if (await this.#topology.declare(connection, source, exists)) return;
    if (this.#warned.has(source)) return;
    this.#warned.add(source);
    this.#log.warn(
      `the ${this.#kind} exists without the dead letters of this configuration: rejected messages are discarded unless a policy of the broker keeps them; write external = true in the dlq block when one does`,
      { [this.#kind]: source },
    );
  }

  /** Declares those that are missing, whatever the configuration says. Resolves with their names, for people. */
  async create(connection: C, sources: readonly string[]): Promise<readonly string[]> {
    const created: string[] = [];
    for (const source of sources) {
      if (await this.#topology.exists(connection, source)) continue;
      await this.#topology.declare(connection, source, false);
      created.push(`${this.#kind} "${source}"`);
    }
    return created;
  }
}
