export { childrenOf } from './children.ts';
export { formatHcl, formattingEdits } from './format.ts';
export { hclParser, parseHcl } from './hcl/parse.ts';
export { type BlockPath, type BlockStep, blockAt, bodyAt, type Location, locate, pathOf } from './locate.ts';
export type { HclParser } from './parser.ts';
export {
  addBlock,
  insertBlock,
  moveBlock,
  quote,
  removeAttribute,
  removeBlock,
  renameBlock,
  setAttribute,
} from './rewrite.ts';
export { literalText, sourceOf } from './source.ts';
export type * from './tree.ts';
