import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutboxMessage } from '@svc/protocol/wire';

/** Messages that are kept; older ones make room. */
const mostKept = 1_000;
/** So many more may be there until they do. */
const overdraft = 100;
/** Names that `NotificationOutbox` gives: their order is that of time. Other files in the folder are left alone. */
const named = /^\d{8}T\d{9}Z-\d{6}-[0-9a-f]{6}$/;
const ownFile = /^(\d{8}T\d{9}Z-\d{6}-[0-9a-f]{6})\.(?:json|eml|html|part)$/;

/** The files of messages: `NAME.json`, and beside it the mail as `NAME.eml` and its rendered body as `NAME.html`. */
export class Folder {
  readonly path: string;
  #written = overdraft;

  constructor(path: string) {
    this.path = path;
  }

  /** In the order of time. */
  async names(): Promise<string[]> {
    const files = await this.#files();
    return files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
  }

  async read(name: string): Promise<OutboxMessage | undefined> {
    if (!named.test(name)) return undefined;
    try {
      const message: unknown = JSON.parse(await readFile(join(this.path, `${name}.json`), 'utf8'));
      return isMessage(message, name) ? message : undefined;
    } catch {
      // It made room since it was listed, or its writer ended before it was whole.
      return undefined;
    }
  }

  /** The description comes last, whole: what is listed can be read. Only their owner reads the files. */
  async write(message: OutboxMessage, mail: Uint8Array | undefined): Promise<void> {
    const { name, shown } = message;
    const file = (ending: string) => join(this.path, `${name}.${ending}`);
    const mode = 0o600;
    if (mail !== undefined) await writeFile(file('eml'), mail, { mode });
    if (shown.html !== undefined) await writeFile(file('html'), shown.html, { mode });
    const kept = { ...message, ...(mail !== undefined && { mail: `${name}.eml` }) };
    await writeFile(file('part'), `${JSON.stringify(kept, undefined, 2)}\n`, { mode });
    await rename(file('part'), file('json'));
    if (++this.#written > overdraft) await this.#makeRoom();
  }

  async filesOf(name: string): Promise<readonly string[]> {
    const files = await this.#files();
    return files.filter((file) => ownFile.exec(file)?.[1] === name).map((file) => join(this.path, file));
  }

  async #makeRoom(): Promise<void> {
    this.#written = 0;
    const files = await this.#files();
    const names = [...new Set(files.map((file) => ownFile.exec(file)?.[1] as string))];
    const old = new Set(names.slice(0, Math.max(names.length - mostKept, 0)));
    for (const file of files)
      if (old.has(ownFile.exec(file)?.[1] as string)) await rm(join(this.path, file), { force: true });
  }

  async #files(): Promise<string[]> {
    return (await readdir(this.path)).filter((file) => ownFile.test(file)).sort();
  }
}

/** Others may write into the folder too. */
function isMessage(value: unknown, name: string): value is OutboxMessage {
  const { shown, ...message } = (value ?? {}) as Partial<OutboxMessage>;
  return message.name === name && typeof message.at === 'string' && Array.isArray(shown?.to);
}
