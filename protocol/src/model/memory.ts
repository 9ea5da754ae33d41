import type { Block } from '../syntax/index.ts';
import type { Diagnostic } from '../text/index.ts';
import type { DecodeContext, Link } from './decode.ts';
import { HostSecrets } from './host-secrets.ts';
import type { Project } from './project.ts';
import { reportTo } from './report.ts';

type Connectors = Project['connectors'];

interface Remembered {
  readonly value: unknown;
  readonly diagnostics: readonly Diagnostic[];
  readonly links: readonly Link[];
}

/**
 * Keeps what root blocks were decoded to, so that a project of which one file changed decodes that file alone. What all
 * blocks may read (constants, reusable definitions) is named by a token: another token forgets everything. What the host
 * answers is taken to stay; whoever knows better makes a new memory.
 */
export class DecodeMemory {
  /** What the host answered for what is kept. */
  readonly secrets = new HostSecrets();
  #token = '';
  #connectors: Connectors = new Map();
  #known = new WeakMap<Block, Remembered>();

  /** Begins one decoding. */
  begin(token: string): void {
    if (token === this.#token) return;
    this.#token = token;
    this.#known = new WeakMap();
  }

  /** The connectors as they were handed out before when every one of them is the same still: they can be compared at once. */
  sameConnectors(connectors: Connectors): Connectors {
    const before = [...this.#connectors.values()];
    const now = [...connectors.values()];
    const same = before.length === now.length && now.every((declaration, index) => declaration === before[index]);
    if (!same) this.#connectors = connectors;
    return this.#connectors;
  }

  /** The value of a block, decoded now or before; its problems and links are added to `diagnostics` and `links`. */
  decode<T>(
    block: Block,
    context: DecodeContext,
    diagnostics: Diagnostic[],
    links: Link[],
    work: (own: DecodeContext) => T,
  ): T {
    let known = this.#known.get(block);
    if (known === undefined) {
      const found: Diagnostic[] = [];
      const ownLinks: Link[] = [];
      const value = work({ ...context, report: reportTo(found), links: ownLinks });
      known = { value, diagnostics: found, links: ownLinks };
      this.#known.set(block, known);
    }
    for (const diagnostic of known.diagnostics) diagnostics.push(diagnostic);
    for (const link of known.links) links.push(link);
    return known.value as T;
  }
}
