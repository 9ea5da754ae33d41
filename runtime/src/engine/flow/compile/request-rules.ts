import { Fields } from '@svc/protocol/cel';
import type { ArgumentSource, CelSource, Values, WrittenWords } from '@svc/protocol/schema';
import type { carried } from '../../../connectors/core/words-spec.ts';
import type { Frame } from '../message/frame.ts';
import type { RuleWatch, WatchedRule } from '../message/part.ts';
import { unwatched, watchedAll } from '../message/watched.ts';
import { whenDone } from '../message/when-done.ts';
import type { FlowTools } from '../tools.ts';
import { type Argument, compileArgument, type Evaluate, evaluator, written } from './argument.ts';
import { headerText } from './headers.ts';
import { asPayload } from './whole-input.ts';
import { wordValues } from './words.ts';

/** What a step, an enrichment or an action of a saga sends, before it is decided where it goes. */
export interface Draft {
  params: Record<string, unknown> | unknown[] | undefined;
  body: Record<string, unknown> | unknown[] | undefined;
  headers: Record<string, string> | undefined;
  data?: Record<string, unknown> | unknown[] | undefined;
  set?: Record<string, unknown> | unknown[] | undefined;
  where?: Record<string, unknown> | unknown[] | undefined;
  words?: Record<string, unknown> | undefined;
}

/** One value of a request: an entry of the parameters or the body, a header. */
interface Rule {
  readonly target: string;
  readonly expression: string;
  readonly evaluate: Evaluate;
  readonly keep: (draft: Draft, value: unknown) => void;
}

type Part = Exclude<keyof Draft, 'headers' | 'words'>;
type HeaderBlock = Values<typeof carried.headers>;

/**
 * The values of a request one by one, in the order in which a debugger stops at them: parameters, body, headers, each in
 * written order (docs/specification/debugging.md#stops). The plain and the watched variant evaluate the same rules.
 */
export class RequestRules {
  readonly #title: string;
  readonly #tools: FlowTools;
  readonly #rules: Rule[] = [];
  readonly #starts: [Part, () => Record<string, unknown> | unknown[]][] = [];
  #hasHeaders = false;
  #hasWords = false;
  /** Whether a value comes later. */
  #waits = false;

  /** `title` begins the messages of failures. */
  constructor(title: string, tools: FlowTools) {
    this.#title = title;
    this.#tools = tools;
  }

  /** Adds `params`, `body` or another part: every entry of an object, every item of a list, or one expression that gives the whole. */
  argument(part: Part, source: ArgumentSource | undefined): this {
    if (source === undefined) return this;
    const compile = (item: ArgumentSource, at: string) => {
      const isPayload = part === 'body' || part === 'data';
      const expression = (cel: CelSource, title: string) => {
        const compiled = this.#tools.expression(cel, title);
        return isPayload ? asPayload(compiled) : compiled;
      };
      return compileArgument(item, expression, `${this.#title}: ${part}${at}`);
    };
    if (source.kind === 'map') {
      this.#starts.push([part, () => new Fields()]);
      for (const [name, item] of source.entries) this.#entry(part, name, compile(item, `.${name}`), written(item));
    } else if (source.kind === 'list') {
      this.#starts.push([part, () => []]);
      source.items.forEach((item, at) => {
        this.#add(`${part}[${at}]`, written(item), compile(item, `[${at}]`), (draft, value) =>
          (draft[part] as unknown[]).push(value),
        );
      });
    } else
      this.#add(part, written(source), compile(source, ''), (draft, value) => {
        (draft as { [K in Part]?: unknown })[part] = value;
      });
    return this;
  }

  /** Adds parameters that are all expressions, as enrichments have them. */
  fields(fields: readonly { readonly name: string; readonly value: CelSource }[]): this {
    if (fields.length > 0) this.#starts.push(['params', () => new Fields()]);
    for (const { name, value } of fields) {
      const expression = this.#tools.expression(value, `${this.#title}: params.${name}`);
      this.#entry(
        'params',
        name,
        { evaluate: (frame) => expression.value(frame), waits: expression.waits },
        value.source,
      );
    }
    return this;
  }

  /** Adds headers; one that gives null is not sent. */
  headers(block: HeaderBlock | undefined): this {
    for (const { name, value } of block?.fields ?? []) {
      this.#hasHeaders = true;
      const expression = this.#tools.expression(value, `${this.#title}: headers.${name}`);
      const evaluate: Evaluate = (frame) => {
        const given = expression.evaluate(frame);
        return given === null ? null : headerText(given, expression, frame);
      };
      this.#add(`headers.${name}`, value.source, { evaluate }, ({ headers }, given) => {
        if (headers !== undefined && given !== null) headers[name] = String(given);
      });
    }
    return this;
  }

  /** Adds the attributes that only the connector interprets. */
  words(words: WrittenWords): this {
    for (const { name, expression, argument, keep } of wordValues(words, this.#title, this.#tools)) {
      this.#hasWords = true;
      this.#add(name, expression, argument, (draft, value) => {
        if (draft.words !== undefined) keep(draft.words, value);
      });
    }
    return this;
  }

  /** The values as they are announced to a probe, the first one as rule number `first`. */
  watched(first: number): readonly WatchedRule[] {
    return this.#rules.map(({ target, expression }, at) => ({ index: first + at, target, expression }));
  }

  /** Evaluates everything for one message. */
  fill(frame: Frame): Draft | Promise<Draft> {
    if (this.#waits) return this.fillWatched(frame, unwatched, 0);
    const draft = this.#start();
    for (const { evaluate, keep } of this.#rules) keep(draft, evaluate(frame));
    return draft;
  }

  /** The same with every value announced, the first one as rule number `first`. */
  fillWatched(frame: Frame, watch: RuleWatch, first: number): Draft | Promise<Draft> {
    const draft = this.#start();
    const works = this.#rules.map(({ evaluate, keep }) => () => {
      return whenDone(evaluate(frame), (value) => {
        keep(draft, value);
        return value;
      });
    });
    return whenDone(watchedAll(watch, frame, works, first), () => draft);
  }

  #start(): Draft {
    const headers = this.#hasHeaders ? (new Fields() as Record<string, string>) : undefined;
    const words = this.#hasWords ? new Fields() : undefined;
    const draft: Draft = { params: undefined, body: undefined, headers, words };
    for (const [part, start] of this.#starts) draft[part] = start();
    return draft;
  }

  #entry(part: Part, name: string, argument: Argument, expression: string): void {
    this.#add(`${part}.${name}`, expression, argument, (draft, value) => {
      (draft[part] as Record<string, unknown>)[name] = value;
    });
  }

  #add(target: string, expression: string, argument: Argument, keep: Rule['keep']): void {
    if ('waits' in argument && argument.waits) this.#waits = true;
    this.#rules.push({ target, expression, evaluate: evaluator(argument) as Evaluate, keep });
  }
}
