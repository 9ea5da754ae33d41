export { type Cancellation, Cancelled } from './cancellation.ts';
export type { CompletionItem, CompletionKind } from './completion/completion.ts';
export type { CodeAction, ProblemFix } from './edits/code-actions.ts';
export { type ConnectorType, type CreatedBlock, connectorSkeleton, type NewBlock } from './edits/create.ts';
export { EditRefused, type FormChange } from './edits/edit.ts';
export type { FlowEnd } from './edits/flow-end.ts';
export type { AvailableBlock, FieldKind, Form, FormBlock, FormFact, FormField, FormProblem } from './edits/form.ts';
export type { InsertedStage, NewStage, StageChoice } from './edits/insert.ts';
export type { LiteralValue } from './edits/literal.ts';
export { type ProjectEdit, RenameRefused } from './edits/rename.ts';
export type { Known } from './edits/skeleton.ts';
export type { InlayHint } from './expressions/inlay-hints.ts';
export type { SignatureHelp } from './expressions/signature-help.ts';
export type { Hover } from './hover.ts';
export { type StopAddress, stopsOnLine } from './outline/breakpoints.ts';
export type { Comparison, Difference } from './outline/compare.ts';
export type { FoldingRange } from './outline/folding.ts';
export type { FlowSource, Outline, OutlineConnector, OutlineEdge, OutlineFlow } from './outline/outline.ts';
export type { OutlineRule, OutlineStage } from './outline/outline-stages.ts';
export type { StructureItem } from './outline/structure.ts';
export type { DocumentSymbol, WorkspaceSymbol } from './outline/symbols.ts';
export { LanguageService, type Place } from './service.ts';
export type {
  EndpointMember,
  KnownTarget,
  LanguageSupport,
  OutlineAspect,
  OutlineEndpoint,
  OutlineSupport,
  Parameter,
  StageFamily,
  StagePlace,
  Stop,
} from './support.ts';
export { type SemanticToken, type TokenKind, tokenKinds } from './tokens.ts';
