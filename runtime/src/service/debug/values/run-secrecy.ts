import { kindOf } from '@svc/protocol/cel';
import { factsOf } from '../../../engine/flow/pipeline/stages.ts';
import type { Message } from '../../../foundation/contracts/message.ts';
import type { WatchedRule, WatchedStage } from '../../../foundation/contracts/probe.ts';
import { secretFieldsOf } from '../../../foundation/observe/secret-fields.ts';
import { readingOfRule } from './rule-reading.ts';
import { Secrecy } from './snapshot.ts';
import { membersOf, Taint, textsOf } from './taint.ts';

const deepest = 64;

/** What a flow holds when it begins. */
type Begun = Readonly<Partial<Record<'input' | 'auth' | 'constants' | 'step' | 'enriched' | 'output', unknown>>> & {
  readonly message?: Pick<Message, 'hidden'> | undefined;
};

/** A run that is under way, and what is hidden in it. */
export interface SecretiveRun {
  readonly flow: string;
  readonly secrecy: RunSecrecy;
}

/** The secrecy of a run that begins: a flow that another one calls hides what that one does, and the other way round. */
export function secrecyOfRun(frame: object, running: Iterable<SecretiveRun>, fresh: () => RunSecrecy): RunSecrecy {
  const { message } = frame as { readonly message?: { readonly callers?: readonly string[] | undefined } };
  const caller = message?.callers?.at(-1);
  const [first, ...others] = caller === undefined ? [] : [...running].filter(({ flow }) => flow === caller);
  for (const other of others) first?.secrecy.join(other.secrecy);
  const secrecy = first?.secrecy.shared() ?? fresh();
  secrecy.begin(frame);
  return secrecy;
}

/**
 * The secrecy of one run: what is hidden stays hidden whatever the rules of the flow make of it. A rule that names
 * something hidden has a result that is hidden, and so has a rule that reads that result. Values are recognised again
 * wherever they occur, in answers and errors too.
 */
export class RunSecrecy extends Secrecy {
  readonly #static: Secrecy;
  readonly #taint: Taint;
  readonly #hidesEnvironment: boolean;

  /** `taint` is shared with the run that called this one. */
  constructor(secrecy: Secrecy, taint: Taint = new Taint(), hidesEnvironment = false) {
    super(secrecy.masksNames, taint);
    this.#static = secrecy;
    this.#taint = taint;
    this.#hidesEnvironment = hidesEnvironment;
  }

  /** When this has changed, texts that were written before may have to be written again. */
  get version(): number {
    return this.#taint.version;
  }

