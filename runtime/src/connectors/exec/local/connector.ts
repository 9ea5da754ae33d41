import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Values } from '@svc/protocol/schema';
import type { Connector, ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import type { CallDescription, Execute, Target } from '../../../foundation/contracts/target.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { environmentOf } from '../../../platform/processes/environment.ts';
import { exitFailure } from '../../../platform/processes/failure.ts';
import { type Lookup, programPath } from '../../../platform/processes/lookup.ts';
import type { Launch } from '../../../platform/processes/program.ts';
import { Runner } from '../../../platform/processes/runner.ts';
import { prepareCall } from '../call.ts';
import type { Engine } from '../engine.ts';
import { shellLine, shellWords } from '../quoting.ts';
import type { execLocal } from './spec.ts';

type Config = Values<(typeof execLocal)['config']>;

/** Makes a connector that runs programs of this machine. */
export const create: Factory<typeof execLocal> = (name, config, services) => new LocalExec(name, config, services);

class LocalExec implements Connector, Target {
  readonly name: string;
  readonly target: Target = this;
  readonly #config: Config;
  readonly #lookup: Lookup;
  readonly #shell: readonly string[] | undefined;
  readonly #folder: string;
  readonly #engine: Engine;
  /** Commands that calls will ask for. */
  readonly #commands = new Set<string>();
  /** Where they were found. */
  #paths = new Map<string, string>();
  #isOpen = false;

  constructor(name: string, config: Config, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    const { directory, log } = services;
    const env = environmentOf({ env: config.env, inherit: config.inherit_env });
    this.#lookup = { env, directory, warn: (message) => log.warn(message) };
    this.#shell = shellWords(config.shell);
    this.#folder = resolve(directory, config.working_dir ?? '.');
    this.#commands.add(config.command);
    const { max_processes: mostProcesses, max_waiting: mostWaiting } = config;
    this.#engine = {
      connector: name,
      config,
      runner: new Runner({ connector: name, mostProcesses, mostWaiting }),
      log,
      demandOpen: () => this.#demandOpen(),
      uses: (command) => void this.#commands.add(command),
      launch: (command, args) => this.#launch(command, args),
      opening: undefined,
      failed: exitFailure,
    };
  }

  /** Resolves when every program that the configuration names is found. */
  async open(): Promise<void> {
    if (this.#isOpen) return;
    await this.#findAll();
    this.#isOpen = true;
  }

  async close(cut?: AbortSignal): Promise<void> {
    this.#isOpen = false;
    await this.#engine.runner.drain(cut);
  }

  async check(): Promise<void> {
    this.#demandOpen();
    await this.#findAll();
  }

  prepare(call: CallDescription): Execute {
    return prepareCall(this.#engine, call);
  }

  async #findAll(): Promise<void> {
    await this.#checkFolder();
    const names = this.#shell === undefined ? this.#commands : [this.#shell[0] as string];
    const found = new Map<string, string>();
    for (const name of names) found.set(name, await programPath(name, this.#lookup));
    this.#paths = found;
  }

  async #checkFolder(): Promise<void> {
    const { working_dir: written } = this.#config;
    const elsewhere = resolve(written ?? '.');
    const where = written === undefined ? 'the configuration directory' : `working_dir "${written}"`;
    const refuse = (why: string) => new Failure('connector_refused', `${where} ${why}`, { retriable: false });
    if (elsewhere !== this.#folder && !existsSync(this.#folder) && existsSync(elsewhere))
      throw refuse(
        `does not exist at ${this.#folder}, where relative paths begin at the configuration, but at ${elsewhere}. Move the folder, or write its whole path`,
      );
    try {
      if ((await stat(this.#folder)).isDirectory()) return;
    } catch (error) {
      throw refuse(`cannot be used: ${(error as Error).message}`);
    }
    throw refuse(`is not a folder: ${this.#folder}`);
  }

  async #launch(command: string, args: readonly string[]): Promise<Launch> {
    const [shell, ...options] = this.#shell ?? [];
    const name = shell ?? command;
    let file = this.#paths.get(name);
    if (file === undefined) this.#paths.set(name, (file = await programPath(name, this.#lookup)));
    const all = shell === undefined ? args : [...options, shellLine(command, args)];
    return { file, args: all, env: this.#lookup.env, cwd: this.#folder };
  }

  #demandOpen(): void {
    if (this.#isOpen) return;
    throw new Failure('connector_refused', `connector "${this.name}" is not open`, { at: { connector: this.name } });
  }
}
