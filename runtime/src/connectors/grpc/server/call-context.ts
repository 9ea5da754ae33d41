import type { Metadata } from '@grpc/grpc-js';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';

/** What all calls of a server share. */
export interface CallContext {
  readonly connector: string;
  readonly services: ConnectorServices;
  readonly timeout: number | undefined;
  readonly maxInFlight: number;
  readonly defaults: boolean;
  readonly newMetadata: () => Metadata;
}