  /** For a run that this one calls: what either reads is hidden in both. */
  shared(): RunSecrecy {
    return new RunSecrecy(this.#static, this.#taint, this.#hidesEnvironment);
  }

  /** Learns what a flow begins with: of one that continues after a wait, what came before. */
  begin(frame: object): void {
    const { input, auth, constants, step, enriched, output, message } = frame as Begun;
    if (message?.hidden === 'always' || (message?.hidden !== undefined && this.#static.masksNames))
      for (const part of [input, auth, step, enriched, output]) this.#learnValues(part);
    for (const part of [input, auth, constants, step, enriched, output]) this.learnMembers(part);
    if (!this.#static.masksNames) return;
    for (const name of secretFieldsOf(message)) {
      this.#taint.learnName(name);
      this.#learnValues(valueAt({ input }, ['input', name]));
    }
  }

  /** Learns what another run has read. */
  join(other: RunSecrecy): void {
    this.#taint.join(other.#taint);
  }

  /** Learns what the hidden members of a value hold. */
  learnMembers(value: unknown, depth = 0): void {
    if (depth > deepest) return;
    for (const [name, member] of membersOf(value)) {
      if (name !== undefined && this.#static.hides(name)) this.#taint.learn(member);
      else if (typeof member === 'object') this.learnMembers(member, depth + 1);
    }
  }

  /** Learns every text of a value; names of members are those of the configuration. */
  #learnValues(value: unknown, depth = 0): void {
    if (typeof value === 'string') this.#taint.learnText(value);
    else if (depth < deepest) for (const [, member] of membersOf(value)) this.#learnValues(member, depth + 1);
  }

  /** Learns a text that must not be shown. */
  learnText(text: string): void {
    this.#taint.learnText(text);
  }

  /** Whether what a rule gave is hidden as a whole; learns what it made of what is hidden. */
  hidesResult(rule: WatchedRule, { stage }: WatchedStage, scope: object, error: unknown, result: unknown): boolean {
    const { namesHidden, readsEnvironment, paths } = readingOfRule(rule, (name) => this.#static.hides(name));
    const read = paths.map((path) => this.#read(scope, path));
    if (namesHidden || (readsEnvironment && this.#hidesEnvironment) || read.includes('hidden')) {
      this.#learnResult(rule, stage, result);
      if (error instanceof Error) this.#taint.learnText(error.message);
      return true;
    }
    const holders = paths.filter((_, at) => read[at] === 'holds hidden');
    if (holders.length === 0) return false;
    if (typeof result === 'object' && result !== null && kindOf(result) !== 'bytes') {
      const open = new Set<string>();
      for (const path of holders) this.#openTexts(valueAt(scope, path), open);
      for (const text of textsOf(result))
        if (!open.has(text) && !rule.expression.includes(text)) this.#taint.learnText(text);
      return false;
    }
    if (typeof result === 'boolean' || typeof result === 'number' || typeof result === 'bigint') return false;
    if (typeof result === 'string') {
      const open = new Set<string>();
      for (const path of holders) this.#openTexts(valueAt(scope, path), open);
      if (open.has(result)) return false;
    }
    this.#learnResult(rule, stage, result);
    if (error instanceof Error) this.#taint.learnText(error.message);
    return result !== null && result !== undefined;
  }

  #learnResult({ target }: WatchedRule, stage: string, result: unknown): void {
    this.#taint.learn(result);
    const isText = typeof result === 'string' && result.length > 5;
    if (!isText && result !== null && result !== undefined && factsOf(stage).builds)
      this.#taint.learnName(target.slice(target.lastIndexOf('.') + 1));
  }

  /** What a path leads to: something hidden, something with hidden members, or neither. */
  #read(scope: object, path: readonly string[]): 'hidden' | 'holds hidden' | 'open' {
    if (path.some((name) => this.hides(name))) return 'hidden';
    const value = valueAt(scope, path);
    if (typeof value === 'string') return this.#taint.isIn(value) ? 'hidden' : 'open';
    return this.#holds(value) ? 'holds hidden' : 'open';
  }

  #holds(value: unknown, depth = 0): boolean {
    if (depth > deepest) return true;
    for (const [name, member] of membersOf(value)) {
      if (member === undefined || member === null) continue;
      if (name !== undefined && (this.hides(name) || this.#taint.isIn(name))) return true;
      if (typeof member === 'string' ? this.#taint.isIn(member) : this.#holds(member, depth + 1)) return true;
    }
    return false;
  }

  /** The texts of a value that are shown where it is. */
  #openTexts(value: unknown, found: Set<string>, depth = 0): void {
    if (depth > deepest) return;
    for (const [name, member] of membersOf(value)) {
      if (name !== undefined) found.add(name);
      if (name !== undefined && this.hides(name)) continue;
      if (typeof member !== 'string') this.#openTexts(member, found, depth + 1);
      else if (!this.#taint.isIn(member)) found.add(member);
    }
  }
}

function valueAt(scope: object, path: readonly string[]): unknown {
  let value: unknown = scope;
  for (const [at, name] of path.entries()) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (value instanceof Map) value = value.get(name);
    // Variables of a scope may be inherited, members of values are their own.
    else value = at === 0 || Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  }
  return value;
}
