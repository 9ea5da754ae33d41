import type { EventName, EventParams } from '@svc/protocol/wire';
import type { WatchedRule, WatchedStage } from '../../foundation/contracts/probe.ts';
import { mask } from '../../foundation/observe/mask.ts';
import { shownRule } from './inspect.ts';
import type { Secrecy } from './values/snapshot.ts';
import { textOf } from './values/value-text.ts';

type Times = Pick<EventParams<'event.flowEnd'>, 'durationUs' | 'pausedUs'>;

/**
 * The events of one flow as JSON. They are many, so all that is the same each time is written once; values come
 * written already. Thread ids need no escapes.
 */
export class FlowTexts {
  readonly #flow: string;
  readonly #secrecy: Secrecy;
  /** Places are shared between flows. */
  readonly #places = new WeakMap<WatchedStage, PlaceTexts>();
  readonly #start: string;
  readonly #end: string;

  constructor(flow: string, secrecy: Secrecy) {
    this.#flow = `","flowName":${JSON.stringify(flow)}`;
    this.#secrecy = secrecy;
    this.#start = `${this.#flow},"input":`;
    this.#end = `${this.#flow},"output":`;
  }

  at(place: WatchedStage): PlaceTexts {
    let texts = this.#places.get(place);
    if (texts === undefined) this.#places.set(place, (texts = new PlaceTexts(this.#flow, place, this.#secrecy)));
    return texts;
  }

  start(thread: string, input: string): string {
    return `${flowStart}${thread}${this.#start}${input}}}`;
  }

  /** `dropped` is empty when the message was not dropped. */
  end(thread: string, output: string, times: Times, error: string, dropped: string): string {
    const before = `${flowEnd}${thread}${this.#end}${output}${timing(times)}`;
    return `${before},"error":${textOf(error)},"dropped":${dropped === '' ? 'null' : dropped}}}`;
  }
}

/** The events of one stage of a flow. */
class PlaceTexts {
  readonly #place: string;
  readonly #enter: string;
  readonly #exit: string;
  readonly #secrecy: Secrecy;
  readonly #rules: RuleText[] = [];

  constructor(flow: string, { stage, name }: WatchedStage, secrecy: Secrecy) {
    this.#place = `${flow},"stage":${JSON.stringify(stage)},"name":${JSON.stringify(name)}`;
    this.#enter = `${this.#place},"input":`;
    this.#exit = `${this.#place},"output":`;
    this.#secrecy = secrecy;
  }

  enter(thread: string, input: string): string {
    return `${stageEnter}${thread}${this.#enter}${input}}}`;
  }

  exit(thread: string, output: string, times: Times, error: string): string {
    return `${stageExit}${thread}${this.#exit}${output}${closing(times, error)}`;
  }

  /** `result` writes what the rule gave; it is not asked when the rule computes what is hidden. */
  rule(thread: string, rule: WatchedRule, result: (() => string) | undefined, error: string): string {
    const { begin, isHidden } = (this.#rules[rule.index] ??= ruleText(this.#place, rule, this.#secrecy));
    const shown = result === undefined ? 'null' : isHidden ? hidden : result();
    return `${ruleEval}${thread}${begin}${shown}${ending(error)}`;
  }
}

interface RuleText {
  readonly begin: string;
  readonly isHidden: boolean;
}

function ruleText(place: string, rule: WatchedRule, secrecy: Secrecy): RuleText {
  const { index, target, expression } = shownRule(rule, secrecy);
  return {
    begin: `${place},"ruleIndex":${index},"target":${JSON.stringify(target)},"expression":${JSON.stringify(expression)},"result":`,
    isHidden: secrecy.hidesTarget(target),
  };
}

function closing(times: Times, error: string): string {
  return `${timing(times)}${ending(error)}`;
}

function timing({ durationUs, pausedUs }: Times): string {
  return `,"durationUs":${durationUs},"pausedUs":${pausedUs}`;
}

function ending(error: string): string {
  return error === '' ? ',"error":""}}' : `,"error":${textOf(error)}}}`;
}

function beginning(event: EventName): string {
  return `{"jsonrpc":"2.0","method":"${event}","params":{"threadId":"`;
}

const flowStart = beginning('event.flowStart');
const flowEnd = beginning('event.flowEnd');
const stageEnter = beginning('event.stageEnter');
const stageExit = beginning('event.stageExit');
const ruleEval = beginning('event.ruleEval');
const hidden = JSON.stringify(mask);
