import type { Origin } from '@svc/protocol/schema';
import type { abis } from '../flow/module-spec.ts';

/** What bounds a module, as `plugin`, `functions`, `validator` and `sanitizer` blocks say it. */
export interface Limits {
  /** Milliseconds for one call. */
  readonly timeout: number;
  readonly max_memory_mb: number;
  readonly max_bytes: number;
  readonly instances: number;
}

/** A module, as the configuration or a manifest names it. */
export interface ModuleUse {
  /** For people: `plugin "geo": geo.wasm`. */
  readonly title: string;
  /** By which metrics and lists call it. */
  readonly name: string;
  /** Relative to the configuration directory, or absolute. */
  readonly path: string;
  /** The absolute form, where the host says it. */
  readonly absolute?: string | undefined;
  /** The folder that the module must not leave, also by links; undefined where the configuration names the file itself. */
  readonly folder: string | undefined;
  readonly abi: (typeof abis)[number];
  /** Undefined: those of the block that declares the plugin. */
  readonly limits: Limits | undefined;
  /** The plugin that it belongs to. */
  readonly plugin: string | undefined;
  /** Where it is named. */
  readonly origin: Origin;
  /** The functions that are needed of it: JSON, or 1 and 0. */
  readonly entries: readonly { readonly name: string; readonly kind: 'json' | 'flag'; readonly optional?: true }[];
}

/** A function of expressions. */
export interface FunctionModel {
  readonly name: string;
  /** Names of its arguments; undefined: any number up to five. */
  readonly parameters: readonly string[] | undefined;
  readonly deterministic: boolean;
  readonly module: ModuleUse;
  readonly origin: Origin;
}

export interface ValidatorModel {
  readonly name: string;
  readonly entry: string;
  readonly message: string | undefined;
  readonly module: ModuleUse;
}

export interface SanitizerModel {
  readonly name: string;
  readonly entry: string;
  /** Patterns of names of flows; undefined: all. */
  readonly flows: readonly string[] | undefined;
  /** Fields of the message; undefined: the message. */
  readonly fields: readonly string[] | undefined;
  readonly module: ModuleUse;
}

export interface ConnectorModel {
  readonly type: string;
  readonly module: ModuleUse;
}

/** A plugin that the configuration declares. */
export interface PluginModel {
  readonly name: string;
  readonly version: string;
  readonly description: string | undefined;
  readonly source: string;
  /** The file that describes it. */
  readonly manifest: string;
  /** The file of its icon, where the manifest is, and where that is written. */
  readonly icon: { readonly path: string; readonly origin: Origin } | undefined;
  readonly functions: readonly FunctionModel[];
  readonly validators: readonly ValidatorModel[];
  readonly sanitizers: readonly SanitizerModel[];
  readonly connectors: readonly ConnectorModel[];
}

/** `score(order, rate)` as it is written in `exports`. */
export function functionModels(
  written: readonly string[],
  deterministic: readonly string[],
  module: ModuleUse,
  origin: Origin,
): readonly FunctionModel[] {
  return written.map((text) => {
    const [name, inside] = text.replace(/\)\s*$/, '').split('(') as [string, string | undefined];
    const parameters = inside?.split(',').flatMap((each) => each.trim() || []);
    return { name: name.trim(), parameters, deterministic: deterministic.includes(name.trim()), module, origin };
  });
}
