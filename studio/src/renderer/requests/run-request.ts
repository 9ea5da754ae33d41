import { wholeness, withoutMasked, withoutSecrets } from '../debug/runs/kept-whole.ts';
import type { Outline } from '../debug/session/flow-map.ts';
import type { Thread } from '../debug/session/thread.ts';
import { isContainer } from '../values/values.ts';
import { type Endpoint, endpointsOf } from './endpoints.ts';
import type { Request } from './request.ts';

/** The endpoint whose requests a flow answers. */
export function endpointOf(thread: Thread, outline: Outline): Endpoint | undefined {
  return endpointsOf(outline).find(({ flow }) => flow === thread.flow);
}

/** Why the input of a run cannot be sent as a request; undefined when it can. */
export function refusedAsRequest(thread: Thread, outline: Outline): string | undefined {
  if (endpointOf(thread, outline) === undefined) return 'Only what came as a request can be sent again.';
  const { input } = thread;
  if (!isContainer(input) || Array.isArray(input)) return 'The run began before the studio was attached.';
  if (wholeness(input).isCut) return 'Its input is too large to be kept whole.';
  const type = headerOf(input, 'content-type');
  if (type !== undefined && !/\bjson\b/i.test(type)) return `Its body was ${type}: JSON alone can be sent again.`;
  return undefined;
}

/** Headers that the sender makes, or that say how the request travelled. */
const own =
  /^(host|connection|content-length|content-type|transfer-encoding|accept-encoding|user-agent|keep-alive|sec-.*|traceparent|authorization|cookie)$/i;

/**
 * The request that gives a flow the input of a run: parameters of the path in the address, what is left in the body,
 * or behind a question mark where the method has no body. Credentials are masked in runs, so that they are not in it;
 * one that is `kept` in a file has no other secrets in it either.
 */
export function requestOf({ input }: Pick<Thread, 'input'>, { method, path }: Endpoint, kept = false): Request {
  const { headers = {}, ...fields } = (kept ? withoutSecrets : withoutMasked)(input) as Record<string, unknown>;
  const address = path.replace(/:([A-Za-z_]\w*)/g, (_, name: string) => {
    const value = fields[name];
    delete fields[name];
    return encodeURIComponent(String(value ?? ''));
  });
  const sent = Object.entries(isContainer(headers) ? headers : {}).filter(
    ([name, value]) => typeof value === 'string' && !own.test(name),
  ) as readonly (readonly [string, string])[];
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const query = new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, textOf(each)]),
    ),
  ).toString();
  return {
    method,
    url: `{{base}}${address}${hasBody || query === '' ? '' : `?${query}`}`,
    headers: Object.fromEntries(sent),
    ...(hasBody ? { body: fields } : {}),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function headerOf(input: object, wanted: string): string | undefined {
  const { headers } = input as { readonly headers?: unknown };
  if (!isContainer(headers)) return undefined;
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === wanted);
  return typeof found?.[1] === 'string' ? found[1] : undefined;
}
