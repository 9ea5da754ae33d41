import { type Cancellation, type ProjectEdit, RenameRefused } from '../language/index.ts';
import type { LineIndex, Range } from '../text/index.ts';
import type { ClientFeatures } from './capabilities.ts';
import { errorCodes, ResponseError } from './connection.ts';
import {
  fromRange,
  type LspPosition,
  type LspRange,
  symbolKind,
  toCompletionItem,
  toDiagnostic,
  toEdit,
  toInlayHint,
  toOffset,
  toRange,
  toSymbol,
  toTokenData,
} from './convert.ts';
import type { Folder } from './folders.ts';

/** What a query may look at. */
export interface QueryContext {
  readonly folders: readonly Folder[];
  readonly folderOf: (uri: string) => { readonly folder: Folder; readonly path: string } | undefined;
  readonly features: ClientFeatures;
  readonly cancellation: Cancellation;
}

interface DocumentParams {
  readonly textDocument: { readonly uri: string };
}

interface PositionParams extends DocumentParams {
  readonly position: LspPosition;
}

interface StopParams extends DocumentParams {
  /** From 0. */
  readonly line?: number;
}

/** A document that belongs to a service, with everything that a query needs. */
class Asked {
  readonly folder: Folder;
  readonly path: string;
  readonly lines: LineIndex;

  constructor(folder: Folder, path: string) {
    this.folder = folder;
    this.path = path;
    this.lines = folder.service.lines(path);
  }

  location({
    file,
    range,
  }: {
    readonly file: string;
    readonly range: { readonly start: number; readonly end: number };
  }) {
    return { uri: this.folder.uri.uriOf(file), range: toRange(this.folder.service.lines(file), range) };
  }
}

function asked({ textDocument }: DocumentParams, { folderOf }: QueryContext): Asked | undefined {
  if (typeof textDocument?.uri !== 'string')
    throw new ResponseError(errorCodes.invalidParams, 'textDocument is needed');
  const found = folderOf(textDocument.uri);
  return found && new Asked(found.folder, found.path);
}

function offsetOf({ lines }: Asked, { position }: PositionParams): number {
  if (typeof position?.line !== 'number' || typeof position.character !== 'number')
    throw new ResponseError(errorCodes.invalidParams, 'position is needed');
  return toOffset(lines, position);
}

function rangeOf({ lines }: Asked, { range }: { readonly range: LspRange }): Range {
  if (typeof range?.start?.line !== 'number' || typeof range.end?.line !== 'number')
    throw new ResponseError(errorCodes.invalidParams, 'range is needed');
  return fromRange(lines, range);
}

type Query = (params: never, context: QueryContext) => unknown;

