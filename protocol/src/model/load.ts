import type { BlockSpec, ConnectorSpec, Values, Vocabulary } from '../schema/index.ts';
import { parseHcl, type SyntaxTree } from '../syntax/index.ts';
import { closest, type DecodedText, type Diagnostic } from '../text/index.ts';
import { decodeConnectors } from './connectors.ts';
import { isDamaged, withoutConsequences } from './consequences.ts';
import { decodeBlock, decodeBody } from './decode.ts';
import type { DecodeContext, Link } from './decode-context.ts';
import { refuseEqualNames } from './equal-names.ts';
import { collectConstants } from './evaluation/constants.ts';
import type { ConfigurationHost } from './host.ts';
import { isAttribute, isBlock, itemsOf, overlay, place, type SourcedBlock, type SourcedItem } from './items.ts';
import { checkLinks } from './link.ts';
import { DecodeMemory } from './memory.ts';
import type { ConnectorDeclaration, Declaration, Project } from './project.ts';
import type { Remember } from './remember.ts';
import { type Report, reportTo } from './report.ts';

/** One file of a configuration. `path` is relative to the configuration directory, with `/`. */
export interface ConfigurationFile extends DecodedText {
  readonly path: string;
}

export interface LoadOptions {
  readonly vocabulary: Vocabulary;
  readonly host: ConfigurationHost;
  /** Functions whose call makes a plain text of an argument an expression. */
  readonly expressionFunctions: Iterable<string>;
  /** Absent: the files add nothing. */
  readonly extend?: Extend | undefined;
}

/** What the files add to the language that they are written in: types of connectors, names of other makers. */
export interface Extension {
  readonly vocabulary: Vocabulary;
  /** The files that are configuration: those that describe an addition are not. */
  readonly trees: readonly SyntaxTree[];
  /** Functions whose call makes a plain text of an argument an expression, beside those of the options. */
  readonly expressionFunctions: readonly string[];
}

/** Finds it before anything is decoded. The same files give the same vocabulary. */
export type Extend = (
  trees: readonly SyntaxTree[],
  vocabulary: Vocabulary,
  host: ConfigurationHost,
  report: Report,
) => Extension;

/** A pure check over a decoded project, such as one that spans blocks. */
export type ProjectRule = (project: Project, report: Report) => void;

/** Reads files to a project with all its problems. Never throws on what the files say. */
export function loadProject(
  files: readonly ConfigurationFile[],
  options: LoadOptions,
  rules: readonly ProjectRule[] = [],
): Project {
  const trees = [...files]
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
    .map(({ path, text, unreadable }) => parseHcl(text, path, unreadable));
  return decodeProject(trees, options, rules);
}

/** The second half of `loadProject`, for callers that keep trees, and the memory of what their blocks meant. */
export function decodeProject(
  all: readonly SyntaxTree[],
  options: LoadOptions,
  rules: readonly ProjectRule[],
  memory: DecodeMemory = new DecodeMemory(),
): Project {
  const host = memory.secrets.watch(options.host);
  const diagnostics: Diagnostic[] = all.flatMap((tree) => tree.diagnostics);
  const report = reportTo(diagnostics);
  const { extend } = options;
  const extended = extend && !isDamaged(all) ? extend(all, options.vocabulary, host, report) : undefined;
  const { vocabulary, trees, expressionFunctions } = extended ?? { ...options, trees: all, expressionFunctions: [] };
  const roots = sortRoots(trees, vocabulary, report);
  const constants = collectConstants(roots.get('constants') ?? [], host, report);
  const definitions = findDefinitions(roots, vocabulary);
  // What a damaged text holds twice, or in two versions, may be one thing.
  const acrossBlocks: Report = isDamaged(trees) ? () => undefined : report;
  const links: Link[] = [];
  const context: DecodeContext = {
    host,
    variables: { constants: constants.forFiles },
    report,
    links,
    expressionFunctions: new Set([...options.expressionFunctions, ...expressionFunctions]),
    definition: (word, name) => definitions.get(word)?.get(name),
    definitionNames: (word) => [...(definitions.get(word)?.keys() ?? [])],
    connector: (name) => {
      const declared = connectors.get(name);
      return declared && specsOf(declared);
    },
    connectors: vocabulary.connectors,
  };

  memory.begin(tokenOf(constants.forFiles, definitions, expressionFunctions), vocabulary);
  const remember: Remember = (block, work) => memory.decode(block, context, diagnostics, links, work);

  // Before everything else, wherever they are written: what other blocks may say depends on the connectors they name.
  const connectors = memory.sameConnectors(
    decodeConnectors(roots.get('connector') ?? [], vocabulary, acrossBlocks, remember),
  );
  const declarations = new Map<string, readonly Declaration<Values<BlockSpec>>[]>();
  const singles = new Map<string, Values<BlockSpec>>();
  for (const [word, spec] of Object.entries(vocabulary.blocks)) {
    const blocks = roots.get(word) ?? [];
    if (blocks.length === 0 || word === 'constants') continue;
    if (spec.label) declarations.set(word, decodeNamed(word, spec, blocks, acrossBlocks, remember));
    else singles.set(word, decodeSingle(word, spec, blocks, context));
  }
  const project: Project = {
    vocabulary,
    files: trees,
    diagnostics,
    connectors,
    hostTexts: memory.secrets.texts,
    constants: constants.forExpressions,
    // The vocabulary holds the very specs that callers pass, so the decoded values have their type.
    all: <S extends BlockSpec>(word: string) => (declarations.get(word) ?? []) as readonly Declaration<Values<S>>[],
    one: <S extends BlockSpec>(word: string) => singles.get(word) as Values<S> | undefined,
  };
  if (!isDamaged(trees)) {
    checkLinks(links, project, definitions, report);
    for (const rule of rules) rule(project, report);
  }
  const kept = withoutConsequences(diagnostics, trees);
  if (kept.length < diagnostics.length) diagnostics.splice(0, diagnostics.length, ...kept);
  for (const [at, diagnostic] of diagnostics.entries()) diagnostics[at] = memory.secrets.clean(diagnostic);
  sortDiagnostics(diagnostics);
  removeRepeats(diagnostics);
  return project;
}

