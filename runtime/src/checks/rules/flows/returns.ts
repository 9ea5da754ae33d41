import type { ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { closest } from '@svc/protocol/text';
import { flowsOf } from '../../../engine/flow/declarations.ts';
import { parseReturns, returnScalars } from '../../../engine/flow/returns.ts';
import { rootBlocks } from '../../../engine/flow/root-spec.ts';

/** What flows return is written in a form that is understood, and is a type that there is. */
export const checkReturns: ProjectRule = (project, report) => {
  const types = project.all('type', rootBlocks.type).map(({ name }) => name);
  const hasSchema = (name: string | undefined) => {
    const values: object = project.connectors.get(name ?? '')?.values ?? {};
    return 'schema' in values && values.schema !== undefined;
  };
  for (const { name, values } of flowsOf(project)) {
    const { returns, from, to } = values;
    if (returns === undefined) continue;
    const at = originOf(values, 'returns');
    const shape = parseReturns(returns);
    if (shape === undefined) {
      report('malformed-type', `flow "${name}" returns "${returns}", which is not a type`, at, {
        help: 'Write "User", "User!", "User[]" or "[User!]!".',
      });
      continue;
    }
    // A file may declare the types of a connector; who reads it knows them.
    const declaredElsewhere = [from, ...to].some((one) => hasSchema(one?.connector));
    if (shape.scalar || types.includes(shape.type) || declaredElsewhere) continue;
    const near = closest(shape.type, [...types, ...returnScalars]);
    report('unknown-type', `there is no type "${shape.type}"`, at, {
      help: near === undefined ? `Write type "${shape.type}" { … }.` : `Did you mean "${near}"?`,
    });
  }
};
