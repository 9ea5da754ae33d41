import type { RunningModule } from '../../../foundation/contracts/modules.ts';
import type { Resource } from '../../../foundation/contracts/plan.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import type { Metrics } from '../../../foundation/observe/metrics.ts';
import type { Limits, ModuleUse } from '../model.ts';
import { ModuleRefused } from '../module/bytes.ts';
import type { EntryKind } from '../module/entries.ts';
import { readModuleFile } from './module-file.ts';
import { type ModuleObserver, ModulePool } from './module-pool.ts';
import { type PreparedModule, prepareModule } from './prepare.ts';

/** What a module is run with. */
export interface HostContext {
  readonly directory: string;
  readonly log: Log;
  readonly families: Pick<Metrics['families'], 'moduleCalls' | 'moduleDuration' | 'moduleEnded' | 'moduleRebuilt'>;
}

/** One module of a service: its file is read, checked and started when it opens, or with the first call. */
export class ModuleHost implements Resource {
  readonly name: string;
  readonly #use: ModuleUse;
  readonly #limits: Limits;
  readonly #context: HostContext;
  readonly #initial: string | undefined;
  #opening: Promise<ModulePool> | undefined;
  #pool: ModulePool | undefined;
  #module: PreparedModule | undefined;

  /** `initial`: what `init` is called with in each instance, where the module exports it. */
  constructor(use: ModuleUse, limits: Limits, context: HostContext, initial?: string) {
    this.name = use.title;
    this.#use = use;
    this.#limits = limits;
    this.#context = context;
    this.#initial = initial;
  }

  /** What it does now, for the one that uses it so. */
  running({ kind, serves }: Pick<RunningModule, 'kind' | 'serves'>): RunningModule {
    const { name, plugin, path } = this.#use;
    const { hash } = this.#module ?? {};
    return { name, plugin, path, hash, kind, serves, limits: this.#limits, counts: this.#pool?.counts };
  }

  /** Rejects with a Failure that says what is wrong with the module. */
  async open(): Promise<void> {
    await this.#opened();
  }

  async close(cut?: AbortSignal): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    const pool = await opening?.catch(() => undefined);
    const last = this.#module?.has('close') === true && this.#initial !== undefined ? 'close' : undefined;
    await pool?.close(cut, last);
    this.#pool = undefined;
  }

  /** Whether it exports a function. It must be open. */
  has(entry: string): boolean {
    return this.#module?.has(entry) === true;
  }

  /** Calls a function with a JSON text; see `ModulePool.call`. */
  async call(entry: string, kind: EntryKind, input: string): Promise<unknown> {
    const pool = this.#pool ?? (await this.#opened());
    try {
      return await pool.call(entry, kind, input);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  async #opened(): Promise<ModulePool> {
    const opening = (this.#opening ??= this.#start());
    try {
      return await opening;
    } catch (error) {
      // The next one tries again.
      if (this.#opening === opening) this.#opening = undefined;
      throw error;
    }
  }

  async #start(): Promise<ModulePool> {
    const { title, abi, entries } = this.#use;
    let pool: ModulePool;
    try {
      const bytes = await readModuleFile(this.#use, this.#context.directory);
      const module = await prepareModule(bytes, abi, this.#limits.max_memory_mb);
      for (const { name, kind, optional } of entries)
        if (optional !== true || module.has(name)) module.convention(name, kind);
      const first =
        this.#initial === undefined || !module.has('init')
          ? undefined
          : { call: { entry: 'init', convention: module.convention('init', 'json') }, input: this.#initial };
      this.#module = module;
      pool = new ModulePool(module, { title, limits: this.#limits, initial: first, observer: this.#observer() });
    } catch (error) {
      throw this.#failure(error);
    }
    await pool.open();
    this.#pool = pool;
    return pool;
  }

  #failure(error: unknown): unknown {
    return error instanceof ModuleRefused
      ? new Failure('connector_refused', `${this.#use.title} cannot be used: ${error.message}`, { retriable: false })
      : error;
  }

  #observer(): ModuleObserver {
    const { log, families } = this.#context;
    const { name, title } = this.#use;
    const own = log.with({ module: name });
    const ended = families.moduleEnded.of(name);
    const rebuilt = families.moduleRebuilt.of(name);
    return {
      called: (entry, outcome, seconds) => {
        families.moduleCalls.of(name, entry, outcome).value++;
        families.moduleDuration.of(name, entry).observe(seconds);
      },
      ended: () => {
        ended.value++;
        own.warn(`a call of ${title} was ended at its time limit`, { timeout_ms: this.#limits.timeout });
      },
      rebuilt: (times) => {
        rebuilt.value += times;
        own.warn(`${title} trapped or broke a rule; its instance was made again`);
      },
      printed: (lines, left) => {
        for (const line of lines) own.info(line);
        if (left > 0) own.warn('a module printed more than is kept', { lines_left_out: left });
      },
    };
  }
}
