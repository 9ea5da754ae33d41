import type { SyntaxTree } from '@svc/protocol/syntax';
import type { Diagnostic } from '@svc/protocol/text';
import type { Capture } from '../../foundation/contracts/capture.ts';
import type { BoundAddress } from '../../foundation/contracts/http.ts';
import type { Plan } from '../../foundation/contracts/plan.ts';
import type { FlowProbe } from '../../foundation/contracts/probe.ts';
import type { Clock } from '../../foundation/observe/clock.ts';
import type { Log } from '../../foundation/observe/log.ts';
import type { ConfigurationSnapshot } from '../config/snapshot.ts';
import type { DebugEntryPoint } from '../debug/connection/entry-point.ts';
import type { Generation } from './generation/generation.ts';
import type { Placement } from './generation/placement.ts';
import type { BuiltinSources } from './health/builtins.ts';
import type { CreateListener } from './http/listener.ts';
import type { ServiceSettings } from './settings.ts';

/** The present content of the files. */
export interface Loaded {
  readonly files: readonly SyntaxTree[];
  readonly diagnostics: readonly Diagnostic[];
  /** The files that were read, for other processes that are to load the same. */
  readonly snapshot?: ConfigurationSnapshot | undefined;
  /** Files that it names beside its own; see `LoadedConfiguration.named`. */
  readonly named?: ReadonlyMap<string, string> | undefined;
  /** Absent when a diagnostic is an error. */
  readonly ready: { readonly plan: Plan; readonly settings: ServiceSettings } | undefined;
}

/** Everything that a service needs besides its configuration. */
export interface ServiceSetup {
  /** Reads and checks the configuration; called at start and for each reload. */
  readonly load: () => Promise<Loaded>;
  readonly createListener: CreateListener;
  readonly log: Log;
  readonly clock: Clock;
  /** `development`, `staging`, `production` or free text. */
  readonly environment: string;
  readonly production: boolean;
  /** Absolute path of the configuration. */
  readonly directory: string;
  readonly productVersion: string;
  /** Keeps notifications instead of their being sent. Absent: they are sent. */
  readonly capture?: Capture | undefined;
  /** Watches flows; asked once per generation, after its configuration was loaded. */
  readonly probe?: () => FlowProbe | undefined;
  /** Lets clients watch and pause flows; absent: debugging is off. */
  readonly debug?: DebugEntryPoint;
  /** Called with each generation that begins to serve; the service does not wait for its result. */
  readonly afterUse?: (generation: Generation) => Promise<void>;
  /** Longest wait for one connector at start, in milliseconds. Default: 30 s. */
  readonly openTimeout?: number;
  /** False when another process has already logged the warnings of the configuration. Default: true. */
  readonly tellWarnings?: boolean;
  /** False where another process serves health and metrics (workers). Default: true. */
  readonly admin?: boolean;
  /** Part of the default rate limit that this process has. Default: 1. */
  readonly share?: number;
  /** Which connectors run in this process, when it is one of several. Absent: all of them. */
  readonly placement?: Placement;
  /** Where `/health` and `/metrics` come from when this process is one of several. */
  readonly builtins?: Partial<BuiltinSources>;
}

/** What a service listens on, and how long it took to be ready. */
export interface StartReport {
  readonly settings: ServiceSettings;
  readonly addresses: ReadonlyMap<string, BoundAddress>;
  readonly admin: BoundAddress | undefined;
  readonly connectors: number;
  readonly flows: number;
  /** Milliseconds. */
  readonly took: number;
}
