import type { PublishCheck, Published } from '../../../foundation/contracts/published.ts';
import { checkEntities } from './federation/rules.ts';
import { checkFieldFlows, checkSubscribed } from './flow-rules.ts';
import { pathOf, settingsOf, type Tell } from './published.ts';
import { checkTypeNames } from './type-name-rules.ts';

/** What a server publishes: where the schema comes from, whether types can be published, fields of flows, entities. */
export const checkSchema: PublishCheck = (published) => {
  const problems: Parameters<Tell>[0][] = [];
  const tell: Tell = (problem) => void problems.push(problem);
  checkPlace(published, tell);
  checkFieldFlows(published, tell);
  checkSubscribed(published, tell);
  if (pathOf(published) === undefined) checkTypeNames(published, tell);
  checkEntities(published, tell);
  return problems;
};

/** The block `schema`: one of a file and types. */
function checkPlace(published: Published, tell: Tell): void {
  const { connector, types, flows } = published;
  const { schema } = settingsOf(published);
  const path = pathOf(published);
  if (path !== undefined) {
    if (schema?.auto_generate === true)
      tell({
        code: 'contradicting-schema',
        message: 'the schema is either in a file or generated',
        at: { of: 'connector', path: ['schema', 'auto_generate'] },
        help: 'Remove auto_generate, or remove path.',
      });
    if (isOutside(path))
      tell({
        code: 'outside-directory',
        message: `the schema ${path} is outside the directory of the configuration`,
        at: { of: 'connector', path: ['schema', 'path'] },
        help: 'Move the file below the directory, and write its path from there, such as "schema.graphql".',
      });
  } else if (schema?.auto_generate === false)
    tell({
      code: 'missing-schema',
      message: `connector "${connector}" has no schema`,
      at: { of: 'connector', path: ['schema', 'auto_generate'] },
      help: 'Write path = "schema.graphql", or remove auto_generate.',
    });
  else if (types.length === 0 && flows.length > 0)
    tell({
      code: 'missing-schema',
      message: `connector "${connector}" has no schema: there is neither a type nor a file`,
      at: { of: 'connector' },
      help: 'Write a type block for what flows answer, or schema { path = "schema.graphql" }.',
    });
}

/** Whether a path leads out of the directory, as it is written. */
export function isOutside(path: string): boolean {
  if (/^([/\\]|[A-Za-z]:)/.test(path)) return true;
  let depth = 0;
  for (const part of path.split(/[/\\]/)) {
    if (part === '..') depth--;
    else if (part !== '.' && part !== '') depth++;
    if (depth < 0) return true;
  }
  return false;
}
