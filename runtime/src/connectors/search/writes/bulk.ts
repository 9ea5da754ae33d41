import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import { Failure, type FieldProblem } from '../../../foundation/errors/failure.ts';
import { exactJson } from '../../../platform/formats/exact-json.ts';
import { backoffDelay } from '../../../platform/net/backoff.ts';
import { type AnswerFields, fieldsIn, objectIn } from '../client/answer.ts';
import { codeOf, isOvertaken, reasonIn } from '../client/failure.ts';
import type { ServerError } from '../client/server-error.ts';
import { idText } from '../document-id.ts';
import { listedIndex } from '../index-name.ts';
import { accepted, type Call, documentIn, pathOf, repeatsOnConflict } from '../request.ts';

const itemActions = ['index', 'create', 'update', 'delete'] as const;
type ItemAction = (typeof itemActions)[number];

/** One item as it is sent, and its position in the payload. */
export interface Item {
  readonly at: number;
  readonly action: ItemAction;
  readonly id: string | undefined;
  /** Its lines. */
  readonly text: string;
}

/** An item that the server refused. */
export interface Refused {
  readonly item: Item;
  readonly status: number;
  readonly error: ServerError | undefined;
  readonly reason: string;
}

/** Statuses of a busy server, which did not carry out the item. */
const busy: readonly number[] = [429, 503];
const shownItems = 5;

/** Whether an item was not carried out, and may be later. */
function isTemporary({ item, status }: Refused): boolean {
  return busy.includes(status) || isOvertaken(status, item.action);
}

/**
 * Carries out the `items` of the payload in one request. Items that the server is too busy for, or that another request
 * overtook, are sent again as `retry` says; if any is refused in the end, the call fails and says which, and that the others were carried out.
 */
export async function bulk(call: Call): Promise<CallResult> {
  const items = itemsOf(call);
  if (items.length === 0) return { affected: 0 };
  const failed = (refused: readonly Refused[]) => failureOf(items, refused);
  const { took, answered, refused, broken } = await carryOut(call, items, failed);
  if (broken !== undefined) throw broken.failure;
  if (refused.length > 0) throw failed(refused);
  return {
    affected: items.length,
    value: { took, errors: false, items: items.map(({ at }) => answered.get(at)) },
  };
}

/** What became of items. */
interface CarriedOut {
  /** Milliseconds that the server says. */
  readonly took: number;
  /** As the server gives it, by position in the payload. */
  readonly answered: ReadonlyMap<number, unknown>;
  readonly refused: readonly Refused[];
  /** Why items that were to be sent again have no other answer than that they were not carried out. */
  readonly broken: { readonly failure: unknown; readonly items: readonly Item[] } | undefined;
}

/**
 * Sends items, and those again that may be carried out later. Rejects when there is no answer to the first request;
 * `failed` is what a client that is closed meanwhile says.
 */
export async function carryOut(
  call: Call,
  items: readonly Item[],
  failed: (refused: readonly Refused[]) => Failure,
): Promise<CarriedOut> {
  const { client, asking } = call;
  const answered = new Map<number, unknown>();
  const refused: Refused[] = [];
  let open = items;
  let took = 0;
  for (let attempt = 1; open.length > 0; attempt++) {
    let answer: AnswerFields;
    let ends: readonly ItemEnd[];
    try {
      answer = await send(call, open);
      ends = endsOf(answer, open);
    } catch (failure) {
      if (attempt === 1) throw failure;
      return { took, answered, refused, broken: { failure, items: open } };
    }
    took += Number(answer['took'] ?? 0);
    const again: Refused[] = [];
    for (const [position, item] of open.entries()) {
      const { status, error, end } = ends[position] as ItemEnd;
      answered.set(item.at, end);
      if (status < 400) continue;
      const refusal = { item, status, error, reason: reasonIn(error) ?? 'it was refused' };
      (isTemporary(refusal) ? again : refused).push(refusal);
    }
    const wait = backoffDelay(client.retry, attempt);
    if (attempt >= client.retry.attempts || client.clock.elapsed() + wait >= asking.end) {
      refused.push(...again);
      break;
    }
    open = again.map(({ item }) => item);
    if (open.length === 0) break;
    try {
      await client.pause(wait, asking, failed([...refused, ...again]));
    } catch (failure) {
      return { took, answered, refused, broken: { failure, items: open } };
    }
  }
  return { took, answered, refused, broken: undefined };
}

async function send(call: Call, items: readonly Item[]): Promise<AnswerFields> {
  const { client, asking, index, limits } = call;
  const answer = await client.send(
    {
      method: 'POST',
      path: pathOf(index, ['_bulk'], { refresh: limits.refresh }),
      body: items.map(({ text }) => text).join(''),
      isLines: true,
      repeatable: items.every(isRepeatable),
      changes: true,
    },
    asking,
  );
  return objectIn(accepted(call, answer), call.action);
}

