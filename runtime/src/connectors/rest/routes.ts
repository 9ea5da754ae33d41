import type { Values } from '@svc/protocol/schema';
import type { HttpExchange, HttpRoute } from '../../contracts/http.ts';
import type { Outcome } from '../../contracts/outcome.ts';
import type { Binding } from '../../contracts/source.ts';
import type { FixedWords } from '../../contracts/words.ts';
import { asFailure } from '../../errors/classify.ts';
import { Failure } from '../../errors/failure.ts';
import { type Codec, codecOf, type EncodingStyle, type FormatName } from '../../formats/registry.ts';
import { type Operation, parseOperation } from '../../http/routes/route-rules.ts';
import type { Log } from '../../observe/log.ts';
import { type AnswerForm, answer } from './answer.ts';
import { bodyReader, bytesField, noBody } from './request-body.ts';
import { RequestMessage } from './request-message.ts';
import type { fromWords, rest } from './spec.ts';

/** A flow behind a method and a path. */
export type RestBinding = Binding<FixedWords<typeof fromWords>>;

/** Methods whose bodies are decoded. */
const withBody = new Set(['POST', 'PUT', 'PATCH', 'QUERY', 'DELETE']);

/** What the configuration says about bodies and answers. */
type BodySettings = Pick<
  Values<typeof rest.config>,
  'format' | 'body_formats' | 'escape_formulas' | 'max_body' | 'max_upload'
>;

/** The flows of one configuration as routes. */
export class Routes {
  readonly all: readonly HttpRoute[];
  readonly #config: BodySettings;
  readonly #style: EncodingStyle;
  readonly #log: Log;
  /** Formats that answers are written in. */
  readonly #formats = new Set<FormatName>();
  readonly #codecs = new Map<FormatName, Codec>();

  /** One route for each method and path; further flows on it run beside the one that answers. */
  constructor(bindings: readonly RestBinding[], config: BodySettings, log: Log) {
    this.#config = config;
    this.#style = { escapeFormulas: config.escape_formulas };
    this.#log = log;
    const routes = new Map<string, { readonly operation: Operation; readonly bindings: RestBinding[] }>();
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
      const head = operation.method === 'GET' && !routes.has(`HEAD ${routerPath(operation)}`);
      const own = this.#route(operation.method, operation, bound);
      return head ? [own, this.#route('HEAD', operation, bound)] : [own];
    });
  }

  /** Loads what answers are written with. */
  async prepare(): Promise<void> {
    await Promise.all([...this.#formats].map(async (name) => this.#codecs.set(name, await codecOf(name))));
  }

  #route(method: string, operation: Operation, [binding, ...beside]: readonly RestBinding[]): HttpRoute {
    const { flow, timeout, binary, forwards, deliver } = binding as RestBinding;
    const format = formatOf(binding as RestBinding);
    const addressed = operation.segments.flatMap((segment) => ('parameter' in segment ? [segment.parameter] : []));
    const name = this.#answerFormat(format);
    const refuse = (exchange: HttpExchange, error: unknown) => exchange.refuse(asFailure(error, { flow }));
    const fail = (exchange: HttpExchange, message: RequestMessage, error: unknown) => {
      refuse(exchange, error);
      message.end();
    };
    let form: AnswerForm | undefined;
    const settle = (exchange: HttpExchange, message: RequestMessage, outcome: Outcome) => {
      // The codec is loaded after the route was made.
      form ??= { codec: this.#codecs.get(name) as Codec, style: this.#style, binary };
      try {
        const late = answer(exchange, outcome, form);
        if (late === undefined) message.end();
        else late.catch((error: unknown) => refuse(exchange, error)).finally(() => message.end());
      } catch (error) {
        fail(exchange, message, error);
      }
    };
    const run = (exchange: HttpExchange, message: RequestMessage) => {
      if (beside.length > 0) this.#runBeside(beside, message);
      let outcome: Outcome | Promise<Outcome>;
      try {
        outcome = deliver(message);
      } catch (error) {
        fail(exchange, message, error);
        return;
      }
      if (!(outcome instanceof Promise)) settle(exchange, message, outcome);
      else
        outcome.then(
          (late) => settle(exchange, message, late),
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
    const handle = withBody.has(method)
      ? (exchange: HttpExchange) =>
          read(exchange, (body) => {
            if (body instanceof Error) refuse(exchange, body);
            else run(exchange, new RequestMessage(exchange, body, addressed));
          })
      : (exchange: HttpExchange) => run(exchange, new RequestMessage(exchange, noBody, addressed));
    return { method, path: routerPath(operation), timeout, handle };
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

/** The path in the form of the router: parameters as `:name`. */
function routerPath({ segments }: Operation): string {
  const parts = segments.map((segment) => ('parameter' in segment ? `:${segment.parameter}` : segment.literal));
  return `/${parts.join('/')}`;
}

function formatOf({ words }: RestBinding): FormatName | undefined {
  return words.format;
}
