type Request = readonly [method: string, params: unknown];

/** What a client has set, as requests that set it again. */
export class RelayMemory {
  #attach: Request | undefined;
  /** By method, and by flow where each flow has its own. */
  readonly #set = new Map<string, Request>();

  get isAttached(): boolean {
    return this.#attach !== undefined;
  }

  /** Whether it is something that is set in every worker. */
  note(method: string, params: unknown): boolean {
    switch (method) {
      case 'debug.attach':
        this.#attach ??= [method, params];
        return true;
      case 'debug.detach':
        this.#attach = undefined;
        this.#set.clear();
        return true;
      case 'debug.setBreakpoints': {
        const { flow, breakpoints } = (params ?? {}) as { readonly flow?: unknown; readonly breakpoints?: unknown };
        const key = `${method} ${String(flow)}`;
        if (Array.isArray(breakpoints) && breakpoints.length > 0) this.#set.set(key, [method, params]);
        else this.#set.delete(key);
        return true;
      }
      case 'debug.setGate': {
        const { connector } = (params ?? {}) as { readonly connector?: unknown };
        const key = `${method} ${connector === undefined ? '' : String(connector)}`;
        // Without a connector it counts for all of them.
        for (const other of [...this.#set.keys()])
          if (other === key || (connector === undefined && other.startsWith(method))) this.#set.delete(other);
        this.#set.set(key, [method, params]);
        return true;
      }
      case 'debug.lock':
        this.#set.delete('debug.unlock');
        return true;
      case 'debug.unlock':
      case 'debug.setFailureBreakpoints':
      case 'debug.setDropBreakpoints':
      case 'debug.ready':
        this.#set.set(method, [method, params]);
        return true;
      default:
        return false;
    }
  }

  /** In the order in which a client makes them. */
  requests(): readonly Request[] {
    if (this.#attach === undefined) return [];
    const later = (request: Request) => (request[0] === 'debug.ready' ? 1 : 0);
    return [this.#attach, ...[...this.#set.values()].sort((a, b) => later(a) - later(b))];
  }
}
