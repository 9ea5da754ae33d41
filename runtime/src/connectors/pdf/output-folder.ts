import { mkdir, realpath } from 'node:fs/promises';
import { DiskState } from '../../foundation/disk/disk-state.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { Places } from '../files/local/places.ts';
import { LocalStore } from '../files/local/store.ts';
import { placeOf } from '../files/path.ts';
import type { Exchange } from '../files/store.ts';

/** Mode of documents that are kept. */
const permissions = 0o644;

/** The folder in which documents are kept. No name leads out of it, links included. */
export class OutputFolder {
  readonly disk: DiskState;
  readonly #path: string;
  readonly #connector: string;
  #store: LocalStore | undefined;

  constructor(path: string, connector: string) {
    this.disk = new DiskState(`documents (${path})`);
    this.#path = path;
    this.#connector = connector;
  }

  /** Makes the folder where it does not exist. Rejects with a Failure where it cannot be used. */
  async open(): Promise<LocalStore> {
    if (this.#store !== undefined) return this.#store;
    try {
      await mkdir(this.#path, { recursive: true });
      const root = await realpath(this.#path);
      this.#store = new LocalStore(new Places(root), { createFolders: true, permissions, disk: this.disk });
      return this.#store;
    } catch (cause) {
      const reason = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
      const message = `connector "${this.#connector}": output_dir ${this.#path} cannot be used: ${reason}`;
      throw new Failure('connector_refused', message, { cause, retriable: false, at: { connector: this.#connector } });
    }
  }

  /** Replaces the file at once when every byte is on the disk. Answers its path below the folder. */
  async save(filename: string, bytes: Uint8Array, exchange: Exchange): Promise<string> {
    const place = placeOf(filename, 'filename');
    if (place === '') throw new Failure('value_refused', 'the field "filename" names no file');
    const store = await this.open();
    const writing = { append: false, contentType: 'application/pdf', size: bytes.length, params: {} };
    const { path } = await store.write(place, once(bytes), writing, exchange);
    return path;
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
