import type { ConnectorSpec, Vocabulary } from '../schema/index.ts';
import type { Block } from '../syntax/index.ts';
import type { Diagnostic } from '../text/index.ts';
import type { DecodeContext, Link } from './decode-context.ts';
import { HostSecrets } from './host-secrets.ts';
import type { Project } from './project.ts';
import { reportTo } from './report.ts';

type Connectors = Project['connectors'];

interface Remembered {
  readonly value: unknown;
  readonly diagnostics: readonly Diagnostic[];
  readonly links: readonly Link[];
  /** The connectors that the block names, with what they were: which words it may say depends on them. */
  readonly asked: ReadonlyMap<string, readonly ConnectorSpec[] | undefined>;
}

/**
 * Keeps what root blocks were decoded to, so that a project of which one file changed decodes that file alone. What all
 * blocks may read (constants, reusable definitions) is named by a token: another token, or vocabulary, forgets everything. A block that
 * names a connector is decoded again when that has become another kind of one. What the host
 * answers is taken to stay; a caller that knows of a change makes a new memory.
 */
export class DecodeMemory {
  /** What the host answered for what is kept. */
  readonly secrets = new HostSecrets();
  #token = '';
  #vocabulary: Vocabulary | undefined;
  #connectors: Connectors = new Map();
  #known = new WeakMap<Block, Remembered>();

  /** Begins one decoding. */
  begin(token: string, vocabulary: Vocabulary): void {
    if (token === this.#token && vocabulary === this.#vocabulary) return;
    this.#token = token;
    this.#vocabulary = vocabulary;
    this.#known = new WeakMap();
  }

  /**
   * The connectors as they were handed out before when every one of them is the same still: they can be compared at
   * once.
   */
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
    if (known === undefined || !isSame(known, context)) {
      const found: Diagnostic[] = [];
      const ownLinks: Link[] = [];
      const asked = new Map<string, readonly ConnectorSpec[] | undefined>();
      const connector = (name: string) => {
        const specs = context.connector(name);
        asked.set(name, specs);
        return specs;
      };
      const value = work({ ...context, report: reportTo(found), links: ownLinks, connector });
      known = { value, diagnostics: found, links: ownLinks, asked };
      this.#known.set(block, known);
    }
    for (const diagnostic of known.diagnostics) diagnostics.push(diagnostic);
    for (const link of known.links) links.push(link);
    return known.value as T;
  }
}

/** Whether the connectors that a block names are what they were. */
function isSame({ asked }: Remembered, { connector }: DecodeContext): boolean {
  for (const [name, before] of asked) {
    const now = connector(name);
    if (before?.length !== now?.length || before?.some((spec, at) => spec !== now?.[at])) return false;
  }
  return true;
}
