import type { Identity } from '../../shared/identity.ts';
import type { HttpAnswer, ServiceParams } from '../../shared/services.ts';
import { decodeToken } from '../../shared/token.ts';
import type { Projects } from '../files/projects.ts';
import type { HostServices } from '../host.ts';
import { IdentitySession, type Proof } from './session.ts';
import { type Ask, SignIn } from './sign-in.ts';
import type { Credentials, Vault } from './vault.ts';

/** Characters of a name, a password and a token. */
const longest = { name: 254, password: 8_192, token: 16_384 } as const;

type Sender = Pick<HostServices, 'http.send' | 'http.cancel'>;
type Services = Extract<keyof HostServices, `identities.${string}`> | keyof Sender;

interface IdentitiesOptions {
  readonly projects: Pick<Projects, 'required'>;
  readonly vault: Vault;
  /** Sends requests as they are. */
  readonly sender: Sender;
  /** Where the service of the project listens; empty while it does not run. */
  readonly addresses: () => Promise<readonly string[]>;
  readonly elapsed?: () => number;
}

/**
 * Sends requests as identities of the project: their passwords and tokens never reach the page, and reach no address
 * but those of the running service of the project.
 */
export class Identities {
  readonly services: Pick<HostServices, Services> = {
    'identities.list': async () => ({ identities: await this.#list(), place: this.#options.vault.place }),
    'identities.add': (params) => this.#add(params),
    'identities.remove': ({ id }) => this.#remove(id),
    'identities.prove': async ({ id, code }) => {
      await this.#sessionOf(await this.#credentials(id)).prove(code);
      return {};
    },
    'http.send': (request) => (request.identity === undefined ? this.#send(request) : this.#sendAs(request)),
    'http.cancel': async ({ id }) => {
      const cancel = this.#options.sender['http.cancel'];
      await Promise.all([id, ...(this.#asked.get(id) ?? [])].map((each) => cancel({ id: each })));
      return {};
    },
  };
  readonly #options: IdentitiesOptions;
  readonly #sessions = new Map<string, { readonly of: Credentials; readonly session: IdentitySession }>();
  /** Requests of a sign-in that are under way, by the id of the request that they are for. */
  readonly #asked = new Map<string, Set<string>>();
  #lastAsked = 0;

  constructor(options: IdentitiesOptions) {
    this.#options = options;
  }

  /** Forgets every token, such as when another folder is opened; credentials stay where they are kept. */
  forgetTokens(): void {
    this.#sessions.clear();
  }

  get #directory(): string {
    return this.#options.projects.required.directory;
  }

  async #list(): Promise<readonly Identity[]> {
    return (await this.#options.vault.of(this.#directory)).map((credentials) => this.#shown(credentials));
  }

  #shown({ id, name, token: pasted }: Credentials): Identity {
    const token = this.#sessions.get(id)?.session.token ?? pasted;
    const decoded = token === undefined ? undefined : decodeToken(token);
    return {
      id,
      name,
      kind: pasted === undefined ? 'password' : 'token',
      hasToken: token !== undefined,
      token: decoded && { header: decoded.header, claims: decoded.claims },
    };
  }

  async #add({ name: written, password, token: pasted }: ServiceParams<'identities.add'>) {
    const name = written.trim();
    const token = pasted?.trim().replace(/^Bearer +/i, '');
    if ((password === undefined) === (token === undefined)) throw new Error('an identity has a password or a token');
    for (const [what, value] of Object.entries({ name, password, token }))
      if (value === '') throw new Error(`the ${what} is empty`);
      else if (value !== undefined && value.length > longest[what as keyof typeof longest])
        throw new Error(`the ${what} is longer than ${longest[what as keyof typeof longest]} characters`);
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) throw new Error('a token has no blanks in it');
    const credentials = await this.#options.vault.put(this.#directory, { name, password, token });
    this.#sessions.delete(credentials.id);
    return { identity: this.#shown(credentials) };
  }

  async #remove(id: string): Promise<Record<string, never>> {
    await this.#options.vault.remove(this.#directory, id);
    this.#sessions.delete(id);
    return {};
  }

  async #credentials(id: string): Promise<Credentials> {
    const found = (await this.#options.vault.of(this.#directory)).find((each) => each.id === id);
    // Another window may have forgotten it.
    if (found === undefined) this.#sessions.delete(id);
    if (found === undefined) throw new Error('this identity is not kept any more; choose another one');
    return found;
  }

  #sessionOf(credentials: Credentials): IdentitySession {
    const known = this.#sessions.get(credentials.id);
    // Another window may have replaced its password.
    if (known !== undefined && isSame(known.of, credentials)) return known.session;
    const session = new IdentitySession(credentials, this.#options.elapsed ?? (() => performance.now()));
    this.#sessions.set(credentials.id, { of: credentials, session });
    return session;
  }

  async #sendAs({ identity = '', signIn: places = {}, ...request }: ServiceParams<'http.send'>): Promise<HttpAnswer> {
    const credentials = await this.#credentials(identity);
    const { name } = credentials;
    if (Object.keys(request.headers ?? {}).some((header) => header.toLowerCase() === 'authorization'))
      throw new Error(`the request has an Authorization header of its own: remove it, or do not send it as ${name}`);
    const origin = await this.#ownOrigin(request.url, name);
    const session = this.#sessionOf(credentials);
    const signIn = new SignIn(origin, places, this.#askFor(request));
    const proof = await session.proof(signIn);
    const answer = await this.#sendWith(proof, request);
    if (answer.status !== 401 || 'challenge' in proof || proof.isNew) return answer;
    const renewed = await session.renewed(proof.token, signIn);
    return renewed === undefined ? answer : this.#sendWith(renewed, request);
  }

  #send(request: ServiceParams<'http.send'>): Promise<HttpAnswer> {
    return this.#options.sender['http.send'](request);
  }

  #sendWith(proof: Proof, request: ServiceParams<'http.send'>): Promise<HttpAnswer> | HttpAnswer {
    if ('challenge' in proof) return factorWanted(proof.challenge.methods);
    return this.#send({ ...request, headers: { ...request.headers, authorization: `Bearer ${proof.token}` } });
  }

