import {
  type BlockSpec,
  type ConnectorSpec,
  chooseConnector,
  type Origin,
  type Values,
  type Vocabulary,
} from '../schema/index.ts';
import { parseHcl, type SyntaxTree } from '../syntax/index.ts';
import { closest, type Diagnostic } from '../text/index.ts';
import { collectConstants } from './constants.ts';
import { type DecodeContext, decodeBlock, decodeBody, type Link } from './decode.ts';
import { EvaluationError, evaluate } from './evaluate.ts';
import type { ConfigurationHost } from './host.ts';
import { isAttribute, isBlock, itemsOf, overlay, place, type SourcedBlock, type SourcedItem, wordOf } from './items.ts';
import { checkLinks } from './link.ts';
import type { ConnectorDeclaration, Declaration, OperationDeclaration, Project } from './project.ts';
import { type Report, reportTo } from './report.ts';

/** One file of a configuration. `path` is relative to the configuration directory, with `/`. */
export interface ConfigurationFile {
  readonly path: string;
  readonly text: string;
}

export interface LoadOptions {
  readonly vocabulary: Vocabulary;
  readonly host: ConfigurationHost;
  /** Functions whose call makes a plain text of an argument an expression. */
  readonly expressionFunctions: Iterable<string>;
}

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
    .map(({ path, text }) => parseHcl(text, path));
  return decodeProject(trees, options, rules);
}

/** The second half of `loadProject`, for callers that keep trees. */
export function decodeProject(
  trees: readonly SyntaxTree[],
  options: LoadOptions,
  rules: readonly ProjectRule[],
): Project {
  const { vocabulary, host } = options;
  const diagnostics: Diagnostic[] = trees.flatMap((tree) => tree.diagnostics);
  const report = reportTo(diagnostics);
  const roots = sortRoots(trees, vocabulary, report);
  const constants = collectConstants(roots.get('constants') ?? [], host, report);
  const definitions = findDefinitions(roots, vocabulary);
  const links: Link[] = [];
  const context: DecodeContext = {
    host,
    variables: { constants: constants.forFiles },
    report,
    links,
    expressionFunctions: new Set(options.expressionFunctions),
    definition: (word, name) => definitions.get(word)?.get(name),
    definitionNames: (word) => [...(definitions.get(word)?.keys() ?? [])],
  };

  const declarations = new Map<string, readonly Declaration<Values<BlockSpec>>[]>();
  const singles = new Map<string, Values<BlockSpec>>();
  for (const [word, spec] of Object.entries(vocabulary.blocks)) {
    const blocks = roots.get(word) ?? [];
    if (blocks.length === 0 || word === 'constants') continue;
    if (spec.label) declarations.set(word, decodeNamed(word, spec, blocks, context));
    else singles.set(word, decodeSingle(word, spec, blocks, context));
  }
  const connectors = decodeConnectors(roots.get('connector') ?? [], vocabulary, context);
  const project: Project = {
    vocabulary,
    files: trees,
    diagnostics,
    connectors,
    constants: constants.forExpressions,
    // The vocabulary holds the very specs that callers pass, so the decoded values have their type.
    all: <S extends BlockSpec>(word: string) => (declarations.get(word) ?? []) as readonly Declaration<Values<S>>[],
    one: <S extends BlockSpec>(word: string) => singles.get(word) as Values<S> | undefined,
  };
  checkLinks(links, project, definitions, report);
  for (const rule of rules) rule(project, report);
  sortDiagnostics(diagnostics);
  removeRepeats(diagnostics);
  return project;
}