function isRepeatable({ action, id }: Item): boolean {
  return id !== undefined && (action === 'index' || action === 'update');
}

interface ItemEnd {
  readonly status: number;
  readonly error: ServerError | undefined;
  /** As the server gives it. */
  readonly end: unknown;
}

/** What became of each item. An answer about other items is not one. */
function endsOf(answer: AnswerFields, items: readonly Item[]): readonly ItemEnd[] {
  const ends = answer['items'];
  if (!Array.isArray(ends) || ends.length !== items.length)
    throw new Failure('outcome_unknown', 'bulk: the answer does not say what became of the items');
  return ends.map((end: unknown, position) => {
    const own = fieldsIn(fieldsIn(end)?.[(items[position] as Item).action]);
    return { status: Number(own?.['status'] ?? 500), error: fieldsIn(own?.['error']), end };
  });
}

/** Sending all of them again is harmless when those that are done are the same afterwards. */
function failureOf(items: readonly Item[], refused: readonly Refused[]): Failure {
  const inOrder = [...refused].sort((a, b) => a.item.at - b.item.at);
  const shown = inOrder.slice(0, shownItems).map(({ item, status, reason }) => {
    const id = item.id === undefined ? '' : ` "${item.id}"`;
    return `items[${item.at}] (${item.action}${id}): status ${status}: ${reason}`;
  });
  const more = inOrder.length > shownItems ? `; and ${inOrder.length - shownItems} more` : '';
  const isConflict = inOrder.every(({ status }) => status === 409);
  const failed = new Set(inOrder.map(({ item }) => item));
  const message = `bulk: ${inOrder.length} of ${items.length} items failed, the others were carried out: ${shown.join('; ')}${more}`;
  const { status } = inOrder.find((each) => !busy.includes(each.status)) ?? { status: 429 };
  const body = inOrder.map(({ item, status, reason }) => ({ item: item.at, id: item.id, status, reason }));
  return new Failure(codeOf(isConflict ? 409 : 400), message, {
    upstream: { status, body: JSON.stringify(body).slice(0, 4096) },
    retriable: inOrder.every(isTemporary) && items.every((item) => failed.has(item) || isRepeatable(item)),
  });
}

function itemsOf(call: Call): readonly Item[] {
  const { place, action } = call;
  const items = documentIn(call)?.['items'];
  if (!Array.isArray(items))
    throw new Failure('nothing_to_write', `${place.where}: ${action} takes a list of documents in \`items\``);
  const problems: FieldProblem[] = [];
  const made = items.map((item: unknown, at) => itemOf(item, at, call, problems));
  if (problems.length === 0) return made as readonly Item[];
  const [first] = problems as [FieldProblem];
  throw new Failure('value_refused', `bulk: ${first.message}`, { fields: problems.slice(0, 100) });
}

function itemOf(value: unknown, at: number, { limits }: Call, problems: FieldProblem[]): Item | undefined {
  const problem = (code: string, text: string) => {
    problems.push({ field: `items[${at}]`, code, message: `items[${at}] ${text}` });
    return undefined;
  };
  const item = fieldsIn(value);
  if (item === undefined) return problem('type_mismatch', 'must be an object');
  const { _action: written = 'index', _id, _index, ...document } = item;
  const action = itemActions.find((each) => each === written);
  if (action === undefined) return problem('enum', `has an _action that is not one of ${itemActions.join(', ')}`);
  let id: string | undefined;
  let index: string | undefined;
  try {
    const isNew = action === 'index' || action === 'create';
    id = idText(_id === undefined && isNew ? document['id'] : _id);
    index = _index === undefined ? undefined : listedIndex(String(_index), limits.indices);
  } catch (error) {
    return problem('type_mismatch', `cannot be sent: ${(error as Error).message}`);
  }
  if (id === undefined && (action === 'update' || action === 'delete'))
    return problem('required', `needs an _id to ${action}`);
  if (action !== 'delete' && Object.keys(document).length === 0) return problem('required', 'has no fields');
  return writtenItem({ at, action, id }, index, document);
}

/** An item with its lines. `index` is absent where it is that of the path. */
export function writtenItem(item: Omit<Item, 'text'>, index: string | undefined, document: object): Item {
  const { action, id } = item;
  const repeats = action === 'update' ? Number(repeatsOnConflict) : undefined;
  const head = exactJson({ [action]: { _index: index, _id: id, retry_on_conflict: repeats } });
  if (action === 'delete') return { ...item, text: `${head}\n` };
  return { ...item, text: `${head}\n${exactJson(action === 'update' ? { doc: document } : document)}\n` };
}
