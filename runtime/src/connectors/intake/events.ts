import type { EventSource } from '../../foundation/contracts/events.ts';
import type { Driver } from './driver.ts';

/** What moves an intake, and what it holds. */
interface Moved extends Pick<EventSource, 'admit'> {
  readonly held: { readonly size: number };
  readonly pull: NonNullable<EventSource['pull']>;
}

/** An intake as a debugger sees it. */
export function eventsOf(driver: Driver, { held, admit, pull }: Moved): EventSource {
  return {
    type: driver.type,
    get name() {
      return driver.name;
    },
    prefetch: driver.window,
    get unsettled() {
      return held.size;
    },
    admit,
    countsHeld: driver.countsHeld,
    ...(driver.waiting && { waiting: () => (driver.waiting as NonNullable<Driver['waiting']>)() }),
    ...(driver.figures && { figures: () => (driver.figures as NonNullable<Driver['figures']>)() }),
    ...(driver.take && { pull }),
  };
}
