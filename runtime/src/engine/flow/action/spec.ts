import { argument, block, reference, text } from '@svc/protocol/schema';
import { carriedByAction } from '../../../connectors/core/words-spec.ts';

/** `error` has fields in `on_failure` alone. */
const reads = ['input', 'step', 'error'];

const attributes = {
  connector: reference('The connector that is asked. Without one nothing happens, and that succeeds.', 'connector'),
  operation: text(
    'What is asked: `INSERT`, `UPSERT`, `UPDATE`, `DELETE`, `POST /orders`, or a named operation. Without one the target is read.',
    { refersTo: 'operation' },
  ),
  target: argument('Table, path or queue.', { reads, refersTo: 'operation', atConnector: true }),
  data: argument('Payload: columns of a row, fields of a message.', { reads }),
  body: argument('Payload of a call; it takes precedence over `data`. A write without `data` uses it too.', { reads }),
  set: argument('Columns that an UPDATE changes; they take precedence over those of the payload.', { reads }),
  where: argument('Rows that are affected: every column must equal its value.', { reads }),
  params: argument('Parameters of a query or a call; columns that a read compares.', { reads, keys: 'parameters' }),
} as const;

const example =
  'connector = "db"\n  operation = "INSERT"\n  target    = "holds"\n  data      = { van_id = "input.van_id", state = "held" }';

/** The blocks that ask a connector for something, such as `action`: all have the same attributes. */
export function asks(word: string, doc: string) {
  return block({
    doc,
    attributes,
    dependent: { by: 'connector', at: 'action', reads, shared: carriedByAction },
    example: `${word} {\n  ${example}\n}`,
  });
}
