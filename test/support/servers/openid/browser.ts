/** A browser of one person: it keeps cookies, follows redirects within a provider and fills its forms in. */
export class Browser {
  readonly #cookies = new Map<string, string>();

  /** Signs in from the address of an authorization request on; gives the address outside of the provider where it ends. */
  async signIn(url: string, account: string): Promise<URL> {
    const { origin } = new URL(url);
    let at = new URL(url);
    let response = await this.#ask(at);
    for (let pages = 0; pages < 20; pages++) {
      const location = response.headers.get('location');
      if (location !== null) {
        at = new URL(location, at);
        if (at.origin !== origin) return at;
        response = await this.#ask(at);
      } else {
        const page = await response.text();
        const action = /action="([^"]+)"/.exec(page)?.[1];
        if (response.status !== 200 || action === undefined)
          throw new Error(`HTTP ${response.status} at ${at.pathname}: ${page}`);
        const isLogin = page.includes('name="login"');
        const fields: Record<string, string> = isLogin
          ? { prompt: 'login', login: account, password: 'any' }
          : { prompt: 'consent' };
        at = new URL(action, at);
        response = await this.#ask(at, fields);
      }
    }
    throw new Error(`the sign-in does not end: ${at.pathname}`);
  }

  async #ask(url: URL, fields?: Record<string, string>): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(fields !== undefined && { method: 'POST', body: new URLSearchParams(fields) }),
    });
    for (const each of response.headers.getSetCookie()) {
      const [pair = ''] = each.split(';');
      const at = pair.indexOf('=');
      this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }
}
