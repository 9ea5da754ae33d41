import { originOf } from '@svc/protocol/schema';
import { type Scan, scan } from '../connectors/database/statement/scanner.ts';
import type { FlowRule } from './every-flow.ts';
import { checkPlaceholders, flavourOf, namesOf } from './statements.ts';

/** The query of a batch is one to which limit and offset of a page can be added (supplement-flows 2.13). */
export const checkBatches: FlowRule = ({ name, values: { batch } }, connectors, report) => {
  const flavour = flavourOf(connectors.get(batch?.source ?? ''));
  if (batch?.query === undefined || flavour === undefined) return;
  const at = originOf(batch, 'query');
  const scanned = scan(batch.query, flavour);
  const given = namesOf(batch.params);
  if (given) checkPlaceholders(batch.query, flavour, given, at, report);
  if (goesOn(batch.query, scanned))
    report('malformed-query', `the query of the batch of flow "${name}" goes on behind its semicolon`, at, {
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
};

function goesOn(query: string, { statements }: Scan): boolean {
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
