import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import type { OutboxEntry, OutboxMessage } from '@svc/protocol/wire';
import type { Capture, CapturedMessage } from '../../foundation/contracts/capture.ts';
import { DiskState } from '../../foundation/disk/disk-state.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Clock } from '../../foundation/observe/clock.ts';
import { Folder } from './folder.ts';
import { entryOf } from './kept.ts';

/** Messages that one answer lists at most. */
export const mostListed = 200;

/** Notifications that were kept instead of sent, as files of one folder, which several processes may share (docs/notifications.md#captured-messages). */
export class NotificationOutbox implements Capture {
  readonly #folder: Folder;
  readonly #disk: DiskState;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #followers = new Set<(entry: OutboxEntry) => void>();
  readonly #entries = new Map<string, OutboxEntry>();
  #count = 0;
  #latest = 0;

  constructor(folder: string, clock: Pick<Clock, 'now'>) {
    this.#folder = new Folder(folder);
    this.#disk = new DiskState(`captured messages (${folder})`);
    this.#clock = clock;
  }

  /** Absolute path. */
  get path(): string {
    return this.#folder.path;
  }

  /** Makes the folder. Rejects where that is not possible. */
  async open(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
  }

  keep(message: CapturedMessage): Promise<string> {
    return this.#keep('', message);
  }

  get problem(): string | undefined {
    return this.#disk.problem;
  }

  of(connector: string): Capture {
    return { keep: (message) => this.#keep(connector, message), of: (other) => this.of(other) };
  }

  /** Calls back for each message that this process keeps from now on, until the returned function is called. */
  follow(listener: (entry: OutboxEntry) => void): () => void {
    this.#followers.add(listener);
    return () => void this.#followers.delete(listener);
  }

  /** Newest first: those before the one of this name, of every process that uses the folder. */
  async list(limit: number, before?: string): Promise<readonly OutboxEntry[]> {
    const names = (await this.#folder.names()).reverse();
    const older = before === undefined ? names : names.filter((name) => name < before);
    const found = await Promise.all(older.slice(0, Math.min(limit, mostListed)).map((name) => this.#entry(name)));
    return found.filter((entry) => entry !== undefined);
  }

  /** Undefined: there is no message of this name, or no longer. */
  async read(name: string): Promise<OutboxMessage | undefined> {
    return this.#folder.read(name);
  }

  /** The files of one message, as absolute paths. */
  filesOf(name: string): Promise<readonly string[]> {
    return this.#folder.filesOf(name);
  }

  async #keep(connector: string, message: CapturedMessage): Promise<string> {
    // Names grow although the clock is set back: the newest message is never taken for the oldest.
    this.#latest = Math.max(this.#latest, this.#clock.now());
    const at = new Date(this.#latest).toISOString();
    const count = String(++this.#count % 1_000_000).padStart(6, '0');
    const name = `${at.replaceAll(/[-:.]/g, '')}-${count}-${randomBytes(3).toString('hex')}`;
    const { mail, ...others } = message;
    const kept: OutboxMessage = { name, at, connector, ...others };
    try {
      await this.#disk.writing(() => this.#folder.write(kept, mail));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Failure('connector_failed', `the message could not be kept in the folder of SVC_CAPTURE: ${reason}`);
    }
    const entry = this.#remember(entryOf(kept));
    for (const listener of this.#followers) listener(entry);
    return name;
  }

  async #entry(name: string): Promise<OutboxEntry | undefined> {
    const known = this.#entries.get(name);
    if (known !== undefined) return known;
    const message = await this.#folder.read(name);
    return message && this.#remember(entryOf(message));
  }

  #remember(entry: OutboxEntry): OutboxEntry {
    this.#entries.set(entry.name, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= 2 * mostListed) break;
      this.#entries.delete(oldest);
    }
    return entry;
  }
}
