export {
  type Diagnostic,
  type DiagnosticFamily,
  mostSevereFirst,
  type RelatedPlace,
  type Severity,
} from './diagnostic.ts';
export { applyEdits, mapOffset, type TextEdit } from './edit.ts';
export type { DecodedText, Unreadable } from './encoding.ts';
export { LineIndex } from './line-index.ts';
export type { Position } from './position.ts';
export { cover, type Range, touches } from './range.ts';
export { closest } from './suggest.ts';
