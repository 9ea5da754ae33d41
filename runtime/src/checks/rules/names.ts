import type { ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { sagaOf } from '../../engine/flow/declarations.ts';
import type { FlowRule } from '../../engine/flow/every-flow.ts';
import { resultBlocks } from '../../engine/flow/pipeline/results.ts';
import { saga } from '../../engine/flow/sagas/spec.ts';
import { flow } from '../../engine/flow/spec.ts';

/** Names that other blocks can use as they are written. */
export const checkNames: ProjectRule = (project, report) => {
  for (const { name, nameOrigin } of project.connectors.values())
    if (name.startsWith('connector.'))
      report(
        'malformed-name',
        `the name "${name}" could not be distinguished from connector "${name.slice(10)}"`,
        nameOrigin,
        {
          help: 'Leave out "connector." in the name.',
        },
      );
};

/** Names of results that can be written behind a dot. */
export const checkResultNames: FlowRule = (declaration, _connectors, report) => {
  const work = sagaOf(declaration);
  const results = work ? resultBlocks(work.values, saga) : resultBlocks(declaration.values, flow);
  for (const { variable, values: result } of results)
    if (!/^[A-Za-z_]\w*$/.test(result.label))
      report('unreadable-name', `"${result.label}" cannot be written behind a dot in expressions`, originOf(result), {
        severity: 'warning',
        help: `Use letters, digits and underscores, or read it as ${variable}["${result.label}"].`,
      });
};
