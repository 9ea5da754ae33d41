import { Fields } from '@svc/protocol/cel';
import protobuf from 'protobufjs';
import type { Auth } from '../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { logged } from '../../../foundation/errors/report.ts';
import type { Reading } from '../../../foundation/observe/clock.ts';
import { readMessage } from '../../../platform/formats/protobuf/read.ts';
import type { WritingForm } from '../../../platform/formats/protobuf/write.ts';
import type { Room } from '../../../platform/http/admission/room.ts';
import type { Turns } from '../../../platform/http/admission/turns.ts';
import { headerPairs } from '../../../platform/http/response-headers.ts';
import { type Listed, unlisted } from '../../intake/roster.ts';
import { isOfProtocol } from '../metadata.ts';
import { httpStatusOf } from '../status.ts';
import type { Admitted } from './admission.ts';
import { answerOf } from './answer.ts';
import type { CallContext } from './call-context.ts';
import { CallMessage } from './call-message.ts';
import { CallTime } from './call-time.ts';
import { failureStatus } from './failure-status.ts';
import type { IncomingCall } from './incoming-call.ts';
import type { ServedMethod } from './methods.ts';
import type { CallEnd, Serving } from './serving.ts';

/** What a call needs of the server that runs it. */
export interface CallHost {
  readonly context: CallContext;
  readonly room: Room;
  readonly turns: Turns<RunningCall>;
  /** The call is answered, and its flow has ended. */
  ended(call: RunningCall): void;
}

/** One call from its first header to its end: it is admitted, its messages are read, and its flow answers. */
export class RunningCall implements Listed {
  place = unlisted;
  readonly #calls: CallHost;
  readonly #call: IncomingCall;
  readonly #served: ServedMethod;
  readonly #serving: Serving;
  readonly #done: (end: CallEnd) => void;
  readonly #time: CallTime;
  readonly #startedAt: Reading;
  #auth: Auth | undefined;
  #messages: readonly Uint8Array[] | undefined;
  #isAnswered = false;
  /** Its flow has begun, and not ended. */
  #isServing = false;
  #isSettled = false;

