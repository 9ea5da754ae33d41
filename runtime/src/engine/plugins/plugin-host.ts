import { type FunctionImplementation, toJson } from '@svc/protocol/cel';
import type { Project } from '@svc/protocol/model';
import type { PlanModules, RunningModule, UsedPlugin } from '../../foundation/contracts/modules.ts';
import type { PlanServices } from '../../foundation/contracts/plan.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { exactJson } from '../../platform/formats/exact-json.ts';
import { compileGlob } from '../flow/aspects/glob.ts';
import type { FlowSanitizer } from '../flow/stages/sanitize/flow-sanitizer.ts';
import type { ValidatorCheck } from '../flow/stages/validate/constraints.ts';
import { declaredIn, isInPlace } from './declared/declared.ts';
import { boundFunctions } from './functions.ts';
import { fileStamp } from './host/module-file.ts';
import { ModuleHost } from './host/module-host.ts';
import { SaidError } from './host/module-pool.ts';
import type { Lock } from './install/lock.ts';
import { lockOf } from './install/state.ts';
import type { ModuleUse, SanitizerModel } from './model.ts';
import { limitsOfUse, modulesOf } from './modules.ts';
import { pluginsOf } from './vocabulary.ts';

/** The modules that run for one generation of a service; those whose file and block are unchanged outlive it. */
export class PluginHost implements PlanModules {
  readonly #project: Project;
  readonly #services: PlanServices;
  readonly #hosts = new Map<ModuleUse, ModuleHost>();
  readonly functions: readonly FunctionImplementation[];
  /** What is installed, as it was when this generation began. */
  readonly #lock: Promise<Lock>;

  /** Every module is asked for now, so that the service starts with it, or does not start. */
  constructor(project: Project, services: PlanServices) {
    this.#project = project;
    this.#services = services;
    this.#lock = installedOf(project, services.directory);
    const { functions, validators, sanitizers } = modulesOf(project);
    for (const { module } of [...functions, ...validators.values(), ...sanitizers]) this.#host(module);
    this.functions = boundFunctions(project, async ({ name, module }, args) => {
      const answer = await this.#host(module).call(name, 'json', jsonText({ args }));
      return isObject(answer) && Object.hasOwn(answer, 'result') ? answer['result'] : answer;
    });
  }

  /** The check of a validator that is a module; undefined for others. */
  validator(name: string): ValidatorCheck | undefined {
    const model = modulesOf(this.#project).validators.get(name);
    if (model === undefined) return undefined;
    const host = this.#host(model.module);
    return {
      message: model.message ?? `is refused by the validator "${name}"`,
      holds: () => false,
      holdsLater: async (value) => (await host.call(model.entry, 'flag', jsonText({ value }))) === true,
    };
  }

  /** The sanitizers of a flow: those that its `security` block names, or those that name the flow. */
  sanitizers(flow: string, named: readonly string[] | undefined): readonly FlowSanitizer[] {
    const all = modulesOf(this.#project).sanitizers;
    const chosen =
      named === undefined
        ? all.filter((each) => isMeant(each, flow))
        : named.flatMap((name) => all.find((each) => each.name === name) ?? []);
    return chosen.map(({ name, entry, fields, module }) => {
      const host = this.#host(module);
      return { name, fields, run: (value) => sanitized(name, () => host.call(entry, 'json', exactJson(value))) };
    });
  }

  async plugins(): Promise<readonly UsedPlugin[]> {
    const lock = await this.#lock;
    const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);
    return pluginsOf(this.#project.vocabulary).map((each) => ({
      name: each.name,
      version: each.version,
      description: each.description,
      source: each.source,
      manifest: each.manifest,
      icon: each.icon?.path,
      hash: lock.get(each.name)?.sha256,
      connectors: each.connectors.map(({ type }) => type),
      functions: names(each.functions),
      validators: names(each.validators),
      sanitizers: names(each.sanitizers),
    }));
  }

  running(): readonly RunningModule[] {
    const { functions, validators, sanitizers } = modulesOf(this.#project);
    const found = new Map<ModuleUse, Pick<RunningModule, 'kind'> & { readonly serves: string[] }>();
    const note = (module: ModuleUse, kind: RunningModule['kind'], name: string) => {
      const known = found.get(module);
      if (known === undefined) found.set(module, { kind, serves: [name] });
      else known.serves.push(name);
    };
    for (const { module, name } of functions) note(module, 'functions', name);
    for (const { module, name } of validators.values()) note(module, 'validator', name);
    for (const { module, name } of sanitizers) note(module, 'sanitizer', name);
    return [...found].map(([module, use]) => this.#host(module).running(use));
  }

  #host(use: ModuleUse): ModuleHost {
    let host = this.#hosts.get(use);
    if (host === undefined) {
      const { directory, log, families, share } = this.#services;
      const limits = limitsOfUse(this.#project, use);
      const key = `module ${JSON.stringify([use.name, use.path, use.abi, use.entries, limits])} ${fileStamp(use, directory)}`;
      host = share(key, () => new ModuleHost(use, limits, { directory, log, families }));
      this.#hosts.set(use, host);
    }
    return host;
  }
}

/** What the lock says of the plugins that are installed; those that are used in place are not among them. */
async function installedOf(project: Project, directory: string): Promise<Lock> {
  const names = project.files.flatMap(declaredIn).flatMap((each) => (isInPlace(each) ? [] : [each.name]));
  if (names.length === 0) return new Map();
  const lock = await lockOf(directory).catch((): Lock => new Map());
  return new Map([...lock].filter(([name]) => names.includes(name)));
}

/** What a sanitizer refuses is the fault of the caller; that it fails is not, and refuses the message too. */
async function sanitized(name: string, call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Failure && error.cause instanceof SaidError)
      throw new Failure('input_refused', `the message is refused by the sanitizer "${name}": ${error.cause.message}`);
    throw error;
  }
}

function isMeant({ flows }: SanitizerModel, flow: string): boolean {
  if (flows === undefined) return true;
  return flows.some((pattern) => {
    const glob = compileGlob(pattern);
    // A malformed one was refused; a message must not pass because of it.
    return 'problem' in glob || glob.matches(flow);
  });
}

function jsonText(value: unknown): string {
  return JSON.stringify(toJson(value)) ?? 'null';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