/** Root blocks by word; what may not stand at the root is reported. */
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
            `the attribute ${sourced.item.name.text} stands outside of any block`,
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
  context: DecodeContext,
): readonly Declaration<Values<BlockSpec>>[] {
  refuseEqualNames(word, blocks, context.report);
  return blocks.map((sourced) => {
    const name = sourced.item.labels[0]?.text ?? '';
    if (spec.reusable) checkDefinition(word, name, spec, sourced, context.report);
    return {
      name,
      values: decodeBlock(sourced, spec.reusable ? partial(spec) : spec, context),
      origin: place(sourced, sourced.item),
      nameOrigin: place(sourced, sourced.item.labels[0] ?? sourced.item.type),
    };
  });
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

function refuseEqualNames(word: string, blocks: readonly SourcedBlock[], report: Report): void {
  const first = new Map<string, SourcedBlock>();
  for (const sourced of blocks) {
    const label = sourced.item.labels[0];
    if (!label) continue;
    const earlier = first.get(label.text);
    if (!earlier) first.set(label.text, sourced);
    else
      report('duplicate-name', `there are two blocks ${word} "${label.text}"`, place(sourced, label), {
        help: 'Give one of them another name.',
        related: [{ message: 'the first one is here', ...place(earlier, earlier.item.labels[0] ?? earlier.item) }],
      });
  }
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

function decodeConnectors(
  blocks: readonly SourcedBlock[],
  vocabulary: Vocabulary,
  context: DecodeContext,
): ReadonlyMap<string, ConnectorDeclaration> {
  refuseEqualNames('connector', blocks, context.report);
  const connectors = new Map<string, ConnectorDeclaration>();
  for (const sourced of blocks) {
    const declaration = decodeConnector(sourced, vocabulary, context, true);
    if (declaration && !connectors.has(declaration.name)) connectors.set(declaration.name, declaration);
  }
  return connectors;
}

function decodeConnector(
  sourced: SourcedBlock,
  vocabulary: Vocabulary,
  context: DecodeContext,
  mayHaveProfiles: boolean,
): ConnectorDeclaration | undefined {
  const { item } = sourced;
  const label = item.labels[0];
  const at = place(sourced, item.type);
  const name = label?.text ?? '';
  const title = `${item.type.text} "${name}"`;
  const items = itemsOf(sourced);
  const nameOrigin = place(sourced, label ?? item.type);
  const base = { name, origin: place(sourced, item), nameOrigin };
  if (!label)
    context.report('missing-label', `${item.type.text} needs a name`, at, {
      help: `Write ${item.type.text} "name" { … }.`,
    });
  const profiles = items.filter(isBlock).filter((inner) => inner.item.type.text === 'profile');
  if (profiles.length > 0 && mayHaveProfiles) {
    for (const choice of items.filter(isChoice))
      context.report(
        'conflicting-attributes',
        `${title} chooses between profiles, so it has no ${wordOf(choice)} of its own`,
        place(choice, choice.item),
        { help: `Move ${wordOf(choice)} into the profile blocks.` },
      );
    const values = decodeBody(
      {
        items: items.filter((inner) => !isChoice(inner) && !profiles.includes(inner as SourcedBlock)),
        title,
        origin: nameOrigin,
        label: name,
      },
      vocabulary.profiled,
      context,
    );
    refuseEqualNames('profile', profiles, context.report);
    const decoded = profiles.flatMap((profile) => decodeConnector(profile, vocabulary, context, false) ?? []);
    return {
      ...base,
      spec: undefined,
      values,
      operations: new Map(),
      profiles: new Map(decoded.map((profile) => [profile.name, profile])),
    };
  }
  const spec = findSpec(items, title, nameOrigin, vocabulary, context);
  if (!spec) return undefined;
  const operations = items.filter(isBlock).filter((inner) => inner.item.type.text === 'operation');
  const others = items.filter(
    (inner) => !isChoice(inner) && !(spec.operation && operations.includes(inner as SourcedBlock)),
  );
  const body = mayHaveProfiles ? spec.config : withProfileParts(spec.config, vocabulary);
  return {
    ...base,
    spec,
    values: decodeBody({ items: others, title, origin: nameOrigin, label: name }, body, context),
    operations: spec.operation ? decodeOperations(operations, spec.operation, context) : new Map(),
    profiles: new Map(),
  };
}

/** A profile takes everything its own type takes, and what the vocabulary says of every profile. */
function withProfileParts(config: BlockSpec, vocabulary: Vocabulary): BlockSpec {
  const extra = vocabulary.everyProfile;
  return {
    ...config,
    attributes: { ...extra.attributes, ...config.attributes },
    blocks: { ...extra.blocks, ...config.blocks },
  };
}

function isChoice(sourced: SourcedItem): boolean {
  return isAttribute(sourced) && (sourced.item.name.text === 'type' || sourced.item.name.text === 'driver');
}

function decodeOperations(
  blocks: readonly SourcedBlock[],
  spec: BlockSpec,
  context: DecodeContext,
): ReadonlyMap<string, OperationDeclaration> {
  refuseEqualNames('operation', blocks, context.report);
  const operations = new Map<string, OperationDeclaration>();
  for (const sourced of blocks) {
    const name = sourced.item.labels[0]?.text ?? '';
    if (!operations.has(name))
      operations.set(name, {
        name,
        origin: place(sourced, sourced.item.labels[0] ?? sourced.item.type),
        values: decodeBlock(sourced, spec, context),
      });
  }
  return operations;
}

/** Which connector `type` and `driver` mean; problems are reported with what exists. */
function findSpec(
  items: readonly SourcedItem[],
  title: string,
  at: Origin,
  vocabulary: Vocabulary,
  context: DecodeContext,
): ConnectorSpec | undefined {
  const type = readWord('type', items, context);
  const driver = readWord('driver', items, context);
  if (type === undefined || type.text === '') {
    const types = [...new Set(vocabulary.connectors.map((spec) => spec.type))].join(', ');
    const because = type?.unset === undefined ? '' : `, and the variable ${type.unset} is not set`;
    context.report('missing-attribute', `${title} needs the attribute type${because}`, type?.at ?? at, {
      help: `One of ${types}.`,
    });
    return undefined;
  }
  const choice = chooseConnector(vocabulary, type.text, driver?.text);
  if ('found' in choice) {
    if (driver && choice.found.driver === undefined && !choice.found.driverAliases.includes(driver.text.toLowerCase()))
      context.report('unknown-attribute', `${title}: connector type "${choice.found.type}" has no drivers`, driver.at, {
        help: 'Remove the attribute driver.',
      });
    return choice.found;
  }
  const word = choice.missing.endsWith('type') ? type : (driver ?? { text: '', at });
  const what = choice.missing.endsWith('type') ? 'connector type' : `driver of connector type "${type.text}"`;
  if (choice.missing.startsWith('unavailable'))
    context.report('not-available', `${what} "${word.text}" is not available in this version`, word.at, {
      help: `These are: ${choice.known.join(', ')}.`,
    });
  else if (choice.missing === 'driver-required') {
    const because = driver?.unset === undefined ? '' : `, and the variable ${driver.unset} is not set`;
    context.report('missing-attribute', `${title} needs the attribute driver${because}`, driver?.at ?? at, {
      help: `One of ${choice.known.join(', ')}.`,
    });
  } else {
    const near = closest(word.text, choice.known);
    const all = `These exist: ${choice.known.join(', ')}.`;
    context.report(choice.missing, `there is no ${what} "${word.text}"`, word.at, {
      help: near ? `Did you mean "${near}"? ${all}` : all,
    });
  }
  return undefined;
}

/** `type` or `driver` as written. `unset` names the variable that emptied it. */
interface WrittenWord {
  readonly text: string;
  readonly at: Origin;
  readonly unset?: string | undefined;
}

function readWord(name: string, items: readonly SourcedItem[], context: DecodeContext): WrittenWord | undefined {
  const found = items.filter(isAttribute).find(({ item }) => item.name.text === name);
  if (!found?.item.value) return undefined;
  const at = place(found, found.item.value);
  let unset: string | undefined;
  const scope = { host: context.host, variables: context.variables, onUnset: (variable: string) => (unset = variable) };
  try {
    const value = evaluate(found.item.value, scope);
    if (typeof value === 'string') return { text: value.trim(), at, unset };
    context.report('wrong-kind', `${name} must be a text`, at);
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    context.report(error.code, error.message, { file: found.file, range: error.range }, { help: error.help });
  }
  return undefined;
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
