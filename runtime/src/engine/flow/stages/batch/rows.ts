import { Fields } from '@svc/protocol/cel';
import type { Message } from '../../../../foundation/contracts/message.ts';
import type { Mapping } from '../../compile/mapping.ts';
import type { Frame } from '../../message/frame.ts';
import type { RuleWatch } from '../../message/part.ts';
import type { Row } from './pages.ts';

/** A row in progress. */
export class ShapedRow {
  readonly row: Row;
  /** Its number in its chunk, from 0. */
  readonly position: number;
  /** What is written, once it is built. */
  output: Readonly<Record<string, unknown>> | undefined;
  /** Why it cannot be written. */
  failure: unknown;
  readonly #frameOf: (row: Row) => Frame;
  #frame: Frame | undefined;

  constructor(row: Row, position: number, frameOf: (row: Row) => Frame) {
    this.row = row;
    this.position = position;
    this.output = undefined;
    this.failure = undefined;
    this.#frameOf = frameOf;
    this.#frame = undefined;
  }

  /** The frame of its own, which rows that are written together without a transform do not need. */
  get frame(): Frame {
    if (this.#frame === undefined) {
      this.#frame = this.#frameOf(this.row);
      this.#frame.output = this.output;
    }
    return this.#frame;
  }
}

/** Builds the payload of each row: the row itself where the mapping is empty. */
export function rowShape(mapping: Mapping) {
  const begin = (row: ShapedRow) => {
    const output = mapping.start();
    row.output = output;
    row.frame.output = output;
    return output;
  };
  return {
    plain: (row: ShapedRow) => {
      try {
        if (mapping.isEmpty) row.output = withoutMessage(row.row);
        else mapping.fill(row.frame, begin(row));
      } catch (error) {
        row.failure = error;
      }
    },
    watched: async (row: ShapedRow, watch: RuleWatch) => {
      try {
        if (mapping.isEmpty) row.output = withoutMessage(row.row);
        else await mapping.fillWatched(row.frame, begin(row), watch);
      } catch (error) {
        row.failure = error;
      }
    },
  };
}

/** The name under which expressions find the message is not a column. */
function withoutMessage(row: Row): Row {
  if (!Object.hasOwn(row, '_batch_input')) return row;
  const { _batch_input: _, ...rest } = row;
  return rest;
}

/** Makes the frames of rows: the fields of a row are the message, whose own fields are in `_batch_input`. */
export function rowFrames(frame: Frame): (row: Row) => Frame {
  const shared = sharedBy(frame.message);
  const common = Object.create(frame, {
    // A row was read before, and may be another one.
    isSame: { value: () => false },
    // Rows that are written count for the whole flow.
    affected: {
      get: () => frame.affected,
      set: (count: number) => {
        frame.affected = count;
      },
    },
    message: {
      get(this: Frame) {
        const message = { ...shared, input: this.input };
        Object.defineProperty(this, 'message', { value: message });
        return message;
      },
    },
  }) as Frame;
  return (row) => {
    const input = Object.assign(new Fields(), row) as Record<string, unknown>;
    input['_batch_input'] = frame.input;
    const own = Object.create(common) as Frame;
    own.input = input;
    own.output = undefined;
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
