import { Readable } from 'node:stream';
import type { CallResult } from '../../foundation/contracts/call-result.ts';
import type { Content } from '../../foundation/contracts/content.ts';
import type { CallDescription, CallRequest, Execute } from '../../foundation/contracts/target.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { Passage } from '../../platform/content/passage.ts';
import { Spool } from '../../platform/content/spool.ts';
import { Program } from '../../platform/processes/program.ts';
import type { Run } from '../../platform/processes/runner.ts';
import { afterMark } from './after-mark.ts';
import { Arguments, writtenPlaces } from './arguments.ts';
import type { Engine, ExecConfig } from './engine.ts';
import { feed, fieldsOf, givenInput, type Input, inputOf } from './input.ts';
import { rowsOf } from './output.ts';

/** What an operation of the configuration says differently from the block of its connector. */
type Named = Partial<Pick<ExecConfig, 'command' | 'args' | 'input_format' | 'output_format' | 'content_type'>>;

/** What is decided of a call before any message. */
interface Prepared {
  readonly engine: Engine;
  readonly description: CallDescription;
  readonly config: ExecConfig;
  /** Fields that may become arguments. */
  readonly declared: ReadonlySet<string>;
  readonly isWritten: (place: number) => boolean;
}

/** What one message asks of the program. */
interface Asked {
  readonly args: readonly string[];
  readonly input: Input;
}

/** The call of each message. It runs one program. */
export function prepareCall(engine: Engine, description: CallDescription): Execute {
  const named = (description.named ?? {}) as Named;
  const set = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  const config = { ...engine.config, ...set, timeout: description.timeout ?? engine.config.timeout };
  const declared = new Set([...(description.fields ?? []), ...(description.parameters ?? [])]);
  const isWritten = writtenPlaces(description.written?.['args']);
  const prepared = { engine, description, config, declared, isWritten };
  engine.uses(config.command);
  if (config.input_format === 'args' && declared.size === 0 && description.verb !== 'call')
    engine.log.warn('no field becomes an argument of the program, since the configuration names none', {
      flow: description.flow,
      place: description.label,
      help: 'Write a transform, or validate the input by a type.',
    });
  return async (request) => {
    engine.demandOpen();
    const asked = askedBy(prepared, request);
    return engine.runner.run(request.signal, config.timeout, (stop) => begin(prepared, request, asked, stop));
  };
}

/** Arguments in the order: those of the block, operation, target, those of the call, fields. Throws a Failure. */
function askedBy({ description, config, declared, isWritten }: Prepared, request: CallRequest): Asked {
  const args = new Arguments(config.args ?? []);
  // The operation of a destination is a name for people; that of a step is what the program is asked for.
  if (description.verb === 'call' && description.named === undefined && description.operation)
    args.written(description.operation, 'operation');
  if (description.target) args.written(description.target, 'target');
  else if (request.target) args.given(request.target, 'target');
  const { args: own, stdin } = (request.words ?? {}) as { readonly args?: unknown; readonly stdin?: unknown };
  for (const [place, value] of (Array.isArray(own) ? own : [own]).entries()) {
    const name = `args[${place}]`;
    if (isWritten(place)) args.written(value, name);
    else args.given(value, name);
  }
  const fields = fieldsOf(request);
  const isGiven = description.written?.['stdin'] !== undefined;
  if (config.input_format === 'args') {
    for (const name of Object.keys(fields).sort()) if (declared.has(name)) args.field(name, fields[name]);
    return { args: args.all, input: isGiven ? givenInput(stdin) : undefined };
  }
  const input = isGiven ? givenInput(stdin) : inputOf(fields, description.binary === true);
  return { args: args.all, input };
}

