import { isAbsolute, resolve } from 'node:path';
import type { CelEngine } from '@svc/protocol/cel';
import type { ConfigurationFile, Project } from '@svc/protocol/model';
import type { Diagnostic } from '@svc/protocol/text';
import { resolveOperation } from '../../connectors/core/operations.ts';
import { flowsOf } from '../../engine/flow/declarations.ts';
import { compilePlan } from '../../engine/plan/compile.ts';
import { Expressions } from '../../engine/plan/expressions.ts';
import type { Plan } from '../../foundation/contracts/plan.ts';
import type { Variables } from '../../service/config/dotenv.ts';
import { type CheckConfigurationOptions, checkConfiguration } from '../../service/config/load.ts';
import type { FlowSource } from './message.ts';

/** The configuration under one set of variables: tests with the same variables share it. */
export interface World {
  readonly project: Project;
  readonly plan: Plan;
  readonly expressions: Expressions;
  readonly directory: string;
  readonly variables: Variables;
  /** Absolute path of a file that the configuration names. */
  pathOf(path: string): string;
  /** The connector that starts a flow. */
  sourceOf(flow: string): string | undefined;
  originOfFlow(flow: string): FlowSource;
}

export interface WorldsOptions extends Omit<CheckConfigurationOptions, 'engine'> {
  readonly files: readonly ConfigurationFile[];
  readonly engine: CelEngine;
  /** The configuration under the variables alone. */
  readonly project: Project;
}

/** Makes the worlds of tests, one for each set of variables. */
export class Worlds {
  /** The world of the variables of the process alone. */
  readonly standard: World;
  readonly #options: WorldsOptions;
  readonly #known = new Map<string, World | readonly Diagnostic[]>();

  constructor(options: WorldsOptions) {
    this.#options = options;
    this.standard = worldOf(options.project, options.variables, options);
    this.#known.set('[]', this.standard);
  }

  /** The world with these variables over those of the process; the errors when they make it invalid. */
  of(env: Readonly<Record<string, string>>): World | readonly Diagnostic[] {
    const key = JSON.stringify(Object.entries(env).sort());
    let world = this.#known.get(key);
    if (world === undefined) this.#known.set(key, (world = this.#make(env)));
    return world;
  }

  #make(env: Readonly<Record<string, string>>): World | readonly Diagnostic[] {
    const variables = { ...this.#options.variables, ...env };
    const { project, diagnostics } = checkConfiguration(this.#options.files, { ...this.#options, variables });
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    return errors.length > 0 ? errors : worldOf(project, variables, this.#options);
  }
}

function worldOf(project: Project, variables: Variables, { engine, directory }: WorldsOptions): World {
  const flows = new Map(flowsOf(project).map(({ name, values }) => [name, values.from]));
  const sourceOf = (name: string) => flows.get(name)?.connector;
  return {
    project,
    plan: compilePlan(project, { engine }),
    expressions: new Expressions(engine),
    directory,
    variables,
    pathOf: (path) => (isAbsolute(path) ? path : resolve(directory, path)),
    sourceOf,
    originOfFlow: (name) => {
      const declaration = project.connectors.get(sourceOf(name) ?? '');
      const operation = flows.get(name)?.operation;
      const named = declaration && resolveOperation(declaration, operation);
      return { spec: declaration?.spec?.source, operation: named?.operation ?? operation };
    },
  };
}
