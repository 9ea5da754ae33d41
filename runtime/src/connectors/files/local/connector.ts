import { stat } from 'node:fs/promises';
import type { Values } from '@svc/protocol/schema';
import type { Connector, ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import type { Source } from '../../../foundation/contracts/source.ts';
import type { Target } from '../../../foundation/contracts/target.ts';
import { DiskState } from '../../../foundation/disk/disk-state.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { type Answers, folderRow, whole } from '../answers.ts';
import { engineSettings } from '../configuration.ts';
import type { Engine } from '../engine.ts';
import { Exchanges } from '../exchanges.ts';
import { FileTarget } from '../target.ts';
import { type FileWatch, watchOf } from '../watch/watch.ts';
import { openFolder } from './folder.ts';
import { removeLeftovers } from './leftovers.ts';
import { Places } from './places.ts';
import { type file, localStore } from './spec.ts';
import { LocalStore } from './store.ts';

type FileConfig = Values<(typeof file)['config']>;

export const create: Factory<typeof file> = (name, config, services) => new FileConnector(name, config, services);

const answers: Answers = {
  row: folderRow,
  written: ({ path, bytes }, exact) => ({ path, written: whole(bytes, exact) }),
  named: 'path',
};

/** Files in a folder of the machine. */
class FileConnector implements Connector {
  readonly name: string;
  readonly target: Target;
  readonly source?: Source;
  readonly #config: FileConfig;
  readonly #services: ConnectorServices;
  readonly #exchanges: Exchanges;
  readonly #watch: FileWatch | undefined;
  readonly #disk: DiskState;
  #root: string | undefined;
  #store: LocalStore | undefined;
  /** Never rejects. */
  #cleaning: Promise<void> | undefined;

  constructor(name: string, config: FileConfig, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    this.#exchanges = new Exchanges(name);
    this.#disk = new DiskState(`the folder ${config.base_path}`);
    const engine: Engine = {
      connector: name,
      spec: localStore,
      answers,
      ...engineSettings(config),
      timeout: undefined,
      exchanges: this.#exchanges,
      now: () => services.clock.now(),
      store: () => this.#open(),
    };
    this.target = new FileTarget(engine);
    this.#watch = watchOf('file', config.base_path, engine, config, services);
    if (this.#watch !== undefined) this.source = this.#watch.source;
  }

  async open(): Promise<void> {
    await this.openTarget();
    await this.#watch?.open();
  }

  async openTarget(): Promise<void> {
    if (this.#store !== undefined) return;
    const { base_path: path, create_dirs: createFolders, permissions } = this.#config;
    const { directory } = this.#services;
    this.#root = await openFolder(this.name, path, { directory, create: createFolders });
    const settings = { createFolders, permissions: Number.parseInt(permissions, 8), disk: this.#disk };
    this.#store = new LocalStore(new Places(this.#root), settings);
    if (this.#services.isDryRun !== true) this.#cleaning = this.#clean(this.#root);
  }

  async closeSource(cut?: AbortSignal): Promise<void> {
    await this.#watch?.close(cut);
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.closeSource(cut);
    this.#store = undefined;
    await this.#exchanges.drain(cut);
    await this.#cleaning;
  }

  async check(): Promise<string | undefined> {
    this.#open();
    const { base_path: path } = this.#config;
    const found = await stat(this.#root as string).catch((cause: NodeJS.ErrnoException) => {
      throw this.#refused(`the folder ${path} cannot be read: ${cause.code}`, cause);
    });
    if (!found.isDirectory()) throw this.#refused(`${path} is not a folder any more`);
    return this.#disk.problem ?? this.#watch?.problem;
  }

  /** Removes what killed writers left, beside the calls. */
  async #clean(root: string): Promise<void> {
    const { exchange, end } = this.#exchanges.begin(undefined);
    try {
      const files = await removeLeftovers(root, exchange.signal);
      if (files > 0) this.#services.log.info('unfinished files were removed', { files });
    } catch (error) {
      this.#services.log.debug('unfinished files were not looked for', { error: (error as Error).message });
    } finally {
      end();
    }
  }

  #open(): LocalStore {
    if (this.#store) return this.#store;
    throw this.#refused('is not open');
  }

  #refused(problem: string, cause?: unknown): Failure {
    const at = { connector: this.name };
    return new Failure('connector_refused', `connector "${this.name}": ${problem}`, { cause, at });
  }
}
