import { addedWords, type ConnectorSpec, takesWord } from '../../schema/index.ts';
import { literalText, quote } from '../../syntax/index.ts';
import { type Diagnostic, type Range, touches } from '../../text/index.ts';
import { namesOf } from '../name-lookup.ts';
import type { FileState, ProjectState } from '../states.ts';
import type { LanguageSupport } from '../support.ts';
import type { WrittenBody, WrittenValue } from '../written.ts';
import { create } from './create.ts';
import { EditRefused, editAt, type FormChange } from './edit.ts';
import type { ProjectEdit } from './rename.ts';
import { placeholderOf } from './skeleton.ts';

/** Edits that remove a problem, or begin to. */
export interface CodeAction {
  readonly title: string;
  /** Of an empty text where the file is new. */
  readonly edits: ProjectEdit;
  /** The file that is new, if one is. */
  readonly creates: string | undefined;
  readonly diagnostic: Diagnostic;
  /** Whether it is all that is to be done; what is created wants to be filled in. */
  readonly isWhole: boolean;
}

/** What can be done about a problem, in a few words. */
export interface ProblemFix {
  readonly file: string;
  readonly start: number;
  readonly code: string;
  readonly message: string;
  readonly title: string;
}

/** What can be done about one problem. Without `newFiles` what would get a file of its own is written into this one. */
export function actionsFor(
  diagnostic: Diagnostic,
  file: FileState,
  newFiles: boolean,
  state: ProjectState,
  support: LanguageSupport,
): readonly CodeAction[] {
  const { code } = diagnostic;
  const fix = diagnostic.fix ?? suggestedFix(diagnostic, file.tree.text);
  const actions: CodeAction[] = [];
  if (fix)
    actions.push({
      title: fix.title,
      edits: new Map([[diagnostic.file, fix.edits]]),
      creates: undefined,
      diagnostic,
      isWhole: true,
    });
  const created = unlessRefused(() => {
    if (code === 'unknown-connector') return newConnector(diagnostic, file, newFiles, state, support);
    if (code === 'missing-attribute' || code === 'missing-block') return addMissing(diagnostic, file, state, support);
    return undefined;
  });
  return created ? [...actions, created] : actions;
}

/** What the help of a problem suggests, in place of the word that the problem marks. */
function suggestedFix({ help = '', range }: Diagnostic, text: string): Diagnostic['fix'] {
  const meant = /^Did you mean (?:the operation )?("(?:[^"\\]|\\.)*")\?/.exec(help)?.[1];
  const marked = text.slice(range.start, range.end);
  if (meant === undefined) return undefined;
  const word = JSON.parse(meant) as string;
  // What is marked is the word alone, or a text that is the word.
  const written = /^"[^"]*"$/.test(marked) ? quote(word) : /^[\w.-]+$/.test(marked) ? word : undefined;
  return written === undefined
    ? undefined
    : { title: `Change to ${meant}`, edits: [{ range: { start: range.start, end: range.end }, text: written }] };
}

function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof EditRefused) return undefined;
    throw error;
  }
}

function newConnector(
  diagnostic: Diagnostic,
  file: FileState,
  newFiles: boolean,
  state: ProjectState,
  support: LanguageSupport,
): CodeAction | undefined {
  const { range } = diagnostic;
  const named = file.names.find(
    (place) => place.kind === 'connector' && place.declares === undefined && isInside(place.range, range),
  );
  const value = file.written.values.find((one) => one.value !== undefined && isInside(range, one.value));
  const spec = value && connectorFor(value, file, support);
  if (named === undefined || spec === undefined) return undefined;
  const { type } = spec;
  const driver = spec.defaultDriver ? undefined : spec.driver;
  const made = create({ addConnector: { name: named.name, type, driver } }, state, support);
  const here = made.isNew && !newFiles;
  const end = file.tree.text.length;
  const edits = here
    ? made.edits.map(({ text }) => ({ range: { start: end, end }, text: `${gapBehind(file.tree.text)}${text}` }))
    : made.edits;
  return {
    title: `Create missing connector "${named.name}"`,
    edits: new Map([[here ? diagnostic.file : made.file, edits]]),
    creates: made.isNew && newFiles ? made.file : undefined,
    diagnostic,
    isWhole: false,
  };
}

