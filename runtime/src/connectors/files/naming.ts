import type { ConnectorValues } from '@svc/protocol/schema';

/** How a store names what it has: by paths, which have several spellings, or by keys, which are texts. */
export interface Naming {
  /** What a name is called. */
  readonly named: 'path' | 'key';
  /** It has no folders: a list has every name that begins with what is asked for, unless `recursive` is false. */
  readonly isFlat: boolean;
  /** Why a text of the configuration names nothing in the store of this block, or undefined. Pure. */
  problem(written: string, config?: ConnectorValues): string | undefined;
  /** What a text names, empty for the root. Throws `value_refused`, without the text, which comes from a caller. */
  placeOf(written: string, field: string): string;
  /** Whether a text says that it names a folder. */
  isFolder(written: string): boolean;
  /** What the names in a folder begin with; `folder` is a place. */
  within(folder: string): string;
  /** Why a place that is empty names nothing. */
  readonly emptySays: string;
  /** What is removed at the beginning of a pattern of names. */
  readonly ignoredInPatterns: RegExp | undefined;
}
