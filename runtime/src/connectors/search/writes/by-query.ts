import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { exactJson } from '../../../platform/formats/exact-json.ts';
import { fieldsIn, objectIn } from '../client/answer.ts';
import { refusedItem } from '../client/failure.ts';
import { queryOf } from '../reads/query.ts';
import { accepted, addressOf, bodyOf, type Call, filtersOf, pathOf, refusedAnswer, scriptOf } from '../request.ts';

/** Sets fields: the fields are parameters of a script that is always the same. */
const setFields = 'ctx._source.putAll(params.fields)';
const shownFailures = 5;

/** Removes every document that a query finds. */
export async function deleteByQuery(call: Call): Promise<CallResult> {
  return changed(call, '_delete_by_query', 'deleted', { query: queryIn(call) });
}

/** Changes every document that a query finds: by the script of the configuration, or the fields of the payload. */
export async function updateByQuery(call: Call): Promise<CallResult> {
  const query = queryIn(call);
  const script = bodyOf(call)?.['script'] ?? scriptOf(call) ?? fieldScript(call);
  return changed(call, '_update_by_query', 'updated', { query, script });
}

function fieldScript(call: Call): unknown {
  const { request, place } = call;
  const isBody = place.body !== undefined && !place.isNamed && request.words?.body === undefined;
  const fields = isBody ? undefined : addressOf(call).payload;
  if (fields !== undefined && Object.keys(fields).length > 0)
    return { source: setFields, lang: 'painless', params: { fields } };
  const message = `${place.where}: update_by_query has nothing to write: there is neither a script nor a field`;
  throw new Failure('nothing_to_write', message);
}

/** What the configuration or the filters find. Throws `filter_missing` for what would find everything unsaid. */
function queryIn(call: Call): unknown {
  const { place, action } = call;
  const query = bodyOf(call)?.['query'];
  if (query !== undefined) return query;
  const filters = filtersOf(call);
  if (filters !== undefined && Object.values(filters).some((value) => value !== undefined))
    return queryOf(filters, place.comparisons);
  throw new Failure(
    'filter_missing',
    `${place.where}: this ${action} has no filter and would change every document. Send a filter, or write { match_all = {} } as query of the body if that is meant`,
  );
}

async function changed(
  call: Call,
  endpoint: string,
  counted: 'deleted' | 'updated',
  body: unknown,
): Promise<CallResult> {
  const { client, asking, index, limits, action } = call;
  const refresh = limits.refresh === undefined ? undefined : 'true';
  const sent = await client.send(
    {
      method: 'POST',
      path: pathOf(index, [endpoint], { refresh }),
      body: exactJson(body),
      repeatable: false,
      changes: true,
    },
    asking,
  );
  const answer = await objectIn(accepted(call, sent, 400, 409), action);
  if (answer['error'] !== undefined) throw refusedAnswer(call, sent);
  const affected = Number(answer[counted] ?? 0);
  const failures = Array.isArray(answer['failures']) ? (answer['failures'] as readonly unknown[]) : [];
  const cause = fieldsIn(fieldsIn(failures[0])?.['cause']);
  // A value that the first document does not take, no document takes.
  if (sent.status === 400 && affected === 0) throw refusedItem(sent.status, cause, { what: action, sent: 'document' });
  if (sent.status < 400 && failures.length === 0 && answer['timed_out'] !== true) return { affected };
  const done = `${affected} documents were ${counted}, ${Number(answer['version_conflicts'] ?? 0)} were changed by another request meanwhile`;
  throw new Failure(
    sent.status === 409 ? 'constraint_violated' : 'connector_failed',
    `${action} ended early: ${done}`,
    {
      retriable: false,
      upstream: { status: sent.status, body: JSON.stringify(failures.slice(0, shownFailures)).slice(0, 4096) },
    },
  );
}
