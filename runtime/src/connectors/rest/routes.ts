import type { Values } from '@svc/protocol/schema';
import type { HttpExchange, HttpRoute } from '../../contracts/http.ts';
import type { Outcome } from '../../contracts/outcome.ts';
import type { Binding } from '../../contracts/source.ts';
import { asFailure } from '../../errors/classify.ts';
import { Failure } from '../../errors/failure.ts';
import { type Codec, codecOf, type EncodingStyle, type FormatName, isFormat } from '../../formats/registry.ts';
import type { Log } from '../../observe/log.ts';
import { answer } from './answer.ts';
import { bodyReader, noBody } from './request-body.ts';
import { RequestMessage } from './request-message.ts';
import { type Operation, parseOperation } from './rules.ts';
import type { rest } from './spec.ts';

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
  constructor(bindings: readonly Binding[], config: BodySettings, log: Log) {
    this.#config = config;
    this.#style = { escapeFormulas: config.escape_formulas };
    this.#log = log;
    const routes = new Map<string, { readonly operation: Operation; readonly bindings: Binding[] }>();
    for (const binding of bindings) {
      const operation = parseOperation(binding.operation ?? '');
      if (typeof operation === 'string') throw new Failure('internal', `flow "${binding.flow}": ${operation}`);
      this.#formats.add(formatOf(binding) ?? this.#config.format);
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

  #route(method: string, operation: Operation, [binding, ...beside]: readonly Binding[]): HttpRoute {
    const { flow, timeout, binary, deliver } = binding as Binding;
    const format = formatOf(binding as Binding);
    const addressed = operation.segments.flatMap((segment) => ('parameter' in segment ? [segment.parameter] : []));
    const name = format ?? this.#config.format;
    const refuse = (exchange: HttpExchange, error: unknown) => exchange.refuse(asFailure(error, { flow }));
    const fail = (exchange: HttpExchange, message: RequestMessage, error: unknown) => {
      refuse(exchange, error);
      message.end();
    };
    const settle = (exchange: HttpExchange, message: RequestMessage, outcome: Outcome) => {
      try {
        answer(exchange, outcome, { codec: this.#codecs.get(name) as Codec, style: this.#style, binary });
      } catch (error) {
        refuse(exchange, error);
      }
      message.end();
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

  #runBeside(bindings: readonly Binding[], message: RequestMessage): void {
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

function formatOf({ flow, format }: Binding): FormatName | undefined {
  if (format === undefined || isFormat(format)) return format;
  throw new Failure('internal', `flow "${flow}": "${format}" is no format`);
}
