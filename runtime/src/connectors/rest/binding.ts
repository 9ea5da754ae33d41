import type { Binding } from '../../foundation/contracts/source.ts';
import type { FixedWords } from '../../foundation/contracts/words.ts';
import type { fromWords } from './spec.ts';

/** A flow behind a method and a path. */
export type RestBinding = Binding<FixedWords<typeof fromWords>>;
