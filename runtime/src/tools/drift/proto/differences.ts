import type { DifferenceCode } from '../difference.ts';

/** How definitions of gRPC differ, with the names of what is declared, which say the places. */
export interface ProtoDifference {
  readonly code: DifferenceCode;
  /** Whether a caller who keeps to the contract notices it. */
  readonly isBreaking: boolean;
  readonly message: string;
  /** Undefined for what the contract does not have. */
  readonly contract: string | undefined;
  /** Undefined for what is not defined here. */
  readonly served: string | undefined;
  /** Whether it is about the flow of a method: the place is that of the flow, not of the definition. */
  readonly isOfFlow?: boolean;
}

/** Adds a difference. */
export type DifferProto = (difference: ProtoDifference) => void;

/** What callers send is read here; what they are answered is written here. */
export type Direction = 'request' | 'answer';

/** The name of something defined, without the point in front of it. */
export function nameOf({ fullName }: { readonly fullName: string }): string {
  return fullName.replace(/^\./, '');
}
