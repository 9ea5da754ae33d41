import type { ConnectorServices } from '../../foundation/contracts/connector.ts';

export interface IntakeOptions {
  readonly connector: string;
  readonly services: Pick<ConnectorServices, 'log' | 'clock' | 'sources'>;
  /** The connection delivers no more although it should: makes another one. Absent: the peer makes connections. */
  readonly renew?: ((reason: string) => void) | undefined;
}
