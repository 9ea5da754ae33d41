import type { FlowProbe } from '../../foundation/contracts/probe.ts';
import type { Clock, Reading } from '../../foundation/observe/clock.ts';
import type { Log } from '../../foundation/observe/log.ts';
import { errorText, printable } from '../../foundation/observe/mask.ts';
import { RunSecrecy, type SecretiveRun, secrecyOfRun } from './values/run-secrecy.ts';
import { Secrecy } from './values/snapshot.ts';

/** Characters of data that a stage line shows. */
const shownData = 200;

/** What a flow carries, as far as it is shown. */
interface ShownFrame {
  readonly input?: unknown;
  readonly output?: unknown;
  readonly answer?: unknown;
}

interface Execution extends SecretiveRun {
  /** When each stage under way was entered, innermost last. */
  readonly entered: Reading[];
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
      if (rule === undefined) (thread as Execution).entered.push(clock.reading());
    },
    leave: (thread, place, rule, frame, error, result) => {
      const { flow, secrecy, entered } = thread as Execution;
      if (rule !== undefined) return void secrecy.hidesResult(rule, place, frame, error, result);
      const { stage, name } = place;
      const duration = `${clock.since(entered.pop() ?? clock.reading()).toFixed(3)}ms`;
      const { answer, output, input } = frame as ShownFrame;
      for (const made of [answer, output, result]) secrecy.learnMembers(made);
      const data = cut(printableText(secrecy.masked(answer ?? output ?? input)), shownData);
      const fields = { flow, stage, ...(name === '' ? {} : { name }), duration, data };
      log.debug('trace', error === undefined ? fields : { ...fields, error: secrecy.clean(errorText(error)) });
    },
    end: (thread) => void running.delete(thread as Execution),
  };
}

function printableText(value: unknown): string {
  return JSON.stringify(printable(value)) ?? '';
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
