import type { FlowProbe } from '../contracts/probe.ts';
import { RunSecrecy, type SecretiveRun, secrecyOfRun } from '../debug/run-secrecy.ts';
import { Secrecy } from '../debug/snapshot.ts';
import type { Clock } from '../observe/clock.ts';
import type { Log } from '../observe/log.ts';
import { errorText, printable } from '../observe/mask.ts';
import type { FlowOrigin } from './flow-observer.ts';

/** Characters of data that a stage line shows (supplement-flows 5, `--verbose-flow`). */
const shownData = 200;

/** What a flow carries, as far as it is shown. */
interface ShownFrame {
  readonly input?: unknown;
  readonly output?: unknown;
  readonly answer?: unknown;
}

interface Execution extends SecretiveRun {
  /** When each stage under way was entered, innermost last. */
  readonly entered: number[];
}

/** Logs one debug line for every stage of every flow. What a run makes of hidden values is masked wherever it comes up. */
export function stageLog(log: Log, clock: Clock): FlowProbe {
  const running = new Set<Execution>();
  const fresh = () => new RunSecrecy(new Secrecy(true), undefined, true);
  return {
    attached: true,
    begin: (flow, frame): Execution => {
      const run = { flow, secrecy: secrecyOfRun(frame, running, fresh), entered: [] };
      running.add(run);
      return run;
    },
    enter: (thread, _place, rule) => {
      if (rule === undefined) (thread as Execution).entered.push(clock.elapsed());
    },
    leave: (thread, place, rule, frame, error, result) => {
      const { flow, secrecy, entered } = thread as Execution;
      if (rule !== undefined) return void secrecy.hidesResult(rule, place, frame, error, result);
      const { stage, name } = place;
      const now = clock.elapsed();
      const duration = `${(now - (entered.pop() ?? now)).toFixed(3)}ms`;
      const { answer, output, input } = frame as ShownFrame;
      for (const made of [answer, output, result]) secrecy.learnMembers(made);
      const data = cut(printableText(secrecy.masked(answer ?? output ?? input)), shownData);
      const fields = { flow, stage, ...(name === '' ? {} : { name }), duration, data };
      log.debug('trace', error === undefined ? fields : { ...fields, error: secrecy.clean(errorText(error)) });
    },
    end: (thread) => void running.delete(thread as Execution),
  };
}

/** Logs what comes into every flow, cut to a number of bytes; credentials are masked (supplement-flows 7.3). */
export function payloadLog(log: Log, size: number, origins: () => ReadonlyMap<string, FlowOrigin>): FlowProbe {
  return {
    attached: true,
    begin: (flow, frame) => {
      const payload = cutBytes(printableText((frame as ShownFrame).input), size);
      log.debug('incoming payload', { flow, source: origins().get(flow)?.source, payload });
    },
    enter: () => undefined,
    leave: () => undefined,
    end: () => undefined,
  };
}

/** Several probes as one; undefined when there are none, so that nothing is paid. */
export function combineProbes(probes: readonly FlowProbe[]): FlowProbe | undefined {
  const [only] = probes;
  if (probes.length < 2) return only;
  return {
    get attached() {
      return probes.some(({ attached }) => attached);
    },
    begin: (flow, frame) => probes.map((probe) => probe.begin(flow, frame)),
    enter: (threads, place, rule, frame) =>
      together(probes, (probe, at) => probe.enter((threads as unknown[])[at], place, rule, frame)),
    leave: (threads, place, rule, frame, error, result) =>
      together(probes, (probe, at) => probe.leave((threads as unknown[])[at], place, rule, frame, error, result)),
    end: (threads, error, output, drop) =>
      probes.forEach((probe, at) => void probe.end((threads as unknown[])[at], error, output, drop)),
  };
}

/** Tells every probe; a promise only when one of them wants to be waited for. */
function together(
  probes: readonly FlowProbe[],
  tell: (probe: FlowProbe, at: number) => void | Promise<void>,
): void | Promise<void> {
  let waits: Promise<void>[] | undefined;
  probes.forEach((probe, at) => {
    const wait = tell(probe, at);
    if (wait !== undefined) (waits ??= []).push(wait);
  });
  return waits && Promise.all(waits).then(() => undefined);
}

function printableText(value: unknown): string {
  return JSON.stringify(printable(value)) ?? '';
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

function cutBytes(text: string, most: number): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= most) return text;
  const kept = Buffer.from(text)
    .subarray(0, most)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
  return `${kept}… (${bytes} bytes)`;
}
