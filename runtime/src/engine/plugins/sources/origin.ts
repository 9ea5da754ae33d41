/** A version of a plugin that can be fetched. */
export interface Release {
  /** Undefined: its manifest says it. */
  readonly version: string | undefined;
  /** Undefined: it does not come from a repository. */
  readonly commit: string | undefined;
}

/** What a release must be: one that a range of versions allows, or exactly this version. */
export type Wanted = { readonly range: string } | { readonly version: string };

/** Where the files of one plugin come from. Every method throws PluginProblem when it cannot be had. */
export interface PluginOrigin {
  /** The newest release that is wanted. */
  find(wanted: Wanted): Promise<Release>;
  /** Writes the files of a release into an empty folder. */
  fetch(release: Release, into: FileWriter): Promise<void>;
}

/** Takes the files of a plugin, one after another. */
export interface FileWriter {
  /**
   * Writes a file of which the path is relative and has `/`. Throws PluginProblem when it may not be written: a path that leads
   * elsewhere, one that was written before, more bytes or files than a plugin may have.
   */
  write(path: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>;
}

/** What every origin may use. */
export interface OriginContext {
  /** Absolute path of the configuration. */
  readonly directory: string;
  /** Variables of the environment, with those of `.env`. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** An empty folder for whatever is only needed meanwhile. */
  readonly workFolder: string;
  /** Fires when the command is to end. */
  readonly signal: AbortSignal;
}
