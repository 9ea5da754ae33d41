import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { exactJson } from '../../../platform/formats/exact-json.ts';
import type { HttpAnswer } from '../../../platform/net/request.ts';
import { objectIn } from '../client/answer.ts';
import type { Ask } from '../client/client.ts';
import { isIndexMissing } from '../client/failure.ts';
import {
  accepted,
  type Call,
  documentIn,
  ownId,
  pathOf,
  refusedAnswer,
  repeatsOnConflict,
  requiredId,
  scriptOf,
} from '../request.ts';

type Document = Record<string, unknown>;

/** Writes a document under the id that it has, or that the server gives it. One that exists is replaced. */
export async function index(call: Call): Promise<CallResult> {
  const id = ownId(call);
  const path = id === undefined ? ['_doc'] : ['_doc', id];
  return written(call, { method: id === undefined ? 'POST' : 'PUT', path, repeatable: id !== undefined });
}

/** The same, and refuses an id that exists. */
export async function create(call: Call): Promise<CallResult> {
  const id = ownId(call);
  const path = id === undefined ? ['_doc'] : ['_create', id];
  return written(call, { method: id === undefined ? 'POST' : 'PUT', path, repeatable: false });
}

async function written(call: Call, ask: Pick<Ask, 'method' | 'repeatable'> & { readonly path: readonly string[] }) {
  const { client, asking, limits } = call;
  const request: Ask = {
    method: ask.method,
    path: pathOf(call.index, ask.path, { refresh: limits.refresh }),
    body: exactJson(documentOf(call)),
    repeatable: ask.repeatable,
    changes: true,
  };
  const answer = await objectIn(accepted(call, await client.send(request, asking)), call.action);
  const { _id: id } = answer;
  const own = documentIn(call)?.['id'];
  const isOwn = own !== undefined && own !== null && String(own) === id;
  return { id, affected: 1, ...(!isOwn && { key: id }) };
}

/** Sets fields of a document, or runs the script that the configuration writes. */
export async function update(call: Call): Promise<CallResult> {
  const { client, asking, index: of, limits } = call;
  const script = scriptOf(call);
  const id = requiredId(call);
  const answer = await client.send(
    {
      method: 'POST',
      path: pathOf(of, ['_update', id], { refresh: limits.refresh, retry_on_conflict: repeatsOnConflict }),
      body: exactJson(script === undefined ? { doc: documentOf(call) } : { script }),
      repeatable: false,
      changes: true,
    },
    asking,
  );
  refuseMissing(call, answer, id);
  accepted(call, answer);
  return { affected: 1 };
}

/** Removes a document. */
export async function remove(call: Call): Promise<CallResult> {
  const { client, asking, index: of, limits } = call;
  const id = requiredId(call);
  const path = pathOf(of, ['_doc', id], { refresh: limits.refresh });
  const answer = await client.send({ method: 'DELETE', path, repeatable: false, changes: true }, asking);
  refuseMissing(call, answer, id);
  const { result } = await objectIn(accepted(call, answer), call.action);
  return { affected: result === 'deleted' ? 1 : 0 };
}

/** A document that is not there was asked for by the caller; a missing index was configured. */
function refuseMissing(call: Call, answer: HttpAnswer, id: string): void {
  if (answer.status !== 404) return;
  if (isIndexMissing(answer.body)) throw refusedAnswer(call, answer);
  throw new Failure('not_found', `${call.action}: there is no document "${id}"`);
}

/** The payload without its `_id`, which is beside the document. Throws `nothing_to_write` when it is empty. */
export function documentOf(call: Call): Document {
  const document: Document = {};
  for (const [name, value] of Object.entries(documentIn(call) ?? {}))
    if (name !== '_id' && value !== undefined) document[name] = value;
  if (Object.keys(document).length > 0) return document;
  throw new Failure(
    'nothing_to_write',
    `${call.place.where}: ${call.action} has nothing to write: the payload has no fields`,
  );
}
