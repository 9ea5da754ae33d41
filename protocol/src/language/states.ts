import { DecodeMemory, decodeProject, isDamaged, type Project } from '../model/index.ts';
import type { Vocabulary } from '../schema/index.ts';
import { parseHcl, type SyntaxTree } from '../syntax/index.ts';
import { type DecodedText, type Diagnostic, LineIndex, mostSevereFirst, type Unreadable } from '../text/index.ts';
import { writtenConnectors } from './connector-spec.ts';
import { type NamePlace, namesIn } from './names.ts';
import type { KnownTarget, LanguageSupport } from './support.ts';
import { readWritten, type Written } from './written.ts';
import type { WrittenConnectors } from './written-connectors.ts';

/** One file as far as it has been looked at; a change makes a new one. */
export class FileState {
  readonly tree: SyntaxTree;
  readonly unreadable: Unreadable | undefined;
  readonly #all: Pick<ProjectState, 'connectors' | 'vocabulary'>;
  #lines: LineIndex | undefined;
  #written: Written | undefined;
  #readBy: WrittenConnectors | undefined;
  #vocabulary: Vocabulary | undefined;
  #declaredBy: Vocabulary | undefined;
  #names: readonly NamePlace[] | undefined;
  #connectors: WrittenConnectors | undefined;

  /** `all` is asked for the connectors of the whole service, which the words of this file depend on. */
  constructor(path: string, { text, unreadable }: DecodedText, all: Pick<ProjectState, 'connectors' | 'vocabulary'>) {
    this.tree = parseHcl(text, path, unreadable);
    this.unreadable = unreadable;
    this.#all = all;
  }

  get lines(): LineIndex {
    return (this.#lines ??= new LineIndex(this.tree.text));
  }

  /** The tree read by the vocabulary. */
  get written(): Written {
    const { connectors, vocabulary } = this.#all;
    if (this.#written === undefined || this.#readBy !== connectors || this.#vocabulary !== vocabulary) {
      this.#written = readWritten(this.tree, vocabulary, connectors);
      this.#readBy = connectors;
      this.#vocabulary = vocabulary;
      this.#names = undefined;
    }
    return this.#written;
  }

  /** The connectors that this file declares. */
  get connectors(): WrittenConnectors {
    const { vocabulary } = this.#all;
    if (this.#connectors === undefined || this.#declaredBy !== vocabulary)
      this.#connectors = writtenConnectors(this.tree, vocabulary);
    this.#declaredBy = vocabulary;
    return this.#connectors;
  }

  /** Every place where something is declared or named, in no particular order. */
  get names(): readonly NamePlace[] {
    const { tree, written } = this;
    return (this.#names ??= namesIn(tree, written));
  }
}

/**
 * All files of a service through their states: a text is parsed when it arrives, the project is decoded, linked and
 * checked on demand. A change parses one file and decodes its blocks; what other files said is remembered.
 */
export class ProjectState {
  /** What a running service says of its connectors, by their names. */
  readonly known = new Map<string, readonly KnownTarget[]>();
  readonly #support: LanguageSupport;
  readonly #files = new Map<string, FileState>();
  #memory = new DecodeMemory();
  #project: Project | undefined;
  #diagnostics: readonly Diagnostic[] | undefined;
  #connectors: WrittenConnectors = new Map();
  #areConnectorsKnown = false;

  constructor(support: LanguageSupport) {
    this.#support = support;
  }

  /** Files by path, in no particular order. */
  get files(): ReadonlyMap<string, FileState> {
    return this.#files;
  }

  set(path: string, decoded: DecodedText): void {
    const before = this.#files.get(path);
    if (before?.tree.text === decoded.text && sameProblem(before.unreadable, decoded.unreadable)) return;
    this.#files.set(path, new FileState(path, decoded, this));
    this.#reset();
  }

  remove(path: string): void {
    if (this.#files.delete(path)) this.#reset();
  }

  /** Forgets what the host may answer differently now: variables, other files. */
  refresh(): void {
    this.#memory = new DecodeMemory();
    this.#reset();
  }

  /** The connectors of all files: the same map until one of them becomes another kind of connector. */
  get connectors(): WrittenConnectors {
    if (!this.#areConnectorsKnown) {
      const found = new Map([...this.#files.values()].flatMap(({ connectors }) => [...connectors]));
      if (!areSame(found, this.#connectors)) this.#connectors = found;
      this.#areConnectorsKnown = true;
    }
    return this.#connectors;
  }

  /** What may be written, with what the files add to it. */
  get vocabulary(): Vocabulary {
    const { extend, vocabulary } = this.#support;
    const mayAdd =
      extend !== undefined && [...this.#files.values()].some(({ tree }) => /^\s*plugin\b/m.test(tree.text));
    return mayAdd ? this.project.vocabulary : vocabulary;
  }

  /** Decoded and linked, with all rules applied. */
  get project(): Project {
    if (this.#project === undefined) {
      const { vocabulary, host, expressionFunctions, extend, rules } = this.#support;
      const trees = [...this.#files.values()]
        .map(({ tree }) => tree)
        .sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
      this.#project = decodeProject(trees, { vocabulary, host, expressionFunctions, extend }, rules, this.#memory);
    }
    return this.#project;
  }

  /** Every problem, the most severe first. */
  get diagnostics(): readonly Diagnostic[] {
    if (this.#diagnostics === undefined) {
      const { project } = this;
      const expressions = isDamaged(project.files) ? [] : this.#support.expressions(project);
      this.#diagnostics = mostSevereFirst([...project.diagnostics, ...expressions]);
    }
    return this.#diagnostics;
  }

  #reset(): void {
    this.#project = undefined;
    this.#diagnostics = undefined;
    this.#areConnectorsKnown = false;
  }
}

function sameProblem(a: Unreadable | undefined, b: Unreadable | undefined): boolean {
  return a?.code === b?.code && a?.at === b?.at && a?.message === b?.message;
}

function areSame(a: WrittenConnectors, b: WrittenConnectors): boolean {
  if (a.size !== b.size) return false;
  for (const [name, specs] of a) {
    const others = b.get(name);
    if (others?.length !== specs.length || specs.some((spec, at) => spec !== others[at])) return false;
  }
  return true;
}
