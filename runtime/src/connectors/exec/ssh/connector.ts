import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Values } from '@svc/protocol/schema';
import type { Connector, ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import type { CallDescription, Execute, Target } from '../../../foundation/contracts/target.ts';
import { largestGiven, regularFile } from '../../../foundation/disk/regular-file.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { temporaryFolder } from '../../../platform/content/temporary.ts';
import { environmentOf } from '../../../platform/processes/environment.ts';
import { programPath } from '../../../platform/processes/lookup.ts';
import { type Launch, Program } from '../../../platform/processes/program.ts';
import { Runner } from '../../../platform/processes/runner.ts';
import { afterMark } from '../after-mark.ts';
import { prepareCall } from '../call.ts';
import type { Engine } from '../engine.ts';
import { shellLine, shellWords } from '../quoting.ts';
import { clientArguments } from './client-options.ts';
import { sshFailure } from './failure.ts';
import { lookupScript, mark, remoteScript, variablesLine } from './script.ts';
import type { execSsh } from './spec.ts';

type Config = Values<(typeof execSsh)['config']>;

/** Makes a connector that runs programs of another machine. */
export const create: Factory<typeof execSsh> = (name, config, services) => new SshExec(name, config, services);

class SshExec implements Connector, Target {
  readonly name: string;
  readonly target: Target = this;
  readonly #config: Config;
  readonly #services: ConnectorServices;
  readonly #shell: readonly string[] | undefined;
  readonly #env: Readonly<Record<string, string>>;
  readonly #engine: Engine;
  /** Commands that calls will ask for. */
  readonly #commands = new Set<string>();
  /** The program `ssh`; undefined while the connector is not open. */
  #client: string | undefined;
  /** Folder with the key of a host that is in no file. */
  #folder: string | undefined;
  #isOpen = false;

  constructor(name: string, config: Config, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    this.#shell = shellWords(config.shell);
    this.#env = environmentOf({ inherit: ['SSH_AUTH_SOCK'] });
    this.#commands.add(config.command);
    const { max_processes: mostProcesses, max_waiting: mostWaiting, ssh } = config;
    this.#engine = {
      connector: name,
      config,
      runner: new Runner({ connector: name, mostProcesses, mostWaiting }),
      log: services.log,
      demandOpen: () => this.#demandOpen(),
      uses: (command) => void this.#commands.add(command),
      launch: async (command, args) => this.#launch(this.#script(command, args)),
      opening: { mark, answer: variablesLine(config.env?.fields ?? []) },
      failed: (exit, stderr, hasBegun) => sshFailure(ssh.host, exit, stderr, hasBegun),
    };
  }

  /** Resolves when the other machine has let in, and has every program that the configuration names. */
  async open(signal: AbortSignal): Promise<void> {
    if (this.#isOpen) return;
    const { key_file: keyFile, known_hosts: knownHosts } = this.#config.ssh;
    for (const file of [keyFile, knownHosts]) if (file !== undefined) await this.#checkFile(file);
    this.#client = await programPath('ssh', {
      env: this.#env,
      directory: this.#services.directory,
      warn: () => undefined,
    });
    this.#folder ??= await temporaryFolder('svc-ssh-');
    try {
      await this.#findAll(signal);
      this.#isOpen = true;
    } catch (error) {
      await this.#removeFolder();
      throw error;
    }
  }

  async close(cut?: AbortSignal): Promise<void> {
    this.#isOpen = false;
    await this.#engine.runner.drain(cut);
    await this.#removeFolder();
  }

  async check(signal: AbortSignal): Promise<void> {
    this.#demandOpen();
    await this.#findAll(signal);
  }

  prepare(call: CallDescription): Execute {
    return prepareCall(this.#engine, call);
  }

  /** Asks the other machine for every program. Rejects with a Failure. */
  async #findAll(signal: AbortSignal): Promise<void> {
    const { kill_after: killAfter, ssh, timeout } = this.#config;
    const names = this.#shell === undefined ? [...this.#commands] : [this.#shell[0] as string];
    const options = { killAfter, maxStderr: 4096 };
    const missing = await this.#engine.runner.run(signal, timeout, async (stop) => {
      const program = new Program(this.#launch(lookupScript(names)), { ...options, stop });
      program.stdin.end();
      const answer = (async () => {
        let hasBegun = false;
        const pieces: Buffer[] = [];
        const begun = () => {
          hasBegun = true;
        };
        for await (const piece of afterMark(program.output(), mark, begun)) pieces.push(piece);
        const failure = sshFailure(ssh.host, await program.exit, program.stderr, hasBegun);
        if (failure !== undefined) throw failure;
        return Buffer.concat(pieces).toString().split('\n').filter(Boolean);
      })();
      return { answer, gone: program.gone };
    });
    if (missing.length === 0) return;
    throw new Failure(
      'connector_refused',
      `${ssh.host} has no program ${missing.map((each) => `"${each}"`).join(', ')}`,
    );
  }

  #script(command: string, args: readonly string[]): string {
    const { working_dir: folder, kill_after: killAfter } = this.#config;
    const words = this.#shell === undefined ? [command, ...args] : [...this.#shell, shellLine(command, args)];
    return remoteScript({ words, folder, killAfter: Math.ceil(killAfter / 1000) });
  }

  #launch(script: string): Launch {
    const { host, port, user, key_file: keyFile, known_hosts: knownHosts } = this.#config.ssh;
    const { directory } = this.#services;
    const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(directory, path));
    const place = {
      host,
      port,
      user,
      keyFile: absolute(keyFile),
      knownHosts: absolute(knownHosts),
      pinned: join(this.#folder ?? tmpdir(), 'known_hosts'),
      connectTimeout: this.#config.timeout,
    };
    return { file: this.#client ?? 'ssh', args: clientArguments(place, script), env: this.#env, cwd: directory };
  }

  async #checkFile(written: string): Promise<void> {
    const path = resolve(this.#services.directory, written);
    try {
      await regularFile(path, largestGiven);
    } catch (error) {
      throw new Failure('connector_refused', `${path} cannot be read: ${(error as Error).message}`);
    }
  }

  async #removeFolder(): Promise<void> {
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }

  #demandOpen(): void {
    if (this.#isOpen) return;
    throw new Failure('connector_refused', `connector "${this.name}" is not open`, { at: { connector: this.name } });
  }
}
