import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices, type LogLine, recordingLog } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import { until } from '../../../../../test/support/until.ts';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { Message } from '../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import { type Clock, systemClock } from '../../../foundation/observe/clock.ts';
import { clockBy } from '../../../service/running/testing/manual-clock.ts';
import type { EventConnector } from '../../intake/testing/conformance.ts';
import { create } from '../local/connector.ts';
import { file } from '../local/spec.ts';

export const reply: Outcome = { kind: 'reply', value: null };

export type Input = Readonly<Record<string, unknown>>;

/** What a flow does with a file. */
export type Handle = (input: Input, message: Message) => Outcome | Promise<Outcome>;

/** A clock by which a watch looks when it is asked to. */
export class Looks {
  readonly clock: Clock;
  #elapsed = 0;
  #count = 0;
  #look: (() => void) | undefined;
  /** Milliseconds until each next look, as the watch wanted them. */
  readonly pauses: number[] = [];

  constructor() {
    const sleep: Clock['sleep'] = (milliseconds, signal) => {
      this.pauses.push(milliseconds);
      this.#count++;
      return new Promise((resolve, reject) => {
        this.#look = resolve;
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    };
    this.clock = clockBy(() => this.#elapsed, { now: () => systemClock.now(), sleep });
  }

  /** Resolves when the watch has looked at the files after so many milliseconds, and waits for its next look. */
  async next(milliseconds: number): Promise<void> {
    await until(() => this.#look !== undefined);
    const before = this.#count;
    this.#elapsed += milliseconds;
    this.#look?.();
    await until(() => this.#count > before);
  }
}

/** A folder of its own, and connectors that watch it. */
export class Inbox {
  readonly folder = folderWith();
  readonly lines: LogLine[] = [];
  readonly #opened: EventConnector[] = [];

  at(path: string): string {
    return join(this.folder, path);
  }

  /** Puts a file there at once, as a program does that writes beside it and renames. */
  put(path: string, text: string): void {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    const beside = this.at(`${dirname(path)}/.${path.replaceAll('/', '-')}.part`);
    writeFileSync(beside, text);
    renameSync(beside, this.at(path));
  }

  textOf(path: string): string {
    return readFileSync(this.at(path), 'utf8');
  }

  /** Paths of every file, ordered; links are not followed. */
  names(folder = this.folder): readonly string[] {
    return readdirSync(folder, { withFileTypes: true })
      .flatMap((entry) => {
        const path = join(folder, entry.name);
        return entry.isDirectory() ? this.names(path) : [relative(this.folder, path)];
      })
      .sort();
  }

  /** A connector that hands its files to one flow, `written` over what a fast inbox has; it is open and started. */
  async open(
    written: Readonly<Record<string, unknown>> = {},
    handle: Handle = () => reply,
    services: Partial<ConnectorServices> = {},
    operation?: string,
  ) {
    const base = { base_path: this.folder, watch_interval: 20, watch: { done: 'done', failed: 'failed' } };
    const config = configured(file.config, { ...base, ...written });
    const given = connectorServices({ log: recordingLog(this.lines), ...services });
    const connector = create('inbox', config, given) as EventConnector;
    const taken: Input[] = [];
    const bind = (pattern: string | undefined) =>
      connector.source.bind([
        {
          flow: 'f',
          operation: pattern,
          words: {},
          deliver: (message) => {
            taken.push(message.input);
            return handle(message.input, message);
          },
        },
      ]);
    const flows = bind(operation);
    await flows.prepare();
    await connector.open(new AbortController().signal);
    this.#opened.push(connector);
    flows.use();
    await connector.source.start();
    return { connector, events: connector.source.events, taken, bind, paths: () => taken.map(({ _path }) => _path) };
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.splice(0).map((connector) => connector.close(AbortSignal.abort())));
    rmSync(this.folder, { recursive: true });
  }
}
