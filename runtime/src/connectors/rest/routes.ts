import type { Values } from '@svc/protocol/schema';
import type { HttpExchange, HttpRoute } from '../../foundation/contracts/http.ts';
import type { Outcome } from '../../foundation/contracts/outcome.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Log } from '../../foundation/observe/log.ts';
import { type Codec, codecOf, type EncodingStyle, type FormatName } from '../../platform/formats/registry.ts';
import { type Operation, parseOperation } from '../../platform/http/routes/route-rules.ts';
import { type AnswerForm, answer } from './answer.ts';
import { AnswerForms } from './answer-formats.ts';
import type { RestBinding } from './binding.ts';
import { pageLinks, totalOf } from './page-links.ts';
import { bodyReader, bytesField, noBody, type RequestBody } from './request-body.ts';
import { RequestMessage } from './request-message.ts';
import { ServerTiming } from './server-timing.ts';
import type { rest } from './spec.ts';
import { checkVersion, isConditional, replacing } from './write-conditions.ts';

/** Methods whose bodies are decoded. */
const withBody = new Set(['POST', 'PUT', 'PATCH', 'QUERY', 'DELETE']);

/** What the configuration says about bodies and answers. */
type BodySettings = Pick<
  Values<typeof rest.config>,
  | 'format'
  | 'body_formats'
  | 'answer_formats'
  | 'escape_formulas'
  | 'max_body'
  | 'max_upload'
  | 'etag'
  | 'links'
  | 'server_timing'
  | 'auth'
>;

/** A flow and what is decided about its answers. */
interface Answering {
  readonly binding: RestBinding;
  readonly forms: AnswerForms;
}

/** The bindings of one method and path: the one that answers, and those beside it. */
interface BoundRoute {
  readonly operation: Operation;
  readonly bindings: RestBinding[];
}

/** The flows of one configuration as routes. */
export class Routes {
  readonly all: readonly HttpRoute[];
  readonly #config: BodySettings;
  readonly #style: EncodingStyle;
  readonly #log: Log;
  /** Whether answers say how long the stages of their flows took. */
  readonly #isTimed: boolean;
  /** Formats that answers are written in. */
  readonly #formats = new Set<FormatName>();
  readonly #codecs = new Map<FormatName, Codec>();

  /** One route for each method and path; further flows on it run beside the one that answers. */
  constructor(bindings: readonly RestBinding[], config: BodySettings, log: Log, production: boolean) {
    this.#isTimed = config.server_timing && !production;
    this.#config = config;
    this.#style = { escapeFormulas: config.escape_formulas };
    this.#log = log;
    for (const format of config.answer_formats) this.#formats.add(format);
    const routes = new Map<string, BoundRoute>();
    for (const binding of bindings) {
      const operation = parseOperation(binding.operation ?? '');
      if (typeof operation === 'string') throw new Failure('internal', `flow "${binding.flow}": ${operation}`);
      this.#formats.add(this.#answerFormat(formatOf(binding)));
      const key = `${operation.method} ${routerPath(operation)}`;
      const route = routes.get(key);
      if (route === undefined) routes.set(key, { operation, bindings: [binding] });
      else route.bindings.push(binding);
    }
    this.all = [...routes.values()].flatMap(({ operation, bindings: bound }) => {
      const path = routerPath(operation);
      const head = operation.method === 'GET' && !routes.has(`HEAD ${path}`);
      const own = this.#route(operation.method, operation, bound, this.#read(routes.get(`GET ${path}`)));
      return head ? [own, this.#route('HEAD', operation, bound, undefined)] : [own];
    });
  }

  /** The flow that answers the version which requests to write may name; undefined where they name nothing that is looked at. */
  #read(route: BoundRoute | undefined): Answering | undefined {
    const [binding] = route?.bindings ?? [];
    return this.#config.etag && binding !== undefined ? { binding, forms: this.#formsOf(binding) } : undefined;
  }

