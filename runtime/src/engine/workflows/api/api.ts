import type { Values } from '@svc/protocol/schema';
import type { HttpExchange, HttpMount, HttpRoute } from '../../../foundation/contracts/http.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { decodeBody } from '../../../platform/formats/decode.ts';
import { encodeJson } from '../../../platform/formats/json.ts';
import { codecOf } from '../../../platform/formats/registry.ts';
import { ownPagesOnly } from '../../../platform/http/admission/cors.ts';
import { hasBody } from '../../../platform/http/body/announced.ts';
import { readBody } from '../../../platform/http/body/body.ts';
import { parseMediaType } from '../../../platform/http/body/media-type.ts';
import type { VerifierServices } from '../../../platform/identity/credential-check.ts';
import { verifierOf } from '../../../platform/identity/verify.ts';
import type { WorkflowControl } from './control.ts';
import { apiRoutes, type workflow } from './service-spec.ts';
import { signalBody } from './signal-body.ts';
import { isStatus, statuses } from './status.ts';
import { viewOf } from './view.ts';

const maxBody = 1_048_576;
/** Workflows of one page: by default, and at most. */
const page = { usual: 50, most: 500 };

export type ApiSettings = NonNullable<Values<typeof workflow>['api']>;

/** Maximum of concurrent requests. */
const maxInFlight = 1000;

/** The HTTP interface to workflows, which serves nothing without a credential. */
export async function workflowMount(
  name: string,
  settings: ApiSettings,
  control: WorkflowControl,
  services: VerifierServices,
): Promise<HttpMount> {
  const verifier = verifierOf({ ...settings.auth, public: undefined }, services, name);
  await verifier.prepare();
  const route = (operation: string, answer: (exchange: HttpExchange) => Promise<unknown>): HttpRoute => {
    const [method = '', path = ''] = operation.split(' ');
    return { method, path, handle: (exchange) => respond(exchange, answer(exchange)) };
  };
  const reading = [
    route(apiRoutes.list, async ({ query }) => list(control, query)),
    route(apiRoutes.get, async ({ params }) => viewOf(await control.get(params['id'] as string))),
  ];
  const signal = route(apiRoutes.signal, async (exchange) => {
    const body = await bodyOf(exchange);
    return control.signal(exchange.params['id'] as string, exchange.params['event'] as string, body);
  });
  const cancel = route(apiRoutes.cancel, async ({ params }) => control.cancel(params['id'] as string));
  return {
    connector: name,
    address: { host: settings.host ?? '', port: settings.port },
    access: { cors: ownPagesOnly(), verifier, maxInFlight, timeout: undefined },
    // Health and metrics have their own endpoints, which need no credential.
    builtins: false,
    routes: [...reading, ...reading.map((one) => ({ ...one, method: 'HEAD' })), signal, cancel],
  };
}

function respond(exchange: HttpExchange, answer: Promise<unknown>): void {
  answer.then(
    (body) => exchange.send(200, 'application/json; charset=utf-8', encodeJson(body), ['cache-control', 'no-store']),
    (error: unknown) => exchange.refuse(asFailure(error)),
  );
}

async function list(control: WorkflowControl, query: HttpExchange['query']): Promise<unknown> {
  const status = word(query, 'status');
  if (status !== undefined && !isStatus(status))
    throw new Failure('value_refused', `\`status\` must be one of ${statuses.join(', ')}`);
  const limit = Number(word(query, 'limit') ?? page.usual);
  if (!Number.isInteger(limit) || limit < 1 || limit > page.most)
    throw new Failure('value_refused', `\`limit\` must be a whole number from 1 to ${page.most}`);
  const after = word(query, 'after');
  if (after !== undefined && !/^\d{1,15}\./.test(after))
    throw new Failure('value_refused', '`after` must be what `next` was on the page before');
  const { workflows, next } = await control.list({ status, saga: word(query, 'saga'), limit, after });
  return { workflows: workflows.map(viewOf), next: next ?? null };
}

function word(query: HttpExchange['query'], name: string): string | undefined {
  const value = query[name];
  if (Array.isArray(value)) throw new Failure('value_refused', `\`${name}\` may be written once`);
  if (value?.includes('\0')) throw new Failure('value_refused', `\`${name}\` holds a character that no name has`);
  return value === '' ? undefined : value;
}

/** The body of a signal: a JSON object, empty when the request has no body. */
async function bodyOf(exchange: HttpExchange): Promise<Readonly<Record<string, unknown>>> {
  if (!hasBody(exchange.request)) return {};
  const written = exchange.request.headers['content-type'];
  const type = written === undefined ? 'application/json' : parseMediaType(written)?.type;
  if (type === undefined || !/^application\/(.+\+)?json$/.test(type))
    throw new Failure('media_type_unsupported', 'the body of a signal is JSON');
  const bytes = await new Promise<Buffer>((resolve, reject) =>
    readBody(exchange, maxBody, (read) => (read instanceof Failure ? reject(read) : resolve(read))),
  );
  if (bytes.length === 0) return {};
  return signalBody(await decodeBody(await codecOf('json'), bytes));
}
