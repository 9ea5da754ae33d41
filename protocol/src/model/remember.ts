import type { Block } from '../syntax/index.ts';
import type { DecodeContext } from './decode-context.ts';

/** Decodes a root block, or remembers what it was decoded to. */
export type Remember = <T>(block: Block, work: (context: DecodeContext) => T) => T;