function gapBehind(text: string): string {
  return text === '' || text.endsWith('\n') ? '\n' : '\n\n';
}

/** The first connector of the language that understands what is asked of the missing one. */
function connectorFor(
  { spec, body }: WrittenValue,
  file: FileState,
  { vocabulary }: LanguageSupport,
): ConnectorSpec | undefined {
  const { connectors } = vocabulary;
  if (spec?.refersTo === 'storage') return connectors.find(({ storage }) => storage);
  if (spec?.tells !== undefined) return connectors.find(({ source }) => source !== undefined);
  const targets = connectors.filter(({ target }) => target !== undefined);
  const beside = new Map(
    file.written.values.filter((one) => one.body === body).map(({ name, value }) => [name.text, literalText(value)]),
  );
  const dependent = body.spec?.dependent;
  const special = dependent ? addedWords(dependent, targets).filter((word) => beside.has(word)) : [];
  // What has a table of its own is data, and a connector that is called has no tables.
  const isData = beside.has('target') && !beside.has('operation');
  const understands = (one: ConnectorSpec) =>
    special.every((word) => dependent !== undefined && takesWord(one, dependent.at, word)) &&
    !(isData && one.target?.abilities.includes('call')) &&
    hasNeeded(one, (word) => beside.has(word)) &&
    isFine(beside.get('operation'), one.target?.checkOperation) &&
    isFine(beside.get('target'), one.target?.checkTarget);
  return targets.find(understands) ?? targets[0];
}

/** Whether a call says what it must say of its destination. */
function hasNeeded({ target }: ConnectorSpec, isWritten: (word: string) => boolean): boolean {
  const needs = target?.needsOneOf ?? [];
  return needs.length === 0 || needs.some(isWritten);
}

function isFine(text: string | undefined, check: ((text: string) => string | undefined) | undefined): boolean {
  return text === undefined || check?.(text) === undefined;
}

/** The attribute or block that a body lacks, with something to fill in; of several blocks the first. */
function addMissing(
  diagnostic: Diagnostic,
  file: FileState,
  state: ProjectState,
  support: LanguageSupport,
): CodeAction | undefined {
  const word = / needs (?:the attribute |an? |(?:exactly|at least) one of )?(\w+)(?: block|, .*)?$/.exec(
    diagnostic.message,
  )?.[1];
  const body = file.written.bodies.findLast((one) => isHead(one, diagnostic.range));
  if (word === undefined || body?.block === undefined) return undefined;
  const change = missingPart(word, body, state);
  if (change === undefined) return undefined;
  const edits = editAt(file, body.block.body.start, change, support.vocabulary);
  const what = 'set' in change ? 'attribute' : 'block';
  return {
    title: `Add missing ${what} "${word}"`,
    edits: new Map([[diagnostic.file, edits]]),
    creates: undefined,
    diagnostic,
    isWhole: false,
  };
}

function missingPart(word: string, { spec }: WrittenBody, state: ProjectState): FormChange | undefined {
  const attribute = Object.hasOwn(spec?.attributes ?? {}, word) ? spec?.attributes[word] : undefined;
  if (attribute) {
    const names = attribute.refersTo === undefined ? [] : namesOf(attribute.refersTo, state);
    const [only, other] = new Set(names.map(({ name }) => name));
    const text = only !== undefined && other === undefined ? quote(only) : placeholderOf(attribute);
    return { set: { name: word, text } };
  }
  const block = Object.hasOwn(spec?.blocks ?? {}, word) ? spec?.blocks[word] : undefined;
  return block && { addBlock: { word, labels: block.label ? [block.label.name] : [] } };
}

/** Whether a problem of a body is reported at its word or its label. */
function isHead({ block }: WrittenBody, { start, end }: Range): boolean {
  const heads = block ? [block.type, ...block.labels] : [];
  return heads.some((head) => head.start === start && head.end === end);
}

function isInside(inner: Range, outer: Range): boolean {
  return touches(outer, inner.start) && touches(outer, inner.end);
}