/** Starts the program. Rejects when it cannot be started. */
async function begin(
  prepared: Prepared,
  request: CallRequest,
  asked: Asked,
  stop: AbortSignal,
): Promise<Run<CallResult>> {
  const { engine, config } = prepared;
  const launch = await engine.launch(config.command, asked.args);
  const program = new Program(launch, { stop, killAfter: config.kill_after, maxStderr: config.max_stderr });
  const { opening } = engine;
  const begun = Promise.withResolvers<void>();
  if (opening === undefined) begun.resolve();
  const fed = begun.promise.then(() => {
    if (opening !== undefined) program.stdin.write(opening.answer);
    return feed(program.stdin, asked.input);
  });
  const end = (error: unknown) => {
    program.end(asFailure(error));
    throw error;
  };
  fed.catch((error) => program.end(asFailure(error), true));
  const answer = answerOf(prepared, request, program, begun.resolve).catch(end);
  return { answer, gone: program.gone };
}

async function answerOf(
  prepared: Prepared,
  request: CallRequest,
  program: Program,
  begun: () => void,
): Promise<CallResult> {
  const { description, config } = prepared;
  const { verb, exact } = description;
  if (config.output_format === 'binary') {
    const value = await fileOf(prepared, request, program, begun);
    return verb === 'call' || value === undefined ? { value: value ?? null } : { value, affected: 1 };
  }
  const pieces: Buffer[] = [];
  for await (const piece of bounded(prepared, program, begun)) pieces.push(piece);
  const rows = await rowsOf(Buffer.concat(pieces), config.output_format, exact);
  if (verb === 'call') return { value: rows.length === 1 ? rows[0] : rows };
  return verb === 'read' ? { rows } : { rows, affected: 1 };
}

/** The output as a file, kept until its message has ended, or passed on while it comes. Undefined when the program has written nothing. */
async function fileOf(
  { engine, description, config }: Prepared,
  request: CallRequest,
  program: Program,
  begun: () => void,
): Promise<Content | undefined> {
  const output = bounded({ engine, description, config }, program, begun);
  const label = { filename: '', contentType: config.content_type };
  if (description.once === true && request.passes === true) {
    const first = await output.next();
    if (first.done) return undefined;
    const stream = Readable.from(passing(first.value, output, program), { objectMode: false });
    const passage = new Passage({ size: undefined, begin: first.value, stream });
    request.contents?.own(passage);
    return passage.content(label);
  }
  const spool = new Spool();
  try {
    for await (const piece of output) await spool.append(piece);
  } catch (error) {
    spool.close();
    throw error;
  }
  if (request.contents === undefined) spool.close();
  else request.contents.own(spool);
  return spool.size === 0 ? undefined : spool.content(0, label);
}

/** What comes after the first piece. Its reader may leave, which ends the program. */
async function* passing(first: Buffer, rest: AsyncGenerator<Buffer>, program: Program): AsyncGenerator<Buffer> {
  try {
    yield first;
    yield* rest;
  } catch (error) {
    program.end(asFailure(error));
    throw error;
  } finally {
    program.end(new Failure('cancelled', 'the output of the command is not wanted any more'));
  }
}

/** The output up to its limit, and then the failure of the program if it failed. `begun` is called where it has an opening. */
async function* bounded(
  { engine, config, description }: Pick<Prepared, 'engine' | 'config' | 'description'>,
  program: Program,
  begun: () => void,
): AsyncGenerator<Buffer, void, undefined> {
  const { opening } = engine;
  let hasBegun = opening === undefined;
  const begins = () => {
    hasBegun = true;
    begun();
  };
  const output = opening === undefined ? program.output() : afterMark(program.output(), opening.mark, begins);
  let size = 0;
  for await (const piece of output) {
    size += piece.length;
    if (size > config.max_output)
      throw new Failure('connector_failed', `the command wrote more than ${config.max_output} bytes (max_output)`, {
        retriable: false,
      });
    yield piece;
  }
  const exit = await program.exit;
  const { stderr } = program;
  const failure = engine.failed(exit, stderr, hasBegun);
  if (failure !== undefined) throw failure;
  if (stderr !== '') engine.log.debug('a program wrote on standard error', { flow: description.flow, stderr });
}