/** Every request about documents, by its method. Documents that belong to no service are answered with null. */
export const queries: Readonly<Record<string, Query>> = {
  'textDocument/completion': (params: PositionParams, context) => {
    const at = asked(params, context);
    if (at === undefined) return null;
    const items = at.folder.service.completion(at.path, offsetOf(at, params), context.cancellation);
    return {
      isIncomplete: false,
      items: items.map((item, order) => toCompletionItem(item, order, at.lines, context.features.snippets)),
    };
  },

  'textDocument/hover': (params: PositionParams, context) => {
    const at = asked(params, context);
    const found = at?.folder.service.hover(at.path, offsetOf(at, params), context.cancellation);
    return at && found
      ? { contents: { kind: 'markdown', value: found.text }, range: toRange(at.lines, found.range) }
      : null;
  },

  'textDocument/signatureHelp': (params: PositionParams, context) => {
    const at = asked(params, context);
    const found = at?.folder.service.signatureHelp(at.path, offsetOf(at, params), context.cancellation);
    if (found === undefined) return null;
    return {
      signatures: found.signatures.map(({ label, doc, parameters }) => ({
        label,
        documentation: doc,
        parameters: parameters.map((parameter) => ({ label: parameter })),
      })),
      activeSignature: found.active,
      activeParameter: found.argument,
    };
  },

  'textDocument/definition': (params: PositionParams, context) => {
    const at = asked(params, context);
    if (at === undefined) return null;
    return at.folder.service
      .definition(at.path, offsetOf(at, params), context.cancellation)
      .map((place) => at.location(place));
  },

  'textDocument/references': (
    params: PositionParams & { readonly context?: { readonly includeDeclaration?: boolean } },
    context,
  ) => {
    const at = asked(params, context);
    if (at === undefined) return null;
    const declarations = params.context?.includeDeclaration ?? true;
    return at.folder.service
      .references(at.path, offsetOf(at, params), declarations, context.cancellation)
      .map((place) => at.location(place));
  },

  'textDocument/prepareRename': (params: PositionParams, context) => {
    const at = asked(params, context);
    const found = at?.folder.service.renameable(at.path, offsetOf(at, params), context.cancellation);
    return at && found ? { range: toRange(at.lines, found.range), placeholder: found.name } : null;
  },

  'textDocument/rename': (params: PositionParams & { readonly newName: string }, context) => {
    const at = asked(params, context);
    if (at === undefined) return null;
    try {
      return workspaceEdit(
        at.folder,
        at.folder.service.rename(at.path, offsetOf(at, params), params.newName, context.cancellation),
        context.features,
      );
    } catch (error) {
      if (error instanceof RenameRefused) throw new ResponseError(errorCodes.requestFailed, error.message);
      throw error;
    }
  },

  'textDocument/documentSymbol': (params: DocumentParams, context) => {
    const at = asked(params, context);
    return at
      ? at.folder.service.documentSymbols(at.path, context.cancellation).map((symbol) => toSymbol(symbol, at.lines))
      : null;
  },

  'workspace/symbol': ({ query }: { readonly query?: string }, { folders, cancellation }) =>
    folders.flatMap((folder) =>
      folder.service.workspaceSymbols(query ?? '', cancellation).map(({ name, kind, file, range }) => ({
        name,
        kind: symbolKind(true),
        containerName: kind,
        location: { uri: folder.uri.uriOf(file), range: toRange(folder.service.lines(file), range) },
      })),
    ),

  'textDocument/foldingRange': (params: DocumentParams, context) => {
    const at = asked(params, context);
    if (at === undefined) return null;
    return at.folder.service.foldingRanges(at.path, context.cancellation).map(({ startLine, endLine, kind }) => ({
      startLine: startLine - 1,
      endLine: endLine - 1,
      kind,
    }));
  },

  'textDocument/formatting': (params: DocumentParams, context) => {
    const at = asked(params, context);
    if (at === undefined) return null;
    return at.folder.service.formatting(at.path, context.cancellation).map((edit) => toEdit(at.lines, edit));
  },

  'textDocument/inlayHint': (params: DocumentParams & { readonly range: LspRange }, context) => {
    const at = asked(params, context);
    if (at === undefined) return null;
    return at.folder.service
      .inlayHints(at.path, rangeOf(at, params), context.cancellation)
      .map((hint) => toInlayHint(hint, at.lines));
  },

  'textDocument/semanticTokens/full': (params: DocumentParams, context) => {
    const at = asked(params, context);
    return at ? { data: toTokenData(at.folder.service.semanticTokens(at.path, context.cancellation), at.lines) } : null;
  },

  /** Connectors and flows of the service that a document belongs to, as nodes and edges. */
  'svc/outline': (params: DocumentParams, context) => {
    const at = asked(params, context);
    if (at === undefined) return null;
    const { connectors, flows, edges } = at.folder.service.outline(context.cancellation);
    const located = <T extends { readonly file: string; readonly range: Range }>({ file, range, ...rest }: T) => ({
      ...rest,
      location: at.location({ file, range }),
    });
    const node = <T extends { readonly file: string; readonly range: Range; readonly selection: Range }>(one: T) => ({
      ...located(one),
      selection: at.location({ file: one.file, range: one.selection }).range,
    });
    return {
      connectors: connectors.map(node),
      flows: flows.map((flow) => ({
        ...node(flow),
        stages: flow.stages.map((stage) => ({ ...located(stage), rules: stage.rules.map(located) })),
      })),
      edges: edges.map(located),
    };
  },

  /** Every place of a document where a flow can stop; with a line, what a breakpoint in it means. */
  'svc/stops': (params: StopParams, context) => {
    const at = asked(params, context);
    if (at === undefined) return null;
    const { service } = at.folder;
    const stops =
      params.line === undefined
        ? service.stops(context.cancellation).filter(({ file }) => file === at.path)
        : service.stopsOnLine(at.path, params.line + 1, context.cancellation);
    return stops.map(({ file, range, ...stop }) => ({ ...stop, location: at.location({ file, range }) }));
  },

  'textDocument/codeAction': (params: DocumentParams & { readonly range: LspRange }, context) => {
    const at = asked(params, context);
    if (at === undefined) return null;
    const { service, uri } = at.folder;
    return service
      .codeActions(at.path, rangeOf(at, params), context.cancellation, context.features.createsFiles)
      .map(({ title, edits, creates, diagnostic, isWhole }) => ({
        title,
        kind: 'quickfix',
        isPreferred: isWhole,
        diagnostics: [
          toDiagnostic(
            diagnostic,
            (path) => service.lines(path),
            (path) => uri.uriOf(path),
          ),
        ],
        edit:
          creates === undefined
            ? workspaceEdit(at.folder, edits, context.features)
            : editWithNewFile(at.folder, creates, edits),
      }));
  },
};

/** The file is created, and refused when it is there by now. */
function editWithNewFile(folder: Folder, created: string, edits: ProjectEdit) {
  const { uri } = folder;
  return { documentChanges: [{ kind: 'create', uri: uri.uriOf(created) }, ...documentEdits(folder, edits)] };
}

/** An edit that names the version it is of is refused by the client when its document has changed since. */
function workspaceEdit(folder: Folder, edits: ProjectEdit, { versionedEdits }: ClientFeatures) {
  const changes = documentEdits(folder, edits);
  if (versionedEdits) return { documentChanges: changes };
  return { changes: Object.fromEntries(changes.map(({ textDocument, edits: own }) => [textDocument.uri, own])) };
}

function documentEdits({ service, uri, versions }: Folder, edits: ProjectEdit) {
  return [...edits].map(([path, own]) => ({
    textDocument: { uri: uri.uriOf(path), version: versions.get(path) ?? null },
    edits: own.map((edit) => toEdit(service.lines(path), edit)),
  }));
}
