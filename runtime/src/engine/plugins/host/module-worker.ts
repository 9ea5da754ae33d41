import { parentPort, workerData } from 'node:worker_threads';
import { Misbehaved, ModuleInstance, TooLarge } from './instance.ts';
import { fields, laneBytes, type Status, status, steadyTime } from './lane.ts';
import type { Batch, BatchDone, CallShape, FromThread, ThreadData } from './messages.ts';

/** The program of a thread that runs one instance of a module. It waits for messages and does nothing between them. */
const { module, functions, maxBytes, lane, initial } = workerData as ThreadData;
const port = parentPort as NonNullable<typeof parentPort>;
const inputs = new Uint8Array(lane.inputs);
const answers = new Uint8Array(lane.answers);
const states = new Int32Array(lane.states);
const clock = new Float64Array(lane.clock);
const encoder = new TextEncoder();
/** Characters of a problem that are kept. */
const mostOfProblem = 500;
/** Lines that are sent of one batch. */
const mostLines = 100;

const state: {
  instance: ModuleInstance | undefined;
  printed: BatchDone['printed'];
  /** Functions by their numbers. */
  shapes: readonly CallShape[];
} = {
  instance: undefined,
  printed: undefined,
  shapes: [],
};

function make(): ModuleInstance {
  const made = new ModuleInstance(module, functions, maxBytes);
  if (initial === undefined) return made;
  const answer = made.call(initial.call.entry, encoder.encode(initial.input), initial.call.convention);
  const problem = errorIn(answer);
  if (problem !== undefined) throw new Error(`${initial.call.entry}: ${problem}`);
  return made;
}

/** The `error` of an answer that has one. An empty answer says nothing. */
function errorIn(answer: Uint8Array | boolean): string | undefined {
  if (typeof answer === 'boolean' || answer.length === 0) return undefined;
  const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(answer)) as unknown;
  if (typeof value !== 'object' || value === null || !('error' in value) || value.error === null) return undefined;
  return String(value.error).slice(0, mostOfProblem);
}

/** Keeps what an instance printed, within the bound of one message. */
function print(from: ModuleInstance | undefined): void {
  const more = from?.system.takeLines();
  if (more === undefined) return;
  const lines = [...(state.printed?.lines ?? []), ...more.lines];
  const left = (state.printed?.left ?? 0) + more.left + Math.max(0, lines.length - mostLines);
  state.printed = { lines: lines.slice(0, mostLines), left };
}

function says(message: FromThread): void {
  port.postMessage(message);
}

function problemOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, mostOfProblem);
}

function run(batch: Batch): void {
  const { count, large } = typeof batch === 'number' ? { count: batch } : batch;
  if (typeof batch !== 'number' && batch.shapes !== undefined) state.shapes = batch.shapes;
  let rebuilt = 0;
  let from = 0;
  let written = 0;
  let kept: Uint8Array | undefined;
  let at = 0;
  Atomics.store(states, 0, 0);
  for (; at < count && kept === undefined; at++) {
    const base = 1 + at * fields;
    const { entry, convention } = state.shapes[states[base] as number] as CallShape;
    const length = states[base + 1] as number;
    clock[0] = steadyTime();
    // A copy: what is behind shared memory may not be handed to a decoder, and the module keeps no view of it.
    const input = large ?? inputs.subarray(from, from + length);
    from += length;
    let code: Status;
    let answer: Uint8Array | undefined;
    try {
      const result = (state.instance ??= make()).call(entry, input, convention);
      if (typeof result === 'boolean') code = result ? status.true : status.false;
      else {
        code = status.text;
        answer = result;
      }
    } catch (error) {
      answer = encoder.encode(problemOf(error));
      if (error instanceof TooLarge) code = status.large;
      else {
        code = error instanceof Misbehaved && /max_bytes/.test(error.message) ? status.large : status.failed;
        print(state.instance);
        state.instance = undefined;
        rebuilt++;
        try {
          state.instance = make();
        } catch (again) {
          code = status.broken;
          answer = encoder.encode(`${problemOf(error)}; and it cannot be started again: ${problemOf(again)}`);
        }
      }
    }
    const size = answer?.length ?? 0;
    states[base + 2] = code;
    states[base + 3] = written;
    states[base + 4] = size;
    if (answer !== undefined) {
      if (written + size > laneBytes) kept = answer;
      else {
        answers.set(answer, written);
        written += size;
      }
    }
    if (kept === undefined) Atomics.store(states, 0, at + 1);
    if (code === status.broken) {
      at++;
      break;
    }
  }
  print(state.instance);
  const { printed } = state;
  if (kept === undefined && rebuilt === 0 && printed === undefined) {
    says(at);
    return;
  }
  const done: BatchDone = { kind: 'done', count: at, large: kept, rebuilt, printed };
  state.printed = undefined;
  port.postMessage(done, kept === undefined ? [] : [kept.buffer as ArrayBuffer]);
}

try {
  clock[0] = steadyTime();
  state.instance = make();
  says({ kind: 'ready' });
  port.on('message', run);
} catch (error) {
  says({ kind: 'unusable', problem: problemOf(error) });
}
