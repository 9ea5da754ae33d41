import { Failure } from '../../../foundation/errors/failure.ts';

/** Which methods are served at which paths and by whom, for answers about requests that no route takes. */
export class RouteTable {
  readonly #shapes = new Map<string, { readonly parts: readonly string[]; readonly methods: Map<string, string> }>();
  #takesQueries = false;

  /** Adds a pattern in the router's form, with parameters as `:name` and `*` for any further parts. Throws a Failure when another one serves it. */
  add(method: string, path: string, connector: string): void {
    const parts = partsOf(path).map((part) => (part.startsWith(':') && !part.startsWith('::') ? ':' : part));
    const shape = parts.join('/');
    const entry = this.#shapes.get(shape) ?? { parts, methods: new Map<string, string>() };
    const earlier = entry.methods.get(method);
    if (earlier !== undefined)
      throw new Failure(
        'internal',
        `${method} ${path} is served by connector "${earlier}" and by connector "${connector}"`,
      );
    this.#shapes.set(shape, entry);
    entry.methods.set(method, connector);
    if (method === 'QUERY') this.#takesQueries = true;
  }

  /** Whether a flow claims exactly this method and pattern. */
  has(method: string, path: string): boolean {
    return this.#shapes.get(partsOf(path).join('/'))?.methods.has(method) ?? false;
  }

  /** Whether any path is served for QUERY. */
  get takesQueries(): boolean {
    return this.#takesQueries;
  }

  /** Methods served at a path as sent, OPTIONS among them; empty when the path is unknown. */
  methodsOf(path: string): string[] {
    const methods = new Set<string>();
    for (const served of this.#at(path)) for (const method of served.keys()) methods.add(method);
    if (methods.size > 0) methods.add('OPTIONS');
    return [...methods].sort();
  }

  /** Who serves a method at a path as sent; where no source does, the one that serves another method there. */
  ownerOf(method: string, path: string): string | undefined {
    let other: string | undefined;
    for (const served of this.#at(path)) {
      const owner = served.get(method);
      if (owner !== undefined) return owner;
      [other] = served.values();
    }
    return other;
  }

  *#at(path: string): Iterable<ReadonlyMap<string, string>> {
    const sent = partsOf(path).map(decoded);
    for (const { parts, methods } of this.#shapes.values()) if (takes(parts, sent)) yield methods;
  }
}

function takes(parts: readonly string[], sent: readonly string[]): boolean {
  const isOpen = parts.at(-1) === '*';
  const fixed = isOpen ? parts.slice(0, -1) : parts;
  if (isOpen ? sent.length <= fixed.length : sent.length !== fixed.length) return false;
  return fixed.every((part, index) => matches(part, sent[index] as string));
}

function matches(part: string, sent: string): boolean {
  return part === ':' ? sent !== '' : part === sent;
}

function partsOf(path: string): string[] {
  return path.split('/');
}

function decoded(part: string): string {
  try {
    return part.includes('%') ? decodeURIComponent(part) : part;
  } catch {
    return part;
  }
}
