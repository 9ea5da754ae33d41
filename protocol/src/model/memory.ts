import type { Block } from '../syntax/index.ts';
import type { Diagnostic } from '../text/index.ts';
import type { DecodeContext, Link } from './decode.ts';
import { reportTo } from './report.ts';

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
  #token = '';
  #known = new WeakMap<Block, Remembered>();

  /** Begins one decoding. */
  begin(token: string): void {
    if (token === this.#token) return;
    this.#token = token;
    this.#known = new WeakMap();
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
