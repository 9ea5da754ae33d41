/** What bounds a module. */
export interface ModuleBounds {
  /** Milliseconds for one call. */
  readonly timeout: number;
  readonly max_memory_mb: number;
  /** Bytes of an input, and of a result. */
  readonly max_bytes: number;
  /** Instances that there may be at the same time, each with a thread. */
  readonly instances: number;
}

/** What a module has done since it was started in this process. */
export interface ModuleCounts {
  readonly calls: number;
  readonly failed: number;
  /** Calls that were ended at their time limit. */
  readonly ended: number;
  /** Instances that were made again after a trap or a broken rule. */
  readonly rebuilt: number;
  /** Threads that exist, and calls that wait. */
  readonly threads: number;
  readonly waiting: number;
}

/** A module of WebAssembly as people look at it. */
export interface RunningModule {
  /** By which metrics call it. */
  readonly name: string;
  readonly plugin: string | undefined;
  readonly path: string;
  /** SHA-256 of its file, in hexadecimal; undefined before it is open. */
  readonly hash: string | undefined;
  /** What it is used as, and the names of the functions, of the validator, of the sanitizer or of the connector. */
  readonly kind: 'functions' | 'validator' | 'sanitizer' | 'connector';
  readonly serves: readonly string[];
  readonly limits: ModuleBounds;
  /** Undefined before it is open. */
  readonly counts: ModuleCounts | undefined;
}

/** A plugin that a configuration declares, as people look at it. */
export interface UsedPlugin {
  readonly name: string;
  readonly version: string;
  readonly description: string | undefined;
  readonly source: string;
  /** The file that describes it, relative to the configuration directory or absolute. */
  readonly manifest: string;
  /** The file of its icon, as the manifest is given. */
  readonly icon: string | undefined;
  /** SHA-256 of everything in it, in hexadecimal; undefined where it is used in place, so that it may change. */
  readonly hash: string | undefined;
  /** Names of what it adds. */
  readonly connectors: readonly string[];
  readonly functions: readonly string[];
  readonly validators: readonly string[];
  readonly sanitizers: readonly string[];
}

/** The plugins of a plan, and the modules that run for it outside of connectors. */
export interface PlanModules {
  plugins(): Promise<readonly UsedPlugin[]>;
  /** As they are now. */
  running(): readonly RunningModule[];
}