  /** The origin of an address of the service. Rejects for every other one: it would be handed a credential. */
  async #ownOrigin(url: string, name: string): Promise<string> {
    const addresses = await this.#options.addresses();
    if (addresses.length === 0) throw new Error(`${name} signs in to the service of this project: start it first`);
    const origin = URL.canParse(url) ? new URL(url).origin : undefined;
    if (origin !== undefined && addresses.some((address) => new URL(address).origin === origin)) return origin;
    throw new Error(`${name} is an identity of the service at ${addresses.join(', ')}, and is sent nowhere else`);
  }

  /** Sign-in takes as long as the request may take: a debugger may have paused a flow that it runs. */
  #askFor({ id, timeoutMs }: ServiceParams<'http.send'>): Ask {
    return async (method, url, body) => {
      const own = `${id} sign-in ${++this.#lastAsked}`;
      const asked = this.#asked.get(id) ?? new Set();
      this.#asked.set(id, asked.add(own));
      try {
        const headers = { 'content-type': 'application/json' };
        return await this.#send({ id: own, method, url, headers, body: JSON.stringify(body), timeoutMs });
      } finally {
        asked.delete(own);
        if (asked.size === 0) this.#asked.delete(id);
      }
    };
  }
}

function isSame(left: Credentials, right: Credentials): boolean {
  return left.name === right.name && left.password === right.password && left.token === right.token;
}

/** What the page is answered in place of the service: nothing was sent. */
function factorWanted(methods: readonly string[]): HttpAnswer {
  const empty = { headers: {}, body: '', encoding: 'text', truncated: false, durationMs: 0 } as const;
  return { status: 428, statusText: 'Precondition Required', ...empty, factor: methods };
}
