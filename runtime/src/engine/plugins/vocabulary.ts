import type { ConfigurationHost, Extend, Project, Report } from '@svc/protocol/model';
import type { ConnectorSpec, Vocabulary } from '@svc/protocol/schema';
import { type Expression, literalText, parseHcl, type SyntaxTree } from '@svc/protocol/syntax';
import { type DeclaredPlugin, declaredIn, folderOf, isInPlace, pluginName } from './declared/declared.ts';
import { readSource, shownSource } from './declared/source.ts';
import { type DescribedPlugin, isPluginManifest, manifestNames, mayBeManifest, readManifest } from './manifest.ts';
import type { ConnectorModel, PluginModel } from './model.ts';

/** What a vocabulary was extended by, and the problems of the manifests. */
interface Extended {
  readonly vocabulary: Vocabulary;
  readonly plugins: readonly DescribedPlugin[];
  readonly problems: readonly Parameters<Report>[];
}

const plugins = new WeakMap<Vocabulary, readonly PluginModel[]>();
const models = new WeakMap<ConnectorSpec, ConnectorModel>();

/** Of each vocabulary, what it was extended to, by what extended it; the last ones. */
const made = new WeakMap<Vocabulary, Map<string, Extended>>();
const mostMade = 20;

/** The plugins of a configuration that was read with this vocabulary. */
export function pluginsOf(vocabulary: Vocabulary): readonly PluginModel[] {
  return plugins.get(vocabulary) ?? [];
}

/** The manifests of a project, relative to its directory. */
export function manifestFiles({ vocabulary }: Pick<Project, 'vocabulary'>): readonly string[] {
  return pluginsOf(vocabulary).map(({ manifest }) => manifest);
}

/** The module behind a type of connectors; undefined for types that are built in. */
export function connectorModelOf(spec: ConnectorSpec): ConnectorModel | undefined {
  return models.get(spec);
}

/** Finds the plugins that files declare, reads their manifests and adds what these provide. */
export const withPlugins: Extend = (all, vocabulary, host, report) => {
  const manifests = all.filter((tree) => mayBeManifest(tree.text) && isPluginManifest(tree));
  const trees = manifests.length === 0 ? all : all.filter((tree) => !manifests.includes(tree));
  const found = trees.flatMap(declaredIn).flatMap((declaration): Found[] => {
    // What is wrong with these is said where their blocks are checked.
    if ('problem' in readSource(declaration.source) || (!isInPlace(declaration) && !pluginName.test(declaration.name)))
      return [];
    const folder = folderOf(declaration, host.env);
    const tree = findManifest(folder, manifests, host);
    if (typeof tree !== 'string') return [{ ...declaration, folder, tree }];
    const { name, source, sourceOrigin } = declaration;
    if (isInPlace(declaration))
      report('missing-plugin', `there is no plugin at ${source}: ${tree}`, sourceOrigin, {
        help: `Name the folder that holds ${manifestNames[0]}.`,
      });
    else
      report('missing-plugin', `plugin "${name}" (${shownSource(source)}) is not installed`, sourceOrigin, {
        help: 'Run "svc plugin install"; "svc start" does it too.',
      });
    return [];
  });
  const written = trees.flatMap(functionsIn);
  if (found.length === 0) return { vocabulary, trees, expressionFunctions: written };
  const known = made.get(vocabulary) ?? new Map<string, Extended>();
  made.set(vocabulary, known);
  const key = JSON.stringify(
    found.map(({ name, folder, tree }) => [name, folder, host.absolutePath(folder), tree.file, tree.text]),
  );
  let extended = known.get(key);
  if (extended === undefined) {
    extended = extend(found, vocabulary, host);
    known.set(key, extended);
    if (known.size > mostMade) known.delete(known.keys().next().value as string);
  }
  for (const problem of extended.problems) report(...problem);
  for (const { plugin, ownName } of extended.plugins) {
    const declaration = found.find(({ name }) => name === plugin.name);
    if (ownName !== plugin.name && declaration !== undefined)
      report(
        'wrong-plugin',
        `the plugin at ${shownSource(declaration.source)} is named "${ownName}", not "${plugin.name}"`,
        declaration.nameOrigin,
        { help: `Write plugin "${ownName}".` },
      );
  }
  const provided = extended.plugins.flatMap(({ plugin }) => plugin.functions.map(({ name }) => name));
  return { vocabulary: extended.vocabulary, trees, expressionFunctions: [...written, ...provided] };
};

