import type { CallDescription, CallRequest } from '../../../foundation/contracts/target.ts';
import type { Document } from './documents/encoder.ts';
import type { FilterBuilder } from './documents/filter.ts';
import { withParameters } from './documents/parameters.ts';
import { type PageWord, pageWords } from './page.ts';
import type { Plan } from './plan.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a read is asked with: what finds documents, and what chooses a part of them. */
export interface Asked {
  readonly filters: Fields;
  readonly page: Readonly<Partial<Record<PageWord, unknown>>>;
}

/**
 * Divides what a message asks with: `limit`, `offset`, `sort` and `fields` page where the operation declares them as
 * parameters, or where `params` gives them, which of a step come as filters; everything else finds documents.
 */
export function askedOf(
  { filters = {}, params }: CallRequest,
  { parameters = [] }: CallDescription,
  { paging }: Pick<Plan, 'paging'>,
): Asked {
  const isPage = (word: PageWord) => parameters.includes(word) || (params === undefined && paging.includes(word));
  const given = namedParams(params);
  const [found, page]: [Record<string, unknown>, Record<string, unknown>] = [{ ...filters }, {}];
  for (const name of parameters) if (Object.hasOwn(given, name)) found[name] = given[name];
  for (const word of pageWords) {
    if (Object.hasOwn(given, word)) page[word] = given[word];
    if (!isPage(word)) continue;
    page[word] ??= found[word];
    delete found[word];
  }
  return { filters: found, page };
}

/** The filter of one message: what the named operation writes with its parameters in it, or what the message asks with. */
export function builtFilter(
  plan: Plan,
  request: CallRequest,
  call: CallDescription,
  builder: FilterBuilder,
  where: string,
): Document {
  const { filters: written } = plan;
  const filters =
    written.named === undefined
      ? askedOf(request, call, plan).filters
      : (withParameters(written.named, lookupIn(request), where) as Fields);
  return builder.build(filters, written.shape);
}

export function namedParams(params: CallRequest['params']): Fields {
  return params === undefined || Array.isArray(params) ? {} : (params as Fields);
}

/** Gives the parameters of a pipeline: those of `params` win over the payload, and that over the filters. */
export function lookupIn({ params, payload, filters }: CallRequest): (name: string) => unknown {
  const places = [namedParams(params), payload ?? {}, filters ?? {}];
  return (name) => {
    for (const place of places) if (Object.hasOwn(place, name) && place[name] !== undefined) return place[name];
    return undefined;
  };
}

/** Whether no field has a value. */
export function isEmpty(fields: Fields | undefined): boolean {
  for (const name in fields) if (fields[name] !== undefined) return false;
  return true;
}
