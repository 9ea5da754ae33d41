import type { StatusObject } from '@grpc/grpc-js';
import type { Definitions } from '../../../platform/formats/protobuf/schema/read.ts';
import type { CallAdmission } from './admission.ts';
import type { Generation } from './generation.ts';
import type { ServedMethod } from './methods.ts';

/** What is served by the configuration that is in use. */
export interface Serving {
  readonly methods: ReadonlyMap<string, ServedMethod>;
  readonly generation: Generation;
  readonly admission: CallAdmission;
  /** Undefined before any configuration is in use. */
  readonly definitions: Definitions | undefined;
}

/** How a call ended. */
export type CallEnd = { readonly messages: readonly Uint8Array[] } | { readonly status: StatusObject };
