import { formattingEdits } from '../syntax/index.ts';
import { applyEdits, type DecodedText, type Diagnostic, LineIndex, type Range, type TextEdit } from '../text/index.ts';
import { type Cancellation, throwIfCancelled } from './cancellation.ts';
import { complete } from './completion/complete.ts';
import { completeDetached } from './completion/complete-detached.ts';
import type { CompletionItem } from './completion/completion.ts';
import { actionsFor, type CodeAction, type ProblemFix } from './edits/code-actions.ts';
import { type ConnectorType, type CreatedBlock, connectorTypes, create, type NewBlock } from './edits/create.ts';
import { EditRefused, editAt, type FormChange } from './edits/edit.ts';
import { type FlowEnd, flowEnd } from './edits/flow-end.ts';
import { type Form, formAt } from './edits/form.ts';
import { type InsertedStage, insertStage, type NewStage, type StageChoice, stageChoices } from './edits/insert.ts';
import { type ProjectEdit, RenameRefused, rename, renameable } from './edits/rename.ts';
import { expressionRanges } from './expressions/expression-ranges.ts';
import { placeOfField } from './expressions/field-place.ts';
import { type InlayHint, inlayHints } from './expressions/inlay-hints.ts';
import { type SignatureHelp, signatureHelp } from './expressions/signature-help.ts';
import { type Hover, hover } from './hover.ts';
import { nameAt, placesOf } from './name-lookup.ts';
import type { NamePlace } from './names.ts';
import { type StopAddress, stopsAt, stopsOnLine } from './outline/breakpoints.ts';
import { type Comparison, compareOutlines } from './outline/compare.ts';
import { type FoldingRange, foldingRanges } from './outline/folding.ts';
import { type Outline, outlineOf } from './outline/outline.ts';
import { type StructureItem, structureOf } from './outline/structure.ts';
import { type DocumentSymbol, documentSymbols, type WorkspaceSymbol, workspaceSymbols } from './outline/symbols.ts';
import { type FileState, ProjectState } from './states.ts';
import type { KnownTarget, LanguageSupport, Stop } from './support.ts';
import { type SemanticToken, semanticTokens } from './tokens.ts';

/** A range of a file. */
export interface Place {
  readonly file: string;
  readonly range: Range;
}

/**
 * The language of one service directory for editors: it receives texts and answers questions about them. Paths are
 * relative to the directory, with `/`; offsets count UTF-16 code units. What an editor has open wins over what was
 * provided. Every query throws Cancelled as soon as it notices that its cancellation is aborted.
 */
export class LanguageService {
  readonly #support: LanguageSupport;
  readonly #state: ProjectState;
  readonly #provided = new Map<string, DecodedText>();
  readonly #open = new Set<string>();
  /** The project as it was, for `compare`. */
  #before: LanguageService | undefined;

  constructor(support: LanguageSupport) {
    this.#support = support;
    this.#state = new ProjectState(support);
  }

  /** The text of a file as it is stored; undefined when it is gone. */
  provide(path: string, stored: string | DecodedText | undefined): void {
    if (stored === undefined) this.#provided.delete(path);
    else this.#provided.set(path, typeof stored === 'string' ? { text: stored } : stored);
    if (!this.#open.has(path)) this.#settle(path);
  }

  /** An editor shows the file and owns its text from now on. */
  open(path: string, text: string): void {
    this.#open.add(path);
    // An editor that decoded the same bytes would store the same damage.
    const stored = this.#provided.get(path);
    this.#state.set(path, stored?.text === text ? stored : { text });
  }

  /** Replaces the text of an open file, or changes it by edits. Throws when the file is not open. */
  change(path: string, change: string | readonly TextEdit[]): void {
    if (!this.#open.has(path)) throw new Error(`the file ${path} is not open`);
    this.#state.set(path, {
      text: typeof change === 'string' ? change : applyEdits(this.text(path) as string, change),
    });
  }

