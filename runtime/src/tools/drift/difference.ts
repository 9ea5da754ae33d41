import type { Located } from '../../platform/formats/openapi/documents.ts';

/** Where a configuration keeps a contract, or does not. */
export interface Difference {
  readonly code: DifferenceCode;
  /** Whether a caller who keeps to the contract notices it. */
  readonly isBreaking: boolean;
  readonly message: string;
  /** The message without what it is about: equal where types that several operations use are compared again. */
  readonly says?: string | undefined;
  /** Undefined for what the contract does not have. */
  readonly contract: Located | undefined;
  /** In the description of the configuration; undefined for what it does not have. */
  readonly served: Located | undefined;
}

export type DifferenceCode =
  | 'contract-operation'
  | 'contract-parameter'
  | 'contract-body'
  | 'contract-answer'
  | 'contract-type'
  | 'contract-constraint'
  | 'contract-credential';

/** Adds a difference, of places that are known. */
export type Differ = (difference: Difference) => void;
