import type { Frame } from '../../../engine/flow/message/frame.ts';
import type { Restart } from '../../../engine/flow/message/restart.ts';
import type { Drop } from '../../../foundation/contracts/outcome.ts';
import type { WatchedRule, WatchedStage } from '../../../foundation/contracts/probe.ts';
import type { Clock, Reading } from '../../../foundation/observe/clock.ts';
import type { FlowTexts } from '../event-text.ts';
import type { Session } from '../session.ts';
import { ForcedValues } from '../values/forced.ts';
import type { RunSecrecy } from '../values/run-secrecy.ts';
import { type Mode, type Reason, run } from './stepping.ts';
import { Visits } from './visits.ts';

/** A stage under way. */
interface Entered {
  readonly place: WatchedStage;
  readonly at: Reading;
  /** How long the thread had been paused when the stage began. */
  readonly paused: number;
}

/** A pause. */
export interface Stop {
  readonly place: WatchedStage;
  readonly rule: WatchedRule | undefined;
  /** What expressions read there. */
  readonly scope: object;
  readonly reason: Reason;
  /** What failed; empty otherwise. */
  readonly message: string;
  /** Sessions whose breakpoint or step it was; the thread runs on when the last of them leaves. */
  readonly holders: Set<Session>;
  readonly since: Reading;
  /** Lets the flow continue, or go back. */
  readonly release: (back: Restart | undefined) => void;
  readonly over: Promise<void>;
}

/** One request in flight while a client is attached. It has one pause at a time, also when it writes side by side. */
export class Thread {
  readonly id: string;
  readonly flow: string;
  readonly frame: Frame;
  readonly secrecy: RunSecrecy;
  place: WatchedStage | undefined;
  rule: WatchedRule | undefined;
  mode: Mode = run;
  /** The session whose command set the mode. */
  stepper: Session | undefined;
  stop: Stop | undefined;
  /** Milliseconds of earlier pauses. */
  paused = 0;
  /** The failure that it was stopped for, so that it is not stopped again as the failure goes up. */
  failedWith: unknown;
  /** The drop that it was stopped for, which the parts around the gate pass on. */
  droppedBy: Drop | undefined;
  /** No client watches any more: it runs on and reports nothing. */
  isLeft = false;
  /** What its events look like. */
  readonly texts: FlowTexts;
  /** The part of the frame that was sent last, as long as nothing runs that could change it. */
  shown: { readonly value: unknown; readonly text: string; readonly version: number } | undefined;
  /** What clients changed. */
  readonly forced = new ForcedValues();
  readonly visits = new Visits();
  readonly #clock: Clock;
  readonly #began: Reading;
  readonly #entered: Entered[] = [];

  constructor(id: string, flow: string, frame: Frame, texts: FlowTexts, secrecy: RunSecrecy, clock: Clock) {
    this.id = id;
    this.flow = flow;
    this.frame = frame;
    this.texts = texts;
    this.secrecy = secrecy;
    this.#clock = clock;
    this.#began = clock.reading();
  }

  begin(place: WatchedStage): void {
    this.visits.begin(place, this.frame);
    this.#entered.push({ place, at: this.#clock.reading(), paused: this.paused });
  }

  /** Microseconds of the stage that ends, without pauses, and those of the pauses. */
  finish(place: WatchedStage): { readonly durationUs: number; readonly pausedUs: number } {
    this.visits.finish(place);
    const at = this.#entered.findLastIndex((each) => each.place === place);
    const [entered] = at < 0 ? [] : this.#entered.splice(at, 1);
    return this.#times(entered?.at ?? this.#clock.reading(), entered?.paused ?? this.paused);
  }

  /** The same of the whole thread. */
  total(): { readonly durationUs: number; readonly pausedUs: number } {
    return this.#times(this.#began, 0);
  }

  #times(began: Reading, before: number) {
    const paused = this.paused - before;
    return {
      durationUs: Math.max(0, Math.round((this.#clock.since(began) - paused) * 1000)),
      pausedUs: Math.round(paused * 1000),
    };
  }
}
