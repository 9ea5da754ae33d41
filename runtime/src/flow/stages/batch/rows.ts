import { Fields } from '@svc/protocol/cel';
import type { Values } from '@svc/protocol/schema';
import type { Message } from '../../../contracts/message.ts';
import { FlowRequest, prepareCall } from '../../calls/call.ts';
import { compileArgument, evaluator } from '../../compile/argument.ts';
import type { Frame } from '../../message/frame.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import type { batch } from './spec.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Reads the rows of one page; fewer than a chunk are the last ones. */
export type ReadPage = (frame: Frame, offset: number) => Promise<readonly Row[]>;

/** The pages of the query of a batch: limit and offset are appended to it. */
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

/** Makes the frames of rows: the fields of a row are the message, whose own fields are in `_batch_input`. */
export function rowFrames(frame: Frame): (row: Row) => Frame {
  const shared = sharedBy(frame.message);
  const affected: PropertyDescriptor = {
    get: () => frame.affected,
    set: (count: number) => {
      frame.affected = count;
    },
  };
  return (row) => {
    const input = Object.assign(new Fields(), row) as Record<string, unknown>;
    input['_batch_input'] = frame.input;
    const own = Object.create(frame) as { -readonly [K in keyof Frame]: Frame[K] };
    own.input = input;
    own.output = undefined;
    own.message = { ...shared, input };
    // Rows that are written count for the whole flow.
    Object.defineProperty(own, 'affected', affected);
    return own;
  };
}

/**
 * The properties that rows take from the message of the flow, which may be of any class. Its path parameters do not
 * address a row.
 */
function sharedBy(message: Message): Omit<Message, 'input'> {
  const { auth, callers, traceparent, tracestate, hold, held, cancelled } = message;
  return {
    auth,
    callers,
    traceparent,
    tracestate,
    signal: () => message.signal(),
    hold: hold && (() => hold.call(message)),
    held: held && (() => held.call(message)),
    ...(cancelled && { cancelled: () => cancelled.call(message) }),
    addressed: [],
  };
}
