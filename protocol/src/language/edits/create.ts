import {
  type BlockSpec,
  type ConnectorKind,
  chooseConnector,
  driverWordOf,
  type Vocabulary,
} from '../../schema/index.ts';
import { addBlock, parseHcl, quote } from '../../syntax/index.ts';
import type { TextEdit } from '../../text/index.ts';
import { connectorOf } from '../connector-spec.ts';
import { namesOf } from '../name-lookup.ts';
import type { ProjectState } from '../states.ts';
import type { LanguageSupport } from '../support.ts';
import { EditRefused, kept } from './edit.ts';
import { type FlowEnd, flowEnd } from './flow-end.ts';
import { isName } from './rename.ts';
import { type Known, skeletonOf } from './skeleton.ts';

/** A root block that is drawn before it is written. */
export type NewBlock =
  /** `from` and `to` are names of connectors; `operation` and `target` say what of them, by the words of `flowEnd`. */
  | {
      readonly addFlow: {
        readonly name: string;
        readonly from: string;
        readonly to: string;
        readonly operation?: string | undefined;
        readonly target?: string | undefined;
      };
    }
  | { readonly addConnector: { readonly name: string; readonly type: string; readonly driver?: string | undefined } };

export interface CreatedBlock {
  readonly file: string;
  /** Whether the file is new; the edits are then of an empty text. */
  readonly isNew: boolean;
  readonly edits: readonly TextEdit[];
}

/** What a new connector may be. */
export interface ConnectorType {
  readonly type: string;
  /** Undefined where the type has no drivers. */
  readonly driver: string | undefined;
  readonly kind: ConnectorKind | undefined;
}

export function connectorTypes({ vocabulary }: Pick<ProjectState, 'vocabulary'>): readonly ConnectorType[] {
  return vocabulary.connectors.map(({ type, driver, kind }) => ({ type, driver, kind }));
}

/**
 * Writes a root block where its like are written. Throws EditRefused when the name is taken or the parts do not fit.
 */
export function create(block: NewBlock, state: ProjectState, support: LanguageSupport): CreatedBlock {
  const isFlow = 'addFlow' in block;
  const word = isFlow ? 'flow' : 'connector';
  const { name } = isFlow ? block.addFlow : block.addConnector;
  if (!isName(name)) throw new EditRefused(`"${name}" is not a name`);
  if (namesOf(word, state).some((place) => place.name === name))
    throw new EditRefused(`there is a ${word} "${name}" already`);
  const source = isFlow ? flowSource(block.addFlow, state, support) : connectorSource(block.addConnector, state);
  const path = fileFor(word, name, state);
  const tree = state.files.get(path)?.tree;
  if (tree === undefined)
    return { file: path, isNew: true, edits: [{ range: { start: 0, end: 0 }, text: `${source}\n` }] };
  const gap = tree.body.items.length > 0 ? '\n' : '';
  const edits = addBlock(tree, [], gap + source);
  return { file: path, isNew: false, edits: kept(tree, edits, { removes: 0, adds: Number.POSITIVE_INFINITY }) };
}

function connectorSource(
  { name, type, driver }: Extract<NewBlock, { addConnector: object }>['addConnector'],
  { vocabulary }: Pick<ProjectState, 'vocabulary'>,
): string {
  const choice = chooseConnector(vocabulary, type, driver);
  if ('missing' in choice) {
    const what = choice.missing.endsWith('type')
      ? `type "${type}"`
      : `driver ${driver ? `"${driver}" ` : ''}of ${type}`;
    throw new EditRefused(`there is no ${what}; these exist: ${choice.known.join(', ')}`);
  }
  return connectorSkeleton(name, type, driver, vocabulary);
}

/**
 * A connector block in the canonical layout with everything that it must say. `known` is known of it besides type and
 * driver, which must exist.
 */
export function connectorSkeleton(
  name: string,
  type: string,
  driver: string | undefined,
  vocabulary: Vocabulary,
  known: Known = {},
): string {
  const choice = {
    type: quote(type),
    ...(driver === undefined ? {} : { [driverWordOf(vocabulary, type)]: quote(driver) }),
  };
  const head = Object.entries(choice).map(([word, source]) => `${word} = ${source}\n`);
  const [block] = parseHcl(`connector "a" {\n${head.join('')}}\n`, '').body.items;
  if (block?.kind !== 'block') throw new EditRefused(`"${type}" cannot be written`);
  const { spec } = connectorOf(block, vocabulary, true);
  return skeletonOf('connector', [name], spec, { ...known, attributes: { ...choice, ...known.attributes } });
}

/** A flow that takes from one connector and hands to another. The words for both are those that the language tells. */
function flowSource(
  { name, from, to, operation, target }: Extract<NewBlock, { addFlow: object }>['addFlow'],
  state: ProjectState,
  { vocabulary, outline }: LanguageSupport,
): string {
  const flow = vocabulary.blocks['flow'];
  if (flow === undefined) throw new EditRefused('there are no flows');
  const ends = { source: flowEnd(from, 'source', state), target: flowEnd(to, 'target', state) };
  const refusal = ends.source.refusal ?? ends.target.refusal;
  if (refusal !== undefined) throw new EditRefused(refusal);
  const blocks: Record<string, Known> = {};
  for (const { path, family } of outline.stages) {
    const [word, inner] = path;
    const spec = word === undefined || inner !== undefined ? undefined : flow.blocks[word];
    if (word === undefined || spec === undefined || Object.hasOwn(blocks, word)) continue;
    if (namesConnector(spec, true)) blocks[word] = { attributes: attributesOf(from, ends.source, operation) };
    // A block that may be written only once is not a destination but work of its own.
    else if (family === 'deliver' && spec.repeated && namesConnector(spec, false))
      blocks[word] = { attributes: attributesOf(to, ends.target, target) };
  }
  return skeletonOf('flow', [name], flow, { blocks });
}

/** Whether a block names the connector that messages come from, or one that they go to. */
function namesConnector({ attributes }: BlockSpec, comesIn: boolean): boolean {
  return Object.values(attributes).some(
    ({ refersTo, tells }) => refersTo === 'connector' && (tells !== undefined) === comesIn,
  );
}

function attributesOf(
  connector: string,
  { word, isRequired }: FlowEnd,
  said: string | undefined,
): Readonly<Record<string, string>> {
  const isWritten = word !== undefined && (isRequired || (said !== undefined && said !== ''));
  return { connector: quote(connector), ...(isWritten && { [word]: quote(said ?? '') }) };
}

/**
 * The file of a new block: one of its own beside the others where each has one, else that of the last block of the same
 * word, else the only file there is.
 */
function fileFor(word: string, name: string, { files }: ProjectState): string {
  const paths = [...files.keys()].sort();
  const related = paths.filter((path) =>
    files.get(path)?.tree.body.items.some((item) => item.kind === 'block' && item.type.text === word),
  );
  const last = related.at(-1);
  const folder = last === undefined ? `${word}s` : last.slice(0, Math.max(0, last.lastIndexOf('/')));
  const own = `${folder === '' ? '' : `${folder}/`}${name.replace(/[^\p{L}\p{N}_-]+/gu, '_')}.hcl`;
  if (last === undefined) return paths.length === 1 ? (paths[0] as string) : own;
  const alone = related.every((path) => files.get(path)?.tree.body.items.length === 1) && folder !== '';
  return alone ? own : last;
}
