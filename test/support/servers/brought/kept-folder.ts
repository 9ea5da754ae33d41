import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where programs are kept that no package of the system brings. */
const kept = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'svc-test-servers');

export interface Contents {
  /** Of what, with its version: `nats-server-2.15.2`. */
  readonly name: string;
  /** Whether everything is there. */
  readonly isWhole: (folder: string) => boolean;
  /** Makes it, in an empty folder that is renamed afterwards. */
  readonly make: (folder: string) => Promise<void>;
}

/** A folder of the user's cache that is made once, and serves all runs of the tests. */
export class KeptFolder {
  readonly path: string;
  readonly #contents: Contents;
  #making: Promise<string> | undefined;

  constructor(contents: Contents) {
    this.path = join(kept, contents.name);
    this.#contents = contents;
  }

  get isMade(): boolean {
    return this.#contents.isWhole(this.path);
  }

  /** Its path, as soon as everything is there. */
  async made(): Promise<string> {
    if (this.isMade) return this.path;
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #make(): Promise<string> {
    const { name, make } = this.#contents;
    mkdirSync(kept, { recursive: true });
    const unfinished = mkdtempSync(join(kept, `${name}-unfinished-`));
    const began = performance.now();
    console.log(`FETCH   ${name}: it is not in ${kept}; this takes minutes, once`);
    try {
      await make(unfinished);
      this.#put(unfinished);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
    console.log(`FETCHED ${name}, in ${Math.round((performance.now() - began) / 1_000)} s`);
    return this.path;
  }

  /** Takes its place, unless another process has made it meanwhile. */
  #put(unfinished: string): void {
    if (this.isMade) return;
    rmSync(this.path, { recursive: true, force: true });
    try {
      renameSync(unfinished, this.path);
    } catch (error) {
      if (!this.isMade) throw error;
    }
  }
}
