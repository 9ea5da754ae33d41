/** Which methods are served at which paths, for answers about requests that no route takes. */
export class RouteTable {
  readonly #shapes = new Map<string, { readonly parts: readonly string[]; readonly methods: Set<string> }>();
  #takesQueries = false;

  /** Adds a pattern in the router's form, with parameters as `:name`. */
  add(method: string, path: string): void {
    const parts = partsOf(path).map((part) => (part.startsWith(':') && !part.startsWith('::') ? ':' : part));
    const shape = parts.join('/');
    const entry = this.#shapes.get(shape) ?? { parts, methods: new Set<string>() };
    this.#shapes.set(shape, entry);
    entry.methods.add(method);
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
    const sent = partsOf(path).map(decoded);
    for (const { parts, methods: served } of this.#shapes.values())
      if (parts.length === sent.length && parts.every((part, index) => matches(part, sent[index] as string)))
        for (const method of served) methods.add(method);
    if (methods.size > 0) methods.add('OPTIONS');
    return [...methods].sort();
  }
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
