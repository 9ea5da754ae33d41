export { type Cancellation, Cancelled } from './cancellation.ts';
export type { CompletionItem, CompletionKind } from './completion.ts';
export type { FoldingRange } from './folding.ts';
export type { Hover } from './hover.ts';
export { type ProjectEdit, RenameRefused } from './rename.ts';
export { type CodeAction, LanguageService, type Place } from './service.ts';
export type { SignatureHelp } from './signature-help.ts';
export type { LanguageSupport, Stop } from './support.ts';
export type { DocumentSymbol, WorkspaceSymbol } from './symbols.ts';