  /** The stored text counts again. */
  close(path: string): void {
    this.#open.delete(path);
    this.#settle(path);
  }

  /** Forgets what the host answered: environment variables, and files that configuration names. */
  refresh(): void {
    this.#state.refresh();
  }

  /** What a running service says that the server of a connector has; it is offered until other names are given. */
  know(connector: string, targets: readonly KnownTarget[]): void {
    this.#state.known.set(connector, targets);
  }

  /** Paths of all files, in lexical order. */
  get paths(): readonly string[] {
    return [...this.#state.files.keys()].sort();
  }

  text(path: string): string | undefined {
    return this.#state.files.get(path)?.tree.text;
  }

  /** Lines of a file; those of an empty text when there is no such file. */
  lines(path: string): LineIndex {
    return this.#state.files.get(path)?.lines ?? new LineIndex('');
  }

  /** Every problem of every file, the most severe first: what `svc validate` says of the same texts. */
  diagnostics(cancellation?: Cancellation): readonly Diagnostic[] {
    throwIfCancelled(cancellation);
    void this.#state.project;
    throwIfCancelled(cancellation);
    return this.#state.diagnostics;
  }

  /** What may be written at an offset, best first. */
  completion(path: string, offset: number, cancellation?: Cancellation): readonly CompletionItem[] {
    const file = this.#file(path, cancellation);
    return file ? complete(file, offset, this.#state, this.#support) : [];
  }

  /**
   * What may be written at `caret` of an expression that is not in a file, as if it were at an offset of one. Ranges
   * are of `source`.
   */
  expressionCompletion(
    path: string,
    offset: number,
    source: string,
    caret: number,
    cancellation?: Cancellation,
  ): readonly CompletionItem[] {
    const file = this.#file(path, cancellation);
    return file ? completeDetached(source, caret, file, offset, this.#state, this.#support) : [];
  }

  hover(path: string, offset: number, cancellation?: Cancellation): Hover | undefined {
    const file = this.#file(path, cancellation);
    return file && hover(file, offset, this.#state, this.#support);
  }

  signatureHelp(path: string, offset: number, cancellation?: Cancellation): SignatureHelp | undefined {
    const file = this.#file(path, cancellation);
    return file && signatureHelp(file, offset, this.#support.functions?.(this.#state.project));
  }

  /** What hints show behind the values of a range: types of fields, and what named operations mean. */
  inlayHints(path: string, range: Range, cancellation?: Cancellation): readonly InlayHint[] {
    const file = this.#file(path, cancellation);
    return file ? inlayHints(file, range, this.#state, this.#support) : [];
  }

  /** Where the name at an offset is declared; several places when it is declared twice. */
  definition(path: string, offset: number, cancellation?: Cancellation): readonly Place[] {
    const declared = this.#names(path, offset, cancellation)
      .filter(({ declares }) => declares !== undefined)
      .map(placeOf);
    return declared.length > 0 ? declared : this.#fieldPlace(path, offset, cancellation);
  }

  /** Every place that names what is named at an offset, in the order of files and places. */
  references(path: string, offset: number, declarations: boolean, cancellation?: Cancellation): readonly Place[] {
    const names = this.#names(path, offset, cancellation);
    const isDeclared = names.length === 0 || names.some(({ declares }) => declares !== undefined);
    const places = names.filter(({ declares }) => declarations || declares === undefined).map(placeOf);
    return declarations && !isDeclared ? [...places, ...this.#fieldPlace(path, offset, cancellation)] : places;
  }

  /** The name that can be renamed at an offset. */
  renameable(path: string, offset: number, cancellation?: Cancellation) {
    const file = this.#file(path, cancellation);
    return file && renameable(file, offset, this.#state);
  }

  /** Renames everywhere. Throws RenameRefused when there is nothing to rename, or the new name cannot be used. */
  rename(path: string, offset: number, to: string, cancellation?: Cancellation): ProjectEdit {
    const file = this.#file(path, cancellation);
    if (file === undefined) throw new RenameRefused(`there is no file ${path}`);
    return rename(file, offset, to, this.#state);
  }

  documentSymbols(path: string, cancellation?: Cancellation): readonly DocumentSymbol[] {
    const file = this.#file(path, cancellation);
    return file ? documentSymbols(file, this.#support.outline) : [];
  }

  workspaceSymbols(query: string, cancellation?: Cancellation): readonly WorkspaceSymbol[] {
    throwIfCancelled(cancellation);
    return workspaceSymbols(this.#state.files.values(), query, this.#support.outline);
  }

  foldingRanges(path: string, cancellation?: Cancellation): readonly FoldingRange[] {
    const file = this.#file(path, cancellation);
    return file ? foldingRanges(file) : [];
  }

  /** The edits that bring a file into the canonical layout; none while it has syntax errors. */
  formatting(path: string, cancellation?: Cancellation): readonly TextEdit[] {
    const file = this.#file(path, cancellation);
    return file ? formattingEdits(file.tree) : [];
  }

  /** What can be done about the problems that touch a range; with `newFiles` also what writes a new file. */
  codeActions(path: string, range: Range, cancellation?: Cancellation, newFiles = true): readonly CodeAction[] {
    const file = this.#file(path, cancellation);
    if (file === undefined) return [];
    return this.diagnostics(cancellation)
      .filter((one) => one.file === path && one.range.start <= range.end && one.range.end >= range.start)
      .flatMap((diagnostic) => actionsFor(diagnostic, file, newFiles, this.#state, this.#support));
  }

  /** What the first action would do about each problem that has one, of the first `most` problems. */
  fixes(most: number, cancellation?: Cancellation): readonly ProblemFix[] {
    return this.diagnostics(cancellation)
      .slice(0, most)
      .flatMap((diagnostic) => {
        const file = this.#file(diagnostic.file, cancellation);
        const [first] = file ? actionsFor(diagnostic, file, true, this.#state, this.#support) : [];
        const { code, range, message } = diagnostic;
        return first ? [{ file: diagnostic.file, start: range.start, code, message, title: first.title }] : [];
      });
  }

  semanticTokens(path: string, cancellation?: Cancellation): readonly SemanticToken[] {
    const file = this.#file(path, cancellation);
    return file ? semanticTokens(file) : [];
  }

  /** Where expressions of the message are, with their quotes. */
  expressionRanges(path: string, cancellation?: Cancellation): readonly Range[] {
    const file = this.#file(path, cancellation);
    return file ? expressionRanges(file) : [];
  }

  /** The blocks and attributes of a file with what they mean to a flow. */
  structure(path: string, cancellation?: Cancellation): readonly StructureItem[] {
    const file = this.#file(path, cancellation);
    return file ? structureOf(file, this.#state, this.#support) : [];
  }

  /** Connectors, flows with their stages in run order, and what joins them. */
  outline(cancellation?: Cancellation): Outline {
    throwIfCancelled(cancellation);
    return outlineOf(this.#state, this.#support);
  }

  /** The innermost block around an offset as a form. */
  form(path: string, offset: number, cancellation?: Cancellation): Form | undefined {
    const file = this.#file(path, cancellation);
    return file && formAt(file, offset, this.#state);
  }

  /** The edits that change the innermost block around an offset. Throws EditRefused when they cannot be made. */
  edit(path: string, offset: number, change: FormChange, cancellation?: Cancellation): readonly TextEdit[] {
    const file = this.#file(path, cancellation);
    if (file === undefined) throw new EditRefused(`there is no file ${path}`);
    return editAt(file, offset, change, this.#state.vocabulary);
  }

  /** Writes a new flow or connector where its like are written. Throws EditRefused when it cannot be one. */
  create(block: NewBlock, cancellation?: Cancellation): CreatedBlock {
    throwIfCancelled(cancellation);
    return create(block, this.#state, this.#support);
  }

  /** What may still be written in the flow around an offset, in the order in which a message meets it. */
  stageChoices(path: string, offset: number, cancellation?: Cancellation): readonly StageChoice[] {
    const file = this.#file(path, cancellation);
    return file ? stageChoices(file, offset, this.#state, this.#support) : [];
  }

  /** Writes a stage into the flow around an offset. Throws EditRefused when the flow may not have it. */
  insertStage(path: string, offset: number, stage: NewStage, cancellation?: Cancellation): InsertedStage {
    const file = this.#file(path, cancellation);
    if (file === undefined) throw new EditRefused(`there is no file ${path}`);
    return insertStage(file, offset, stage, this.#state, this.#support);
  }

  /** What a new flow says of the connector at one of its ends, or why it cannot be that end. */
  flowEnd(connector: string, side: 'source' | 'target', cancellation?: Cancellation): FlowEnd {
    throwIfCancelled(cancellation);
    return flowEnd(connector, side, this.#state);
  }

  /**
   * Compares with an earlier state of the project: `earlier` has the texts of then of the files that may differ, and no
   * text of those that were not there.
   */
  compare(
    earlier: readonly { readonly path: string; readonly text: string | undefined }[],
    cancellation?: Cancellation,
  ): Comparison {
    const before = (this.#before ??= new LanguageService(this.#support));
    const then = new Map(earlier.map(({ path, text }) => [path, text]));
    for (const path of new Set([...before.paths, ...this.paths, ...then.keys()])) {
      throwIfCancelled(cancellation);
      const text = then.has(path) ? then.get(path) : this.text(path);
      if (before.text(path) !== text) before.provide(path, text);
    }
    return compareOutlines(
      { outline: before.outline(cancellation), text: (path) => before.text(path) },
      { outline: this.outline(cancellation), text: (path) => this.text(path) },
    );
  }

  /** Every type of connector with each of its drivers: what `create` can write. */
  connectorTypes(): readonly ConnectorType[] {
    return connectorTypes(this.#state);
  }

  /** Every place where a flow of the project can stop. */
  stops(cancellation?: Cancellation): readonly Stop[] {
    throwIfCancelled(cancellation);
    const { project } = this.#state;
    throwIfCancelled(cancellation);
    return this.#support.stops(project);
  }

  /** What a breakpoint in a line (from 1) means; see `stopsOnLine`. */
  stopsOnLine(path: string, line: number, cancellation?: Cancellation): readonly Stop[] {
    const file = this.#file(path, cancellation);
    return file ? stopsOnLine(this.stops(cancellation), file.tree, line, file.lines) : [];
  }

  /** Where a stop is in the text. */
  stopsAt(address: StopAddress, cancellation?: Cancellation): readonly Stop[] {
    return stopsAt(this.stops(cancellation), address);
  }

  #names(path: string, offset: number, cancellation: Cancellation | undefined): readonly NamePlace[] {
    const file = this.#file(path, cancellation);
    const name = file && nameAt(file, offset);
    return name ? placesOf(this.#state, name) : [];
  }

  #fieldPlace(path: string, offset: number, cancellation: Cancellation | undefined): readonly Place[] {
    const file = this.#file(path, cancellation);
    const place = file && placeOfField(file, offset, this.#state, this.#support);
    return place === undefined ? [] : [place];
  }

  #settle(path: string): void {
    const stored = this.#provided.get(path);
    if (stored === undefined) this.#state.remove(path);
    else this.#state.set(path, stored);
  }

  #file(path: string, cancellation: Cancellation | undefined): FileState | undefined {
    throwIfCancelled(cancellation);
    return this.#state.files.get(path);
  }
}

function placeOf({ file, range }: NamePlace): Place {
  return { file, range };
}
