import type { Identity } from '../../../shared/identity.ts';
import type { Bridge } from '../../../shared/services.ts';
import type { Outline } from '../../debug/session/flow-map.ts';
import { Store } from '../../state/store.ts';
import type { SentAs } from '../sender.ts';

/** A sign-in that waits for the code of a second factor. */
export interface FactorQuestion {
  readonly identity: Pick<Identity, 'id' | 'name'>;
  /** As the service calls them. */
  readonly methods: readonly string[];
  readonly answer: (isProved: boolean) => void;
}

interface Kept {
  readonly identities: readonly Identity[];
  /** Where passwords and pasted tokens are kept. */
  readonly place: 'keychain' | 'memory';
}

/** Endpoints that a sign-in needs, by their names in the configuration. */
const needed: ReadonlySet<string> = new Set(['login', 'refresh', 'mfa_verify']);

/**
 * Whom requests of the project can be sent as. Passwords go to the host and never come back; which request is sent as
 * whom is known while the window lives.
 */
export class Identities {
  readonly kept = new Store<Kept>({ identities: [], place: 'memory' });
  /** Ids of identities by the file of the request. */
  readonly chosen = new Store<ReadonlyMap<string, string>>(new Map());
  readonly isManaging = new Store(false);
  readonly question = new Store<FactorQuestion | undefined>(undefined);
  readonly #bridge: Pick<Bridge, 'call'>;

  constructor(bridge: Pick<Bridge, 'call'>) {
    this.#bridge = bridge;
  }

  /** Asks the host again: another folder was opened, or tokens were fetched. */
  async refresh(): Promise<void> {
    this.kept.set(await this.#bridge.call('identities.list', {}));
  }

  /** Another folder has other identities. */
  async forget(): Promise<void> {
    this.question.value?.answer(false);
    this.chosen.set(new Map());
    this.kept.patch({ identities: [] });
    await this.refresh();
  }

  of(path: string): Identity | undefined {
    const id = this.chosen.value.get(path);
    return this.kept.value.identities.find((each) => each.id === id);
  }

  choose(path: string, id: string | undefined): void {
    this.chosen.update((all) => {
      const others = [...all].filter(([each]) => each !== path);
      return new Map(id === undefined ? others : [...others, [path, id]]);
    });
  }

  /** Rejects with the reason when the host does not keep it. */
  async add(name: string, secret: { readonly password: string } | { readonly token: string }): Promise<Identity> {
    const { identity } = await this.#bridge.call('identities.add', { name, ...secret });
    await this.refresh();
    return identity;
  }

  async remove(id: string): Promise<void> {
    await this.#bridge.call('identities.remove', { id });
    this.chosen.update((all) => new Map([...all].filter(([, each]) => each !== id)));
    await this.refresh();
  }

  /** Completes the sign-in that is asked about. Rejects with the reason of the service. */
  async prove(code: string): Promise<void> {
    const { value: question } = this.question;
    if (question === undefined) return;
    await this.#bridge.call('identities.prove', { id: question.identity.id, code });
    question.answer(true);
  }

  /** How the sender sends the request of a file; undefined where it is sent as no one. */
  sentAs(path: string, { endpoints }: Outline): SentAs | undefined {
    const identity = this.of(path);
    if (identity === undefined) return undefined;
    const signIn: Record<string, string> = {};
    // Of several spellings the first is the usual one.
    for (const { name, method, path: place } of endpoints) if (needed.has(name)) signIn[name] ??= `${method} ${place}`;
    const { id, name } = identity;
    return { id, name, signIn, prove: (methods) => this.#ask({ id, name }, methods) };
  }

  async #ask(identity: FactorQuestion['identity'], methods: readonly string[]): Promise<boolean> {
    this.question.value?.answer(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const question = { identity, methods, answer: resolve };
    this.question.set(question);
    const isProved = await promise;
    // A later one may be asked by now.
    if (this.question.value === question) this.question.set(undefined);
    return isProved;
  }
}
