import type { Readable } from 'node:stream';
import type { Failure } from '../../foundation/errors/failure.ts';

/** A file or a folder of a store, as it was when it was asked for. */
export interface Entry {
  /** Its place, as the naming of the store has it: names from the root joined by `/`, or a key. Empty for the root. */
  readonly path: string;
  readonly isFolder: boolean;
  /** Bytes; 0 of a folder. */
  readonly size: number;
  /** Milliseconds since 1970; undefined where the store does not say it. */
  readonly modified: number | undefined;
  /** What tells this version of a file from others, quoted as in the header `ETag`; undefined where the store does not have it. */
  readonly etag?: string | undefined;
  /** Further fields that the store has of it, as rows show them. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** Bytes from `start` to `end`, which is not included. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/** One version of a file. Nothing of it is read before `stream` is called. */
export interface OpenFile {
  readonly entry: Entry;
  /** Each piece of its streams is memory that their reader alone holds, and may free. Absent: others may hold it. */
  readonly isFreeable?: boolean;
  /** The bytes, or a part of them. Destroying the stream ends the transfer. */
  stream(part?: Part): Readable;
  /** Frees it, and ends its streams. */
  close(): void;
}

/** How a file is written. */
export interface Writing {
  /** Behind what the file has. */
  readonly append: boolean;
  readonly contentType: string;
  /** Bytes; undefined when their number is not known. */
  readonly size: number | undefined;
  /** Parameters of the call that this store alone knows. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** What a list has. */
export interface Listing {
  /** What is in the folders of the folder too. */
  readonly recursive: boolean;
  /** Only what begins with it, below the folder; a store without folders alone is asked for it. */
  readonly prefix?: string | undefined;
  /** Whether what is in a folder below is left out. A store may give it all the same. */
  readonly leaves?: ((folder: string) => boolean) | undefined;
  /** Notified of a folder below that cannot be read, and of what has no name in UTF-8: both are left out. Absent: a folder makes the list reject. */
  readonly unreadable?: ((folder: string, failure: Failure) => void) | undefined;
}

/** What a store did with the bytes of a file. */
export interface Written {
  readonly path: string;
  /** Bytes that were written. */
  readonly bytes: number;
  /** Further fields of the answer. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** One call, as a store sees it. */
export interface Exchange {
  /** Fires with the Failure that ends the call: its time is over, its message was cancelled, its connector is closed. */
  readonly signal: AbortSignal;
}

/**
 * Files, wherever they are: paths are places of the naming of the store, and lead nowhere but below the root. Every method
 * rejects with a Failure; a call whose signal fires ends with its reason, and leaves nothing half done that others see.
 */
export interface FileStore {
  /** Undefined where there is nothing. */
  stat(path: string, exchange: Exchange): Promise<Entry | undefined>;
  /** What is in a folder, in any order. Rejects with `not_found` where it does not exist; a store without folders has every one. */
  list(path: string, listing: Listing, exchange: Exchange): AsyncIterable<Entry>;
  /** Rejects with `not_found` where there is no file. */
  open(path: string, exchange: Exchange): Promise<OpenFile>;
  /** Replaces the file at once when every byte has come, so that none is ever half written. A source that fails changes nothing. */
  write(path: string, source: AsyncIterable<Uint8Array>, writing: Writing, exchange: Exchange): Promise<Written>;
  /** Removes a file, or a folder with everything in it. `params` are those of the call that this store alone knows. */
  remove(entry: Entry, exchange: Exchange, params?: Writing['params']): Promise<void>;
  /** Copies a file over what is there; resolves with its bytes. `params` as for `remove`. */
  copy(source: Entry, destination: string, exchange: Exchange, params?: Writing['params']): Promise<number>;
  /** Moves a file or a folder; a file replaces the one that is there. `params` as for `remove`. */
  move(source: Entry, destination: string, exchange: Exchange, params?: Writing['params']): Promise<void>;
  /** Makes a folder, and those around it. Absent: the store does not have folders. */
  makeFolder?(path: string, exchange: Exchange): Promise<void>;
  /** A link to a file with which others read or write it without credentials, until `expires` milliseconds are over. */
  presign?(path: string, method: 'GET' | 'PUT', expires: number, params: Writing['params']): Promise<string>;
}
