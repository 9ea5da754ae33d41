import type { Values } from '@svc/protocol/schema';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import { Intake } from '../../intake/intake.ts';
import type { Engine } from '../engine.ts';
import { WatchDriver } from './driver.ts';
import type { watchBlock } from './spec.ts';

/** What the block of a store says of its watch. */
interface WatchConfig {
  readonly watch?: Values<typeof watchBlock> | undefined;
  readonly watch_interval: number;
}

/** The event source of a store. */
export interface FileWatch {
  readonly source: Intake;
  /** Why files are not taken as they should be; undefined while all is well. */
  readonly problem: string | undefined;
  open(): Promise<void>;
  close(cut?: AbortSignal): Promise<void>;
}

/** The event source of a store whose files are watched; undefined of another one. `folder` is what is looked at, for people. */
export function watchOf(
  type: string,
  folder: string,
  engine: Engine,
  { watch, watch_interval: interval }: WatchConfig,
  services: ConnectorServices,
): FileWatch | undefined {
  if (watch?.enabled !== true) return undefined;
  const { done, failed, retry_count: retries, workers, recursive } = watch;
  const driver = new WatchDriver(
    type,
    folder,
    engine,
    { done, failed, retries, interval, workers, recursive },
    services,
  );
  const source = new Intake(driver, { connector: engine.connector, services });
  let isOpen = false;
  return {
    source,
    get problem() {
      return driver.problem ?? source.problem ?? source.pause;
    },
    open: async () => {
      if (isOpen) return;
      await driver.begin();
      isOpen = true;
      await source.connected();
    },
    close: async (cut) => {
      await source.stop(cut);
      if (isOpen) source.disconnected();
      driver.reset();
      isOpen = false;
    },
  };
}
