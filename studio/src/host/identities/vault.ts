import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { InTurn, StoredText } from '../files/stored.ts';

/** Seals texts so that only this person on this machine can open them, as the keychain of the system does. */
export interface SecretBox {
  seal(text: string): Uint8Array;
  /** Throws when it was sealed elsewhere. */
  open(sealed: Uint8Array): string;
}

/** Who signs in to the service of a project: an address with its password, or a token. */
export interface Credentials {
  readonly id: string;
  /** The address, of a token any name. */
  readonly name: string;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
}

/** Identities of one project. */
const most = 100;
/** Windows of one program write one file: one after another. */
const turns = new InTurn();

/**
 * Keeps credentials by the folder of their project: sealed in the settings of this person where the system has a
 * keychain, in the memory of this process alone where it does not. Nothing is ever written into a project.
 */
export class Vault {
  readonly #box: SecretBox | undefined;
  readonly #file: StoredText;
  readonly #memory = new Map<string, readonly Credentials[]>();

  constructor(settingsDirectory: string, box: SecretBox | undefined) {
    this.#box = box;
    this.#file = new StoredText(join(settingsDirectory, 'identities.json'));
  }

  get place(): 'keychain' | 'memory' {
    return this.#box === undefined ? 'memory' : 'keychain';
  }

  /** In the order in which they were added. */
  async of(directory: string): Promise<readonly Credentials[]> {
    if (this.#box === undefined) return this.#memory.get(directory) ?? [];
    return this.#opened((await this.#read())[directory]);
  }

  /** Replaces the credentials of the same name, which keep their id. Rejects when there are too many. */
  async put(directory: string, written: Omit<Credentials, 'id'>): Promise<Credentials> {
    let kept = { ...written, id: randomUUID() as string };
    await this.#change(directory, (all) => {
      const known = all.find(({ name }) => name === written.name);
      if (known === undefined && all.length >= most) throw new Error(`a project has ${most} identities at most`);
      if (known === undefined) return [...all, kept];
      kept = { ...written, id: known.id };
      return all.map((each) => (each === known ? kept : each));
    });
    return kept;
  }

  remove(directory: string, id: string): Promise<void> {
    return this.#change(directory, (all) => all.filter((each) => each.id !== id));
  }

  #change(directory: string, change: (all: readonly Credentials[]) => readonly Credentials[]): Promise<void> {
    return turns.run(async () => {
      if (this.#box === undefined) {
        this.#memory.set(directory, change(this.#memory.get(directory) ?? []));
        return;
      }
      const { [directory]: own, ...others } = await this.#read();
      const all = change(this.#opened(own));
      const sealed = Buffer.from(this.#box.seal(JSON.stringify(all))).toString('base64');
      const kept = all.length === 0 ? others : { ...others, [directory]: sealed };
      await this.#file.write(Object.keys(kept).length === 0 ? undefined : JSON.stringify(kept));
    });
  }

  /** What cannot be opened counts as nothing: it was sealed by another keychain. */
  #opened(sealed: unknown): readonly Credentials[] {
    if (this.#box === undefined || typeof sealed !== 'string') return [];
    try {
      return JSON.parse(this.#box.open(Buffer.from(sealed, 'base64'))) as readonly Credentials[];
    } catch {
      return [];
    }
  }

  async #read(): Promise<Readonly<Record<string, unknown>>> {
    try {
      return JSON.parse((await this.#file.read()) ?? '{}') as Readonly<Record<string, unknown>>;
    } catch (error) {
      if (error instanceof SyntaxError) return {};
      throw error;
    }
  }
}
