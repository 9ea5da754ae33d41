import type * as Grpc from '@grpc/grpc-js';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Admitted } from '../server/admission.ts';
import { IncomingCall } from '../server/incoming-call.ts';
import { statusCodes } from '../status.ts';
import type { Descriptors } from './descriptors.ts';
import { errorAnswer, extensionsAnswer, filesAnswer, questionOf, servicesAnswer } from './messages.ts';
import { reflectionPath, reflectionServices } from './paths.ts';

type Stream = Grpc.ServerDuplexStream<Buffer, Buffer>;

const asIs = (bytes: Buffer) => bytes;
/** Callers that ask at a time; further ones are refused. */
const mostCallers = 100;
/** Milliseconds without a question, after which a stream is ended. */
const longestPause = 60_000;

/** What the service needs of its server. */
export interface ReflectionParts {
  /** Decides about a caller, as about those of flows. */
  readonly admit: (call: IncomingCall) => Admitted | Promise<Admitted>;
  readonly failureStatus: (failure: Failure) => Grpc.StatusObject;
  readonly newMetadata: () => Grpc.Metadata;
  /** Services that have flows. */
  readonly services: () => readonly string[];
  /** What the files in use define; loaded when it is first asked for. */
  readonly descriptors: () => Promise<Descriptors>;
}

/** Says which services there are, and what their messages have: for tools that know no definitions (`grpc.reflection`). */
export class ReflectionService {
  readonly #parts: ReflectionParts;
  readonly #streams = new Set<Stream>();

  constructor(parts: ReflectionParts) {
    this.#parts = parts;
  }

  register(server: Grpc.Server): void {
    for (const service of reflectionServices) {
      const path = reflectionPath(service);
      server.register(path, (stream: Stream) => void this.#take(stream, path), asIs, asIs, 'bidi');
    }
  }

  /** Ends what is being asked. */
  stop(): void {
    for (const stream of this.#streams) stream.end();
    this.#streams.clear();
  }

  async #take(stream: Stream, path: string): Promise<void> {
    const { admit, failureStatus, newMetadata } = this.#parts;
    if (this.#streams.size >= mostCallers) {
      stream.emit('error', { code: statusCodes.RESOURCE_EXHAUSTED, details: `${mostCallers} callers ask already` });
      return;
    }
    this.#streams.add(stream);
    const idle = setTimeout(() => stream.end(), longestPause);
    const gone = () => {
      clearTimeout(idle);
      this.#streams.delete(stream);
    };
    stream.on('cancelled', gone);
    stream.on('close', gone);
    const questions: Buffer[] = [];
    let take = (question: Buffer) => void questions.push(question);
    stream.on('data', (question: Buffer) => take(question));
    const ended = new Promise<void>((resolve) => stream.on('end', resolve));
    const call = new IncomingCall(stream, path);
    const admitted = await Promise.resolve(admit(call)).catch((error: unknown) => asFailure(error));
    if (stream.cancelled) return;
    call.sendHeaders(newMetadata);
    if (admitted instanceof Failure) {
      stream.emit('error', failureStatus(admitted));
      gone();
      return;
    }
    const descriptors = await this.#parts.descriptors();
    take = (question) => {
      idle.refresh();
      if (!stream.write(this.#answer(question, descriptors))) {
        stream.pause();
        stream.once('drain', () => stream.resume());
      }
    };
    for (const question of questions.splice(0)) take(question);
    await ended;
    if (!stream.cancelled) stream.end();
    gone();
  }

  #answer(request: Buffer, descriptors: Descriptors): Buffer {
    const question = questionOf(request);
    if (question === undefined) return errorAnswer(request, statusCodes.INVALID_ARGUMENT, 'nothing is asked');
    switch (question.kind) {
      case 'services':
        return servicesAnswer(request, this.#parts.services());
      case 'extensions':
        if (descriptors.isMessage(question.name)) return extensionsAnswer(request, question.name);
        break;
      case 'file':
      case 'symbol': {
        const { kind, name } = question;
        const files = kind === 'file' ? descriptors.ofFile(name) : descriptors.ofSymbol(name);
        if (files !== undefined) return filesAnswer(request, files);
        break;
      }
    }
    return errorAnswer(request, statusCodes.NOT_FOUND, 'it is not known here');
  }
}
