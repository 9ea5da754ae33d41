import type { Binding } from '../../../foundation/contracts/source.ts';

/** What a schema reads of a flow behind a field. */
export type Described = Pick<Binding, 'operation' | 'returns' | 'asked' | 'selects' | 'words' | 'validates' | 'entity'>;
