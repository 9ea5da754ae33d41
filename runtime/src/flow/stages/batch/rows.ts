import { Fields } from '@svc/protocol/cel';
import type { Values } from '@svc/protocol/schema';
import { compileArgument, evaluator } from '../../argument.ts';
import { FlowRequest, prepareCall } from '../../call.ts';
import type { Frame } from '../../frame.ts';
import type { Message } from '../../message.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import type { batch } from './spec.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Reads the rows of one page; fewer than a chunk are the last ones. */
export type ReadPage = (frame: Frame, offset: number) => Promise<readonly Row[]>;

/** The pages of the query of a batch: limit and offset are put behind it (supplement-flows 2.13). */
export function compilePages({ name: flow }: FlowModel, block: Values<typeof batch>, tools: FlowTools): ReadPage {
  const size = block.chunk_size;
  const expression = (source: Parameters<FlowTools['expression']>[0], title: string) => tools.expression(source, title);
  const params = evaluator(block.params && compileArgument(block.params, expression, 'batch: params'));
  const execute = prepareCall(
    tools.connector(block.source),
    { verb: 'read', query: paged(block.query), exact: true, flow, label: 'batch' },
    tools,
  );
  return async (frame, offset) => {
    const request = new FlowRequest(frame);
    request.params = Object.assign(new Fields(), params?.(frame), {
      [limitName]: BigInt(size),
      [offsetName]: BigInt(offset),
    });
    const { rows = [] } = await execute(request);
    return rows;
  };
}

const limitName = 'batch_limit';
const offsetName = 'batch_offset';

/** The line break ends a comment that the query may end with. */
function paged(query: string): string {
  return `${query.replace(/[\s;]+$/, '')}\nLIMIT :${limitName} OFFSET :${offsetName}`;
}

/** The frame of one row: its fields are the message, whose own fields stand in `_batch_input`. */
export function rowFrame(frame: Frame, row: Row): Frame {
  const input = Object.assign(new Fields(), row) as Record<string, unknown>;
  input['_batch_input'] = frame.input;
  const own = Object.create(frame) as { -readonly [K in keyof Frame]: Frame[K] };
  own.input = input;
  own.output = undefined;
  own.message = rowMessage(frame.message, input);
  // Rows that are written count for the whole flow.
  Object.defineProperty(own, 'affected', {
    get: () => frame.affected,
    set: (count: number) => {
      frame.affected = count;
    },
  });
  return own;
}

/** The message of one row. Path parameters of a request address nothing in it; who waits for it is who waits for all. */
function rowMessage(message: Message, input: Record<string, unknown>): Message {
  const { auth, callers, requested, traceparent, tracestate, hold, held } = message;
  return {
    input,
    auth,
    callers,
    requested,
    traceparent,
    tracestate,
    addressed: [],
    signal: () => message.signal(),
    cancelled: () => message.cancelled?.() ?? message.signal()?.aborted ?? false,
    hold: hold && (() => hold.call(message)),
    held: held && (() => held.call(message)),
  };
}
