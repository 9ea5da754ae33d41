import { Fields } from '@svc/protocol/cel';
import type { Values } from '@svc/protocol/schema';
import { FlowRequest, prepareCall } from '../../calls/call.ts';
import { compileArgument, evaluator } from '../../compile/argument.ts';
import type { Frame } from '../../message/frame.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import type { batch } from './spec.ts';

type QueryBlock = Values<typeof batch> & { readonly query: string };

export type Row = Readonly<Record<string, unknown>>;

/** What is before a page: so many rows, the last of which is this one. */
export interface Before {
  readonly offset: number;
  readonly last: Row | undefined;
}

/** What a batch reads, page by page. */
export interface Pages {
  /** Reads the rows of one page; fewer than a chunk are the last ones. */
  read(frame: Frame, before: Before): Promise<readonly Row[]>;
  /** Frees what was kept between the pages of a run. */
  end?(before: Before): Promise<void>;
}

/** The pages of the query of a batch: limit and offset are appended to it. */
export function compilePages({ name: flow }: FlowModel, block: QueryBlock, tools: FlowTools): Pages {
  const size = block.chunk_size;
  const expression = (source: Parameters<FlowTools['expression']>[0], title: string) => tools.expression(source, title);
  const params = evaluator(block.params && compileArgument(block.params, expression, 'batch: params'));
  const query = withoutEnd(block.query);
  const page = { query, limit: limitName, after: afterName };
  const execute = prepareCall(
    tools.connector(block.source),
    { verb: 'read', query: paged(query), page, exact: true, flow, label: 'batch' },
    tools,
  );
  return {
    read: async (frame, { offset, last }) => {
      const request = new FlowRequest(frame);
      request.after = last;
      request.params = Object.assign(new Fields(), params?.(frame), {
        [limitName]: BigInt(size),
        [offsetName]: BigInt(offset),
      });
      const { rows = [] } = await execute(request);
      return rows;
    },
  };
}

const limitName = 'batch_limit';
const offsetName = 'batch_offset';
const afterName = 'batch_after';

function withoutEnd(query: string): string {
  return query.replace(/[\s;]+$/, '');
}

/** The line break ends a comment that the query may end with. */
function paged(query: string): string {
  return `${query}\nLIMIT :${limitName} OFFSET :${offsetName}`;
}
