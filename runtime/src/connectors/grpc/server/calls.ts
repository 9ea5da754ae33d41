import { Failure } from '../../../foundation/errors/failure.ts';
import { Room } from '../../../platform/http/admission/room.ts';
import { Turns } from '../../../platform/http/admission/turns.ts';
import { Roster } from '../../intake/roster.ts';
import type { CallContext } from './call-context.ts';
import type { IncomingCall } from './incoming-call.ts';
import type { ServedMethod } from './methods.ts';
import { type CallHost, RunningCall } from './running-call.ts';
import type { CallEnd, Serving } from './serving.ts';

/** Runs the flows of calls within the limits of their server. */
export class Calls implements CallHost {
  readonly context: CallContext;
  readonly room: Room;
  readonly turns: Turns<RunningCall>;
  readonly #running = new Roster<RunningCall>();

  constructor(context: CallContext) {
    const { clock } = context.services;
    this.context = context;
    this.room = new Room(context.maxInFlight, clock);
    this.turns = new Turns<RunningCall>(
      clock,
      () => this.room,
      (call) => call.serve(),
    );
  }

  /**
   * Begins a call with the flows of one configuration; its messages are given to what is returned. `done` is called once,
   * for a call that is refused at once before this returns.
   */
  begin(call: IncomingCall, served: ServedMethod, serving: Serving, done: (end: CallEnd) => void): RunningCall {
    const running = new RunningCall(this, call, served, serving, done);
    this.#running.add(running);
    running.begin();
    return running;
  }

  ended(call: RunningCall): void {
    this.#running.delete(call);
  }

  /** Ends what is under way. */
  abort(): void {
    const failure = new Failure('cancelled', 'the service is stopping');
    for (const call of this.#running.all()) call.abort(failure);
  }
}
