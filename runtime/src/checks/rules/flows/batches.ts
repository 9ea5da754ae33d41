import { originOf } from '@svc/protocol/schema';
import { specsOf, titleOf } from '../../../connectors/core/declaration.ts';
import { resolveOperation } from '../../../connectors/core/operations.ts';
import { dialectOf } from '../../../connectors/database/engines.ts';
import { type Scan, scan } from '../../../connectors/database/statement/scanner.ts';
import type { FlowRule } from '../../../engine/flow/every-flow.ts';
import { verbOfWord } from '../../../engine/flow/verb.ts';
import { checkPlaceholders, lexisOf, namesOf } from './statements.ts';

/** The source of a batch gives its rows in pages of a query, or one after another. */
export const checkBatchSources: FlowRule = ({ values: { batch } }, connectors, report) => {
  const source = connectors.get(batch?.source ?? '');
  if (batch === undefined || source === undefined) return;
  const specs = specsOf(source);
  if (batch.query !== undefined) {
    if (specs.every((spec) => dialectOf(spec) !== undefined)) return;
    report('not-a-source', `${titleOf(source)} answers no queries in pages`, originOf(batch, 'source'), {
      help: specs.some(({ target }) => target?.scans !== undefined)
        ? 'Write target in place of query.'
        : 'Name a relational database.',
    });
    return;
  }
  const named = resolveOperation(source, batch.operation);
  const asked = named === undefined ? batch.operation : named.operation;
  if (specs.every(({ target }) => target?.scans?.(asked) === true)) return;
  const isOther = specs.every(({ target }) => target?.scans?.(undefined) === true);
  const message = isOther
    ? `"${batch.operation}" of ${titleOf(source)} does not give rows one after another`
    : `${titleOf(source)} does not give rows one after another`;
  report('not-a-source', message, originOf(batch, isOther ? 'operation' : 'source'), {
    help: isOther ? 'Write operation = "read".' : 'Name a connector of files, or write the query of a database.',
  });
};

/** The query of a batch is one to which limit and offset of a page can be added. */
export const checkBatches: FlowRule = ({ name, values: { batch } }, connectors, report) => {
  const lexis = lexisOf(connectors.get(batch?.source ?? ''));
  if (batch?.query === undefined || lexis === undefined) return;
  const at = originOf(batch, 'query');
  const scanned = scan(batch.query, lexis);
  const given = namesOf(batch.params);
  if (given) checkPlaceholders(batch.query, lexis, given, at, report);
  if (continues(batch.query, scanned))
    report('malformed-query', `the query of the batch of flow "${name}" continues after its semicolon`, at, {
      help: 'Write one statement, and remove what follows it: each page adds its limit and offset there.',
    });
  else if (endsWithLimit(scanned))
    report('malformed-query', `the query of the batch of flow "${name}" has a limit of its own`, at, {
      help: 'Remove LIMIT, OFFSET and FETCH; each page adds its own. To read fewer rows, write a condition.',
    });
  else if (!scanned.words.includes('order'))
    report('unordered-pages', `the query of the batch of flow "${name}" says no order`, at, {
      severity: 'warning',
      help: 'Add ORDER BY a unique column: without it the pages may repeat rows, or leave some out.',
    });
  const { connector, target, operation } = batch.to;
  const table = typeof target === 'object' && target.kind === 'constant' ? target.value : undefined;
  if (connector !== batch.source || typeof table !== 'string' || !scanned.words.includes(table.toLowerCase())) return;
  if (!movesPages(operation, scanned)) return;
  report('moving-pages', `the batch of flow "${name}" changes the table "${table}", which it pages through`, at, {
    severity: 'warning',
    help: 'Rows that come or go while it runs move the pages, so that rows are left out or read twice. Write into another table, or make the condition one that the batch does not change.',
  });
};

/** Whether what is written of the rows of a query may change which rows the query has. */
function movesPages(operation: string, { words }: Scan): boolean {
  return verbOfWord(operation) !== 'update' || words.includes('where');
}

function continues(query: string, { statements }: Scan): boolean {
  const [first] = statements;
  return first !== undefined && query.replace(/[\s;]+$/, '').trimStart() !== first.text;
}

/** Whether the outermost select is limited; one inside brackets may be. */
function endsWithLimit({ words, pieces }: Scan): boolean {
  if (!['limit', 'offset', 'fetch'].some((word) => words.includes(word))) return false;
  const text = pieces.map((piece) => piece.text).join('');
  const [last] = [...text.matchAll(/\b(?:limit|offset|fetch)\b/gi)].slice(-1);
  const behind = text.slice(last?.index);
  return behind.split(')').length <= behind.split('(').length;
}
