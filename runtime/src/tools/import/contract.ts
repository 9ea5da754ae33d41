import type { Project } from '@svc/protocol/model';

/** What a contract of another maker becomes. */
export interface ImportedContract {
  /** Files to write, in the order in which they are listed. */
  readonly files: readonly ImportedFile[];
  /** What no configuration says, a sentence each; empty when everything was translated. */
  readonly left: readonly string[];
}

export interface ImportedFile {
  /** Below the directory of the configuration, with `/`. */
  readonly path: string;
  /** HCL before its layout is made, or another format as it is. */
  readonly text: string;
}

/** What is read, and what is there already. */
export interface ContractSource {
  readonly text: string;
  /** For messages, and for the names that are made of it. */
  readonly path: string;
  /** The files that it may import: its path in their folder, with `/`, and what gives the text of each or throws. */
  readonly beside: { readonly path: string; readonly read: (path: string) => string };
  /** The name of the connector that serves it. */
  readonly connector: string;
  /** Whether flows call what it describes, by a client of that name, instead of serving it. */
  readonly isClient?: boolean | undefined;
  readonly project: Project;
}

/** Why a contract cannot be read, with its place. */
export class ContractProblem extends Error {
  override readonly name = 'ContractProblem';
}

/** Reads contracts of one kind. Throws ContractProblem. */
export type ImportContract = (source: ContractSource) => ImportedContract;

/** A comment where a person has to continue. */
export function missing(what: string): string {
  return `# TODO: ${what}\n`;
}