  #formsOf(binding: RestBinding): AnswerForms {
    const { answer_formats: chosen, etag: tagged } = this.#config;
    return new AnswerForms({
      format: this.#answerFormat(formatOf(binding)),
      chosen,
      style: this.#style,
      binary: binding.binary,
      tagged,
      codec: (format) => this.#codecs.get(format) as Codec,
    });
  }

  /** Loads what answers are written with. */
  async prepare(): Promise<void> {
    await Promise.all([...this.#formats].map(async (name) => this.#codecs.set(name, await codecOf(name))));
  }

  #route(
    method: string,
    operation: Operation,
    [binding, ...beside]: readonly RestBinding[],
    current: Answering | undefined,
  ): HttpRoute {
    const { flow, timeout, forwards, deliver } = binding as RestBinding;
    const format = formatOf(binding as RestBinding);
    const addressed = operation.segments.flatMap((segment) => ('parameter' in segment ? [segment.parameter] : []));
    const forms = this.#formsOf(binding as RestBinding);
    const isTimed = this.#isTimed;
    const refuse = (exchange: HttpExchange, error: unknown) => exchange.refuse(asFailure(error, { flow }));
    const fail = (exchange: HttpExchange, message: RequestMessage, error: unknown) => {
      if (isTimed) addTimes(exchange, message);
      refuse(exchange, error);
      message.end();
    };
    const pages =
      this.#config.links && (binding as RestBinding).pages === true && (method === 'GET' || method === 'HEAD');
    const settle = (exchange: HttpExchange, message: RequestMessage, outcome: Outcome, form: AnswerForm) => {
      try {
        if (pages) this.#addLinks(exchange, outcome);
        if (isTimed) addTimes(exchange, message);
        const late = answer(exchange, outcome, form);
        if (late === undefined) message.end();
        else late.catch((error: unknown) => refuse(exchange, error)).finally(() => message.end());
      } catch (error) {
        refuse(exchange, error);
        message.end();
      }
    };
    const run = (exchange: HttpExchange, message: RequestMessage, form: AnswerForm) => {
      if (beside.length > 0) this.#runBeside(beside, message);
      let outcome: Outcome | Promise<Outcome>;
      try {
        outcome = deliver(message);
      } catch (error) {
        fail(exchange, message, error);
        return;
      }
      if (!(outcome instanceof Promise)) settle(exchange, message, outcome, form);
      else
        outcome.then(
          (late) => settle(exchange, message, late, form),
          (error: unknown) => fail(exchange, message, error),
        );
    };
    const read = bodyReader({
      format,
      assumed: this.#config.format,
      named: this.#config.body_formats,
      method,
      limit: this.#config.max_body,
      uploadLimit: this.#config.max_upload,
      // Flows beside the answering one would read it too.
      forwards: () => beside.length === 0 && forwards?.(bytesField) === true,
    });
    const messageOf = (exchange: HttpExchange, body: RequestBody) =>
      new RequestMessage(exchange, body, addressed, isTimed ? new ServerTiming() : undefined);
    const begin = withBody.has(method)
      ? (exchange: HttpExchange, form: AnswerForm) =>
          read(exchange, (body) => {
            if (body instanceof Error) refuse(exchange, body);
            else run(exchange, messageOf(exchange, body), form);
          })
      : (exchange: HttpExchange, form: AnswerForm) => run(exchange, messageOf(exchange, noBody), form);
    const version = replacing.has(method) ? current : undefined;
    const handle = (exchange: HttpExchange) => {
      // What cannot be answered is not begun.
      const form = forms.for(exchange);
      if (version === undefined || !isConditional(exchange)) return begin(exchange, form);
      checkVersion(exchange, version.binding, addressed, version.forms.all())
        .then(() => {
          // Its time may be over, or its caller gone, since the read began.
          if (!exchange.sent && !exchange.cancelled) begin(exchange, form);
          else refuse(exchange, new Failure('cancelled', 'the caller went away before its request was served'));
        })
        .catch((error: unknown) => refuse(exchange, error));
    };
    return { method, path: routerPath(operation), timeout, handle };
  }

  /** To the answer of a list, where the pages beside it are. */
  #addLinks(exchange: HttpExchange, outcome: Outcome): void {
    if (outcome.kind === 'drop' || !Array.isArray(outcome.value) || (outcome.status ?? 200) !== 200) return;
    const { value, headers } = outcome;
    const links = pageLinks(exchange, value.length, totalOf(headers), this.#config.auth?.query_param);
    if (links !== undefined) exchange.addHeader('link', links);
  }

  /** Bytes that come in say nothing about what goes out. */
  #answerFormat(format: FormatName | undefined): FormatName {
    return format === undefined || format === 'binary' ? this.#config.format : format;
  }

  #runBeside(bindings: readonly RestBinding[], message: RequestMessage): void {
    for (const { flow, deliver } of bindings) {
      const { copy, end } = message.copy();
      // Started in a turn of its own, so that it never delays the flow that answers.
      new Promise<void>((resolve) => setImmediate(resolve))
        .then(() => deliver(copy))
        .catch((error: unknown) => {
          const { code, message: text } = asFailure(error, { flow });
          this.#log.warn('flow beside the answering one failed', { flow, code, error: text });
        })
        .finally(end);
    }
  }
}

/** To the answer, how long its flow took. */
function addTimes(exchange: HttpExchange, { stages }: RequestMessage): void {
  if (stages !== undefined) exchange.addHeader('server-timing', stages.header());
}

/** The path in the form of the router: parameters as `:name`. */
function routerPath({ segments }: Operation): string {
  const parts = segments.map((segment) => ('parameter' in segment ? `:${segment.parameter}` : segment.literal));
  return `/${parts.join('/')}`;
}

function formatOf({ words }: RestBinding): FormatName | undefined {
  return words.format;
}
