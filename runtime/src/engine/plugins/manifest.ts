import { type ConfigurationHost, decodeProject, type Report } from '@svc/protocol/model';
import { type ConnectorSpec, originOf } from '@svc/protocol/schema';
import type { SyntaxTree } from '@svc/protocol/syntax';
import { connectorSpec } from './connector-spec.ts';
import { manifestPlugin, manifestProvides, manifestVocabulary } from './manifest-spec.ts';
import { functionModels, type ModuleUse, type PluginModel } from './model.ts';

/** Names of the file that describes a plugin, in its folder. */
export const manifestNames = ['plugin.hcl', 'plugin.mycel'] as const;

/** Keeps all other files from being looked at twice. */
export function mayBeManifest(text: string): boolean {
  return /^\s*provides\b/m.test(text) && /^\s*plugin\b/m.test(text);
}

/**
 * Whether a file describes a plugin: it holds a `plugin` block without label and a `provides` block. Such a
 * file is not configuration, wherever it is.
 */
export function isPluginManifest({ body }: SyntaxTree): boolean {
  const blocks = body.items.filter((item) => item.kind === 'block');
  return (
    blocks.some(({ type, labels }) => type.text === 'plugin' && labels.length === 0) &&
    blocks.some(({ type }) => type.text === 'provides')
  );
}

/** Which plugin is declared, and where it is. */
export interface PluginPlace {
  readonly name: string;
  /** The folder as it is written. */
  readonly source: string;
}

/** A plugin, and the types of connectors that it adds. */
export interface DescribedPlugin {
  readonly plugin: PluginModel;
  /** As its manifest names it. */
  readonly ownName: string;
  readonly specs: readonly ConnectorSpec[];
}

/** What a manifest says; problems are reported in it. Undefined where it does not say what it describes. */
export function readManifest(
  tree: SyntaxTree,
  { name, source }: PluginPlace,
  host: ConfigurationHost,
  report: Report,
): DescribedPlugin | undefined {
  const decoded = decodeProject(
    [tree],
    { vocabulary: manifestVocabulary, host: bare(host), expressionFunctions: [] },
    [],
  );
  for (const { code, message, severity, range, help } of decoded.diagnostics)
    report(code, message, { file: tree.file, range }, { severity, help });
  const about = decoded.one('plugin', manifestPlugin);
  const provides = decoded.one('provides', manifestProvides);
  if (about?.name === undefined || provides === undefined) return undefined;
  const title = `plugin "${name}"`;
  const use = (
    values: object,
    wasm: string | undefined,
    rest: Pick<ModuleUse, 'entries'> & { readonly abi?: ModuleUse['abi'] },
  ): ModuleUse => {
    const origin = originOf(values as never, 'wasm');
    const inside = insideOf(wasm ?? '');
    if (inside === undefined)
      report('outside-plugin', `the module ${wasm} is not in the folder of the plugin`, origin, {
        help: 'Name a file of the folder, such as "geo.wasm".',
      });
    const path = `${source.replace(/\/+$/, '')}/${inside ?? ''}`;
    return {
      title: `${title}: ${wasm}`,
      name: `${name}/${inside ?? ''}`,
      path,
      absolute: host.absolutePath(path),
      folder: source,
      abi: 'length-prefixed',
      limits: undefined,
      plugin: name,
      origin,
      ...rest,
    };
  };
  const icon = iconOf(about, tree.file, report);
  const specs: ConnectorSpec[] = [];
  const connectors = provides.connector.map((each) => {
    specs.push(
      connectorSpec({ type: each.label, description: each.description, icon: icon?.path }, each.config?.fields, report),
    );
    const entries = ['init', 'read', 'write', 'call', 'health', 'close'].map((entry) => ({
      name: entry,
      kind: 'json' as const,
      optional: true as const,
    }));
    return { type: each.label, module: use(each, each.wasm, { abi: each.abi, entries }) };
  });
  const functions = provides.functions;
  const exported = new Set((functions?.exports ?? []).map((text) => text.split('(')[0]?.trim()));
  for (const each of functions?.deterministic ?? [])
    if (!exported.has(each))
      report(
        'unknown-function',
        `deterministic names ${each}, which is not among exports`,
        originOf(functions as never, 'deterministic'),
        {
          help: `These are: ${[...exported].join(', ')}.`,
        },
      );
  const plugin: PluginModel = {
    name,
    version: about.version ?? '',
    description: about.description,
    source,
    manifest: tree.file,
    icon,
    connectors,
    functions:
      functions === undefined
        ? []
        : functionsOf(functions, (entries) => use(functions, functions.wasm, { abi: functions.abi, entries })),
    validators: provides.validator.map((each) => {
      const entry = each.entrypoint ?? `validate_${each.label}`;
      const module = use(each, each.wasm, { entries: [{ name: entry, kind: 'flag' }] });
      return { name: each.label, entry, message: each.message, module };
    }),
    sanitizers: provides.sanitizer.map((each) => ({
      name: each.label,
      entry: each.entrypoint,
      flows: each.apply_to,
      fields: each.fields,
      module: use(each, each.wasm, { abi: each.abi, entries: [{ name: each.entrypoint, kind: 'json' }] }),
    })),
  };
  return { plugin, ownName: about.name, specs };
}

/** The icon that a manifest names, beside it. */
function iconOf(about: { readonly icon?: string | undefined }, manifest: string, report: Report): PluginModel['icon'] {
  if (about.icon === undefined) return undefined;
  const origin = originOf(about as never, 'icon');
  const inside = insideOf(about.icon);
  if (inside !== undefined) return { path: `${manifest.slice(0, manifest.lastIndexOf('/') + 1)}${inside}`, origin };
  report('outside-plugin', `the icon ${about.icon} is not in the folder of the plugin`, origin, {
    help: 'Name a file of the folder, such as "icon.svg".',
  });
  return undefined;
}

interface WrittenFunctions {
  readonly exports: readonly string[];
  readonly deterministic?: readonly string[] | undefined;
}

/** The functions of a block, with the module that has them. */
export function functionsOf(
  values: WrittenFunctions,
  use: (entries: ModuleUse['entries']) => ModuleUse,
): PluginModel['functions'] {
  const names = (values.exports ?? []).map((text) => ({
    name: text.split('(')[0]?.trim() ?? '',
    kind: 'json' as const,
  }));
  const origin = originOf(values as never, 'exports');
  return functionModels(values.exports ?? [], values.deterministic ?? [], use(names), origin);
}

/** The path below a folder with `/`; undefined where it leads out of it, on any system. */
function insideOf(path: string): string | undefined {
  if (path === '' || /[\\\0:]/.test(path) || path.startsWith('/')) return undefined;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length === 0 || parts.includes('..') ? undefined : parts.join('/');
}

/** A manifest may be the work of another maker: it reads neither variables nor files of the service. */
function bare({ absolutePath }: ConfigurationHost): ConfigurationHost {
  return {
    env: () => undefined,
    readFile: () => {
      throw new Error('a manifest reads no file');
    },
    absolutePath,
  };
}
