import type { ConnectorDeclaration, OperationDeclaration, ProjectRule, Report } from '@svc/protocol/model';
import { type ConnectorValues, isWritten, originOf } from '@svc/protocol/schema';
import { titleOf } from '../../../connectors/core/declaration.ts';
import { resolveOperation } from '../../../connectors/core/operations.ts';
import { checkParameter } from './parameters.ts';

/** Operations that connectors declare: their paths, tables and parameters. */
export const checkNamedOperations: ProjectRule = (project, report) => {
  for (const connector of project.connectors.values())
    for (const declared of [connector, ...connector.profiles.values()])
      for (const operation of declared.operations.values()) checkOperation(declared, operation, report);
};

function checkOperation(connector: ConnectorDeclaration, declared: OperationDeclaration, report: Report): void {
  const resolved = resolveOperation(connector, declared.name);
  if (!resolved) return;
  const { operation, target, params } = resolved;
  const say = (code: string, problem: string | undefined, attribute: string) => {
    if (problem !== undefined)
      report(code, problem, originOf(declared.values, attribute), {
        help: `It is written in operation "${declared.name}" of ${titleOf(connector)}.`,
      });
  };
  if (operation !== undefined && isWritten(declared.values, 'path'))
    say('malformed-operation', connector.spec?.source?.checkOperation?.(operation, connector.values), 'path');
  if (operation !== undefined)
    say('malformed-target', connector.spec?.target?.checkTarget?.(operation), operationWord(declared));
  if (target !== undefined)
    say('malformed-target', connector.spec?.target?.checkTarget?.(target), targetWord(declared));
  const wrong = connector.spec?.target?.checkNamed?.(declared.values as ConnectorValues);
  // Names are checked above.
  if (wrong !== undefined && wrong.word !== 'target' && wrong.word !== 'operation')
    say('malformed-call', wrong.problem, wrong.word);
  for (const param of params) {
    checkParameter(param, report);
    if (param.in === 'path' && operation !== undefined && !hasParameter(operation, param.label))
      report(
        'unknown-parameter',
        `the path of operation "${declared.name}" has no :${param.label}`,
        originOf(param, 'in'),
        {
          help: `Write :${param.label} into the path, or take the parameter from somewhere else.`,
          related: [{ message: 'the path is here', ...originOf(declared.values, 'path') }],
        },
      );
  }
}

/** The attribute that spells what is asked. */
function operationWord({ values }: OperationDeclaration): string {
  return isWritten(values, 'document') ? 'document' : 'path';
}

/** The attribute that names what is read or written, as this connector calls it. */
function targetWord({ values }: OperationDeclaration): string {
  return ['collection', 'index'].find((word) => isWritten(values, word)) ?? 'table';
}

function hasParameter(path: string, name: string): boolean {
  return path.split('/').some((part) => part === `:${name}` || part === `{${name}}`);
}
