import type { Project } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { security } from '../flow/stages/sanitize/spec.ts';
import { validator } from '../flow/stages/validate/spec.ts';
import { functionsOf } from './manifest.ts';
import type { FunctionModel, Limits, ModuleUse, SanitizerModel, ValidatorModel } from './model.ts';
import { functions, plugin } from './spec.ts';
import { connectorModelOf, pluginsOf } from './vocabulary.ts';

/** Everything that modules do for a configuration. */
export interface ProjectModules {
  readonly functions: readonly FunctionModel[];
  readonly validators: ReadonlyMap<string, ValidatorModel>;
  readonly sanitizers: readonly SanitizerModel[];
  /** Every module that is used, those of connectors and of plugins included; one of several blocks for each of them. */
  readonly uses: readonly ModuleUse[];
}

/** Limits of a block, whichever it is. */
export function limitsOf({ timeout, max_memory_mb, max_bytes, instances }: Limits): Limits {
  return { timeout, max_memory_mb, max_bytes, instances };
}

const known = new WeakMap<Project, ProjectModules>();

/** The modules of a project, those of its plugins included. */
export function modulesOf(project: Project): ProjectModules {
  let found = known.get(project);
  if (found === undefined) known.set(project, (found = findModules(project)));
  return found;
}

/** The limits of a module: its own, or those of the plugin that it belongs to. */
export function limitsOfUse(project: Project, use: ModuleUse): Limits {
  if (use.limits !== undefined) return use.limits;
  const declared = project.all('plugin', plugin).find(({ name }) => name === use.plugin);
  return declared === undefined
    ? { timeout: 1_000, max_memory_mb: 64, max_bytes: 1_048_576, instances: 1 }
    : limitsOf(declared.values);
}

function findModules(project: Project): ProjectModules {
  const plugins = pluginsOf(project.vocabulary);
  const own = project.all('functions', functions).flatMap(({ name, values }) =>
    functionsOf(values, (entries) => ({
      title: `functions "${name}"`,
      name,
      path: values.wasm ?? '',
      folder: undefined,
      abi: values.abi,
      limits: limitsOf(values),
      plugin: undefined,
      origin: originOf(values, 'wasm'),
      entries,
    })),
  );
  const validators = project.all('validator', validator).flatMap(({ name, values }): ValidatorModel[] => {
    if (values.type !== 'wasm' || values.wasm === undefined) return [];
    const entry = values.entrypoint ?? 'validate';
    const module: ModuleUse = {
      title: `validator "${name}"`,
      name: `validator ${name}`,
      path: values.wasm,
      folder: undefined,
      abi: 'length-prefixed',
      limits: limitsOf(values),
      plugin: undefined,
      origin: originOf(values, 'wasm'),
      entries: [{ name: entry, kind: 'flag' }],
    };
    return [{ name, entry, message: values.message, module }];
  });
  const sanitizers = (project.one('security', security)?.sanitizer ?? []).flatMap((values): SanitizerModel[] => {
    if (values.wasm === undefined) return [];
    const module: ModuleUse = {
      title: `sanitizer "${values.label}"`,
      name: `sanitizer ${values.label}`,
      path: values.wasm,
      folder: undefined,
      abi: values.abi,
      limits: limitsOf(values),
      plugin: undefined,
      origin: originOf(values, 'wasm'),
      entries: [{ name: values.entrypoint, kind: 'json' }],
    };
    return [{ name: values.label, entry: values.entrypoint, flows: values.apply_to, fields: values.fields, module }];
  });
  const all = {
    functions: [...own, ...plugins.flatMap((each) => each.functions)],
    validators: new Map(
      [...plugins.flatMap((each) => each.validators), ...validators].map((each) => [each.name, each]),
    ),
    sanitizers: [...plugins.flatMap((each) => each.sanitizers), ...sanitizers],
  };
  const connectors = [...project.connectors.values()]
    .flatMap(({ spec, profiles }) => [spec, ...[...profiles.values()].map((profile) => profile.spec)])
    .flatMap((spec) => (spec === undefined ? [] : (connectorModelOf(spec)?.module ?? [])));
  const uses = [
    ...all.functions.map(({ module }) => module),
    ...[...all.validators.values()].map(({ module }) => module),
    ...all.sanitizers.map(({ module }) => module),
    // Those of types that no connector has yet are looked at too.
    ...plugins.flatMap((each) => each.connectors.map(({ module }) => module)),
    ...connectors,
  ];
  return { ...all, uses: [...new Set(uses)] };
}