/** What a connector acts by: its own spec, or those of its profiles. */
export function specsOf({ spec, profiles }: ConnectorDeclaration): readonly ConnectorSpec[] {
  if (spec) return [spec];
  return [...profiles.values()].flatMap((profile) => specsOf(profile));
}

/** Root blocks by word; what may not be at the root is reported. */
function sortRoots(trees: readonly SyntaxTree[], vocabulary: Vocabulary, report: Report): Map<string, SourcedBlock[]> {
  const roots = new Map<string, SourcedBlock[]>();
  const known = new Set([...Object.keys(vocabulary.blocks), 'connector']);
  for (const tree of trees)
    for (const item of tree.body.items) {
      const sourced: SourcedItem = { item, file: tree.file, text: tree.text };
      if (!isBlock(sourced)) {
        if (isAttribute(sourced))
          report(
            'attribute-at-root',
            `the attribute ${sourced.item.name.text} is outside of any block`,
            place(sourced, sourced.item.name),
            {
              help: 'Move it into a block.',
            },
          );
        continue;
      }
      const word = sourced.item.type.text;
      const at = place(sourced, sourced.item.type);
      if (known.has(word)) {
        const blocks = roots.get(word);
        if (blocks) blocks.push(sourced);
        else roots.set(word, [sourced]);
      } else if (vocabulary.unavailable.blocks.includes(word))
        report('not-available', `block "${word}" is not available in this version`, at, {
          help: vocabulary.unavailable.help?.[word] ?? 'Remove the block.',
        });
      else {
        const near = closest(word, known);
        report('unknown-block', `there is no block "${word}"`, at, {
          help: near ? `Did you mean "${near}"?` : `These exist: ${[...known].sort().join(', ')}.`,
          ...(near ? { fix: { title: `Change to "${near}"`, edits: [{ range: at.range, text: near }] } } : {}),
        });
      }
    }
  return roots;
}

/** Bodies of reusable definitions by word and name. */
function findDefinitions(
  roots: ReadonlyMap<string, readonly SourcedBlock[]>,
  vocabulary: Vocabulary,
): Map<string, Map<string, readonly SourcedItem[]>> {
  const found = new Map<string, Map<string, readonly SourcedItem[]>>();
  for (const [word, blocks] of roots) {
    if (!vocabulary.blocks[word]?.reusable) continue;
    const byName = new Map<string, readonly SourcedItem[]>();
    for (const sourced of blocks) {
      const name = sourced.item.labels[0]?.text;
      if (name === undefined || byName.has(name)) continue;
      const definition = `${word} "${name}"`;
      byName.set(
        name,
        itemsOf(sourced).map((item) => ({ ...item, definition })),
      );
    }
    found.set(word, byName);
  }
  return found;
}