  constructor(
    calls: CallHost,
    call: IncomingCall,
    served: ServedMethod,
    serving: Serving,
    done: (end: CallEnd) => void,
  ) {
    this.#calls = calls;
    this.#call = call;
    this.#served = served;
    this.#serving = serving;
    this.#done = done;
    this.#startedAt = calls.context.services.clock.reading();
    const { timeout: most } = calls.context;
    const { timeout: own } = served.binding;
    const timeout = own === undefined || most === undefined ? (own ?? most) : Math.min(own, most);
    this.#time = new CallTime(timeout, () =>
      this.#refuse(new Failure('request_timeout', `the call took longer than ${(timeout ?? 0) / 1000} s`)),
    );
  }

  /** Counts it, and decides whether it may be served. */
  begin(): void {
    const { room } = this.#calls;
    room.inFlight++;
    this.#serving.generation.begin();
    this.#served.counts?.started();
    if (this.#served.method.requestStream) this.#call.onCancelled(this.#left);
    let admitted: Admitted | Promise<Admitted>;
    try {
      admitted = this.#serving.admission.admit(this.#call, room);
    } catch (error) {
      return this.#refuse(asFailure(error));
    }
    if (admitted instanceof Promise)
      admitted.then(
        (late) => this.#admitted(late),
        (error: unknown) => this.#refuse(asFailure(error)),
      );
    else this.#admitted(admitted);
  }

  /** The library says it of every call that is over, and a failure is expensive to make. */
  readonly #left = (): void => {
    if (!this.#isSettled) this.abort(new Failure('cancelled', 'the caller went away'));
  };

  /** All messages of the caller. */
  receive(messages: readonly Uint8Array[]): void {
    this.#messages = messages;
    this.#proceed();
    // Most calls of one message are over by now.
    if (!this.#isSettled && !this.#served.method.requestStream) this.#call.onCancelled(this.#left);
  }

  /** What came is refused. */
  refuse(failure: Failure): void {
    this.#refuse(failure);
  }

  /** The caller has gone, or the service stops. */
  abort(failure: Failure): void {
    if (this.#isSettled) return;
    this.#time.abort();
    // What its flow still does is part of it.
    if (!this.#isServing) this.#refuse(failure);
  }

  /** Runs its flow. Called when it is its turn. Never throws. */
  serve(): void {
    if (this.#isAnswered) return;
    try {
      const outcome = this.#deliver();
      if (!(outcome instanceof Promise)) return this.#answer(outcome);
      this.#isServing = true;
      outcome.then(
        (late) => {
          this.#isServing = false;
          this.#answer(late);
        },
        (error: unknown) => {
          this.#isServing = false;
          this.#refuse(this.#failureOf(error));
        },
      );
    } catch (error) {
      this.#refuse(this.#failureOf(error));
    }
  }

  #admitted(admitted: Admitted): void {
    if (admitted instanceof Failure) return this.#refuse(admitted);
    this.#auth = admitted;
    this.#proceed();
  }

  #proceed(): void {
    if (this.#auth !== undefined && this.#messages !== undefined && !this.#isAnswered) this.#calls.turns.take(this);
  }

  #deliver(): Outcome | Promise<Outcome> {
    const { method, binding } = this.#served;
    const form = { defaults: this.#calls.context.defaults, wellKnown: true };
    const read = (bytes: Uint8Array) => readMessage(method.request, protobuf.Reader.create(bytes), form);
    const [first = new Uint8Array(), ...others] = this.#messages ?? [];
    const fields = method.requestStream
      ? Object.assign(new Fields(), { messages: this.#messages?.map(read) })
      : read(first);
    if (!method.requestStream && others.length > 0) throw new Failure('input_refused', 'one message was expected');
    const message = new CallMessage(fields as Record<string, unknown>, this.#call, this.#auth as Auth, this.#time);
    return binding.deliver(message);
  }

  #answer(outcome: Outcome): void {
    if (this.#isAnswered) return this.#settle();
    const { method, binding } = this.#served;
    try {
      const answer = answerOf(outcome, method, this.#writing(binding.flow));
      if (outcome.kind !== 'drop' && outcome.headers !== undefined) this.#call.addHeaders(metadataOf(outcome.headers));
      if (answer instanceof Failure) this.#refuse(answer);
      else this.#end({ messages: answer }, 0);
    } catch (error) {
      this.#refuse(this.#failureOf(error));
    }
  }

  #refuse(failure: Failure): void {
    if (this.#isAnswered) return this.#settle();
    const { newMetadata, services, connector } = this.#calls.context;
    const { status, requestId, isCut } = failureStatus(failure, services.production, newMetadata());
    if (isCut)
      services.log.warn('the body of a failure is too large for the details of its status', {
        connector,
        method: this.#served.method.path,
        flow: this.#served.binding.flow,
      });
    if (requestId !== undefined) this.#report(failure, requestId, connector);
    this.#end({ status }, status.code);
  }

  #end(end: CallEnd, code: number): void {
    const { clock } = this.#calls.context.services;
    this.#isAnswered = true;
    this.#time.end();
    this.#calls.room.inFlight--;
    this.#served.counts?.finished(httpStatusOf(code), clock.since(this.#startedAt) / 1000);
    this.#settle();
    if (!this.#call.cancelled) this.#call.sendHeaders(this.#calls.context.newMetadata);
    this.#done(end);
  }

  /** It is over when it is answered and its flow has ended. */
  #settle(): void {
    if (this.#isServing || this.#isSettled) return;
    this.#isSettled = true;
    this.#serving.generation.end();
    this.#calls.ended(this);
  }

  #failureOf(error: unknown): Failure {
    return asFailure(error, { flow: this.#served.binding.flow });
  }

  /** Fields that the message does not have are an error while a service is made, and left out where it serves others. */
  #writing(flow: string): WritingForm {
    const { services } = this.#calls.context;
    if (!services.production) return usualWriting;
    return {
      unknown: (path) => services.log.warn('a field of the answer is not in the message', { flow, field: path }),
    };
  }

  /** Logs a failure of the service under the id that its caller received. */
  #report(failure: Failure, requestId: string, connector: string): void {
    this.#calls.context.services.log.error('request failed', {
      connector,
      request_id: requestId,
      method: this.#served.method.path,
      ...logged(failure),
    });
  }
}

const usualWriting: WritingForm = {};

/** The headers of an answer as metadata: names and values in turn. Throws `internal` for what is not a flow's to say. */
function metadataOf(headers: Readonly<Record<string, string>>): readonly string[] {
  const own = Object.keys(headers).find(isOfProtocol);
  if (own !== undefined) throw new Failure('internal', `the answer may not set the header ${own}`);
  return headerPairs(headers);
}
