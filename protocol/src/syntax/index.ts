export type { HclParser } from './parser.ts';
export type * from './tree.ts';