function extend(found: readonly Found[], vocabulary: Vocabulary, host: ConfigurationHost): Extended {
  const problems: Parameters<Report>[] = [];
  const report: Report = (...problem) => void problems.push(problem);
  const described = found.flatMap((each) => {
    problems.push(
      ...each.tree.diagnostics.map(
        ({ code, message, file, range, help }): Parameters<Report> => [code, message, { file, range }, { help }],
      ),
    );
    return readManifest(each.tree, { name: each.name, source: each.folder }, host, report) ?? [];
  });
  const types = new Set(vocabulary.connectors.flatMap(({ type, typeAliases }) => [type, ...typeAliases]));
  const specs: ConnectorSpec[] = [];
  for (const { plugin, specs: own } of described)
    own.forEach((spec, at) => {
      const model = plugin.connectors[at] as ConnectorModel;
      if (types.has(spec.type))
        report('duplicate-name', `there is a connector type "${spec.type}" already`, model.module.origin, {
          help: 'A plugin cannot replace it: give the type another name.',
        });
      else {
        types.add(spec.type);
        specs.push(spec);
        models.set(spec, model);
      }
    });
  const names = (of: (plugin: PluginModel) => readonly { readonly name: string }[]) =>
    described.flatMap(({ plugin }) => of(plugin).map(({ name }) => name));
  const extended: Vocabulary = {
    ...vocabulary,
    connectors: [...vocabulary.connectors, ...specs],
    provided: {
      validator: names(({ validators }) => validators),
      sanitizer: names(({ sanitizers }) => sanitizers),
    },
  };
  plugins.set(
    extended,
    described.map(({ plugin }) => plugin),
  );
  return { vocabulary: extended, plugins: described, problems };
}

interface Found extends DeclaredPlugin {
  /** Where it is read from. */
  readonly folder: string;
  readonly tree: SyntaxTree;
}

/** Names of functions that the `functions` blocks of a file export. */
function functionsIn({ body }: SyntaxTree): readonly string[] {
  return body.items.flatMap((item) => {
    if (item.kind !== 'block' || item.type.text !== 'functions') return [];
    const written = item.body.items.find((one) => one.kind === 'attribute' && one.name.text === 'exports');
    const value: Expression | undefined = written?.kind === 'attribute' ? written.value : undefined;
    const items = value?.kind === 'list' ? value.items : [value];
    return items.flatMap((each) => literalText(each)?.split('(')[0]?.trim() || []);
  });
}

/** The manifest in a folder: one of the files that are read anyway, or else read now; the reason where it is missing. */
function findManifest(source: string, manifests: readonly SyntaxTree[], host: ConfigurationHost): SyntaxTree | string {
  const folder = normal(source);
  let problem = '';
  for (const name of manifestNames) {
    const path = folder === '' ? name : `${folder}/${name}`;
    const tree = manifests.find(({ file }) => file === path);
    if (tree !== undefined) return tree;
    try {
      const read = parseHcl(host.readFile(path), path);
      return isPluginManifest(read) ? read : `${path} has no plugin block beside a provides block`;
    } catch (error) {
      problem ||= error instanceof Error ? error.message : String(error);
    }
  }
  return problem;
}

/** A path without `.`, and without a folder that `..` leaves again. */
function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return (path.startsWith('/') ? '/' : '') + parts.join('/');
}
