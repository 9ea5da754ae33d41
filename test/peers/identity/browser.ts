/** Answers a page or an address that the browser does not leave by itself, with a form or another address. */
export type Guide = (
  at: URL,
  page: string,
) => Promise<{ readonly address: string; readonly fields?: Readonly<Record<string, string>> }>;

/** A browser of one person that keeps cookies and follows redirects. */
export class Browser {
  readonly #cookies = new Map<string, string>();

  /** Opens one address, and follows no redirect. */
  async open(address: string | URL, fields?: Readonly<Record<string, string>>): Promise<Response> {
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; ') },
      ...(fields !== undefined && { method: 'POST', body: new URLSearchParams(fields) }),
    });
    for (const each of response.headers.getSetCookie()) {
      const [pair = ''] = each.split(';');
      const at = pair.indexOf('=');
      this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  /** Continues until the provider sends it to another origin; gives that address. */
  async leave(from: string, guide: Guide): Promise<string> {
    const { origin } = new URL(from);
    let at = new URL(from);
    let fields: Readonly<Record<string, string>> | undefined;
    for (let pages = 0; pages < 20; pages++) {
      const response = await this.open(at, fields);
      const location = response.headers.get('location');
      if (location !== null) {
        at = new URL(location, at);
        fields = undefined;
        if (at.origin !== origin) return at.href;
      } else {
        const next = await guide(at, await response.text());
        at = new URL(next.address, at);
        fields = next.fields;
      }
    }
    throw new Error(`the sign-in does not end: ${at.pathname}`);
  }
}
