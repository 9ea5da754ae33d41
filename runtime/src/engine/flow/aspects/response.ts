import { Fields as EmptyFields } from '@svc/protocol/cel';
import type { Values } from '@svc/protocol/schema';
import type { Answered } from '../../../foundation/contracts/outcome.ts';
import type { Mapping } from '../compile/mapping.ts';
import type { RuleWatch } from '../message/part.ts';
import { whenDone } from '../message/when-done.ts';
import { compileMapping } from '../stages/transform/stage.ts';
import type { FlowTools } from '../tools.ts';
import type { AspectScope } from './scope.ts';
import type { aspect } from './spec.ts';

type ResponseBlock = NonNullable<Values<typeof aspect>['response']>;
type Fields = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string>>;

/** What an aspect adds to answers. */
export interface Addition {
  readonly mapping: Mapping;
  /** The answer with everything added. Throws or rejects when a field cannot be evaluated; nothing is added then. */
  readonly run: (reply: Answered, scope: AspectScope, watch: RuleWatch | undefined) => Answered | Promise<Answered>;
}

export function compileAddition(block: ResponseBlock, title: string, tools: FlowTools): Addition {
  const mapping = compileMapping(block.fields, `${title}: response`, tools);
  const { headers } = block;
  const withHeaders = (reply: Answered): Answered =>
    headers === undefined ? reply : { ...reply, headers: joined(reply.headers, headers) };
  return {
    mapping,
    run: (reply, scope, watch) => {
      if (mapping.isEmpty) return withHeaders(reply);
      const into = mapping.start();
      const filled = watch === undefined ? mapping.fill(scope, into) : mapping.fillWatched(scope, into, watch);
      return whenDone(filled, (fields) => withHeaders({ ...reply, value: enriched(reply.value, fields) }));
    },
  };
}

/** The fields in every row, or in the one object; without any row, one is made. Other values have no fields. */
function enriched(value: unknown, fields: Fields): unknown {
  if (value === null || value === undefined) return fields;
  if (!Array.isArray(value)) return withFields(value, fields);
  return value.length === 0 ? [fields] : value.map((row) => withFields(row, fields));
}

function withFields(value: unknown, fields: Fields): unknown {
  const hasFields = typeof value === 'object' && value !== null && !Array.isArray(value);
  return hasFields ? Object.assign(new EmptyFields(), value, fields) : value;
}

/** Names of headers are case-insensitive: the later one wins. */
function joined(earlier: Headers | undefined, later: Headers): Headers {
  if (earlier === undefined) return later;
  const names = new Set(Object.keys(later).map((name) => name.toLowerCase()));
  const kept = Object.entries(earlier).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...later };
}