function decodeNamed(
  word: string,
  spec: BlockSpec,
  blocks: readonly SourcedBlock[],
  report: Report,
  remember: Remember,
): readonly Declaration<Values<BlockSpec>>[] {
  refuseEqualNames(word, blocks, report);
  return blocks.map((sourced) =>
    remember(sourced.item, (context) => {
      const name = sourced.item.labels[0]?.text ?? '';
      if (spec.reusable) checkDefinition(word, name, spec, sourced, context.report);
      return {
        name,
        values: decodeBlock(sourced, spec.reusable ? partial(spec) : spec, context),
        origin: place(sourced, sourced.item),
        nameOrigin: place(sourced, sourced.item.labels[0] ?? sourced.item.type),
      };
    }),
  );
}

/** Constants and definitions as text: what a block means may change with them. */
function tokenOf(
  constants: Readonly<Record<string, unknown>>,
  definitions: ReadonlyMap<string, ReadonlyMap<string, readonly SourcedItem[]>>,
  expressionFunctions: readonly string[],
): string {
  const parts = [
    ...expressionFunctions,
    JSON.stringify(constants, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)),
  ];
  for (const [word, byName] of definitions)
    for (const [name, items] of byName) {
      parts.push(word, name);
      // Problems of a definition are reported at its own place, so a moved one counts as changed.
      for (const { item, file, text } of items) parts.push(file, String(item.start), text.slice(item.start, item.end));
    }
  return parts.join('\n');
}

/** A reusable definition may leave out what the flow that uses it writes; what it must carry is checked by name. */
function partial(spec: BlockSpec): BlockSpec {
  const attributes = Object.fromEntries(
    Object.entries(spec.attributes).map(([name, attribute]) => [name, { ...attribute, required: false }]),
  );
  const blocks = Object.fromEntries(
    Object.entries(spec.blocks).map(([name, inner]) => [name, { ...inner, required: false }]),
  );
  return { ...spec, attributes, blocks, rules: [], reusable: false };
}

function checkDefinition(word: string, name: string, spec: BlockSpec, sourced: SourcedBlock, report: Report): void {
  const written = new Set(
    sourced.item.body.items.map((item) => (item.kind === 'attribute' ? item.name.text : item.type.text)),
  );
  const at = place(sourced, sourced.item.labels[0] ?? sourced.item.type);
  const use = sourced.item.body.items.find((item) => item.kind === 'attribute' && item.name.text === 'use');
  if (use)
    report('use-in-definition', `${word} "${name}" is a definition and cannot use another one`, place(sourced, use), {
      help: 'Write out what the other definition says.',
    });
  for (const need of spec.definitionNeeds)
    if (!written.has(need)) report('missing-attribute', `the definition ${word} "${name}" needs ${need}`, at);
  if (written.size === 0) report('empty-definition', `the definition ${word} "${name}" says nothing`, at);
}

/** A word without a name is one block: folded from all files when it may repeat, refused the second time when not. */
function decodeSingle(
  word: string,
  spec: BlockSpec,
  blocks: readonly SourcedBlock[],
  context: DecodeContext,
): Values<BlockSpec> {
  const [first] = blocks as [SourcedBlock, ...SourcedBlock[]];
  if (!spec.repeated)
    for (const second of blocks.slice(1))
      context.report('duplicate-block', `there may be one ${word} block`, place(second, second.item.type), {
        help: 'Write everything into one of them.',
        related: [{ message: 'the first one is here', ...place(first, first.item.type) }],
      });
  for (const { item, file } of blocks)
    for (const label of item.labels)
      context.report('extra-label', `${word} has no name`, { file, range: label }, { help: 'Remove this label.' });
  const folded = (spec.repeated ? blocks : [first])
    .map(itemsOf)
    .reduce((base, top) => overlay(base, top, spec), [] as SourcedItem[]);
  // Two attributes of one name in the same block must still be reported, which folding would hide.
  const items = blocks.length === 1 || !spec.repeated ? itemsOf(first) : folded;
  return decodeBody({ items, title: word, origin: place(first, first.item.type) }, spec, context);
}

const order = { error: 0, warning: 1, info: 2 } as const;

/** A definition that several blocks use is decoded with each of them, and says the same each time. */
function removeRepeats(diagnostics: Diagnostic[]): void {
  const seen = new Set<string>();
  let kept = 0;
  for (const one of diagnostics) {
    const key = `${one.file}\n${one.range.start}\n${one.range.end}\n${one.code}\n${one.message}`;
    if (seen.has(key)) continue;
    seen.add(key);
    diagnostics[kept++] = one;
  }
  diagnostics.length = kept;
}

function sortDiagnostics(diagnostics: Diagnostic[]): void {
  diagnostics.sort(
    (a, b) =>
      (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) ||
      a.range.start - b.range.start ||
      order[a.severity] - order[b.severity],
  );
}
