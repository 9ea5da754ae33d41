export { childrenOf } from './children.ts';
export { hclParser, parseHcl } from './hcl/parse.ts';
export type { HclParser } from './parser.ts';
export { literalText, sourceOf } from './source.ts';
export type * from './tree.ts';
