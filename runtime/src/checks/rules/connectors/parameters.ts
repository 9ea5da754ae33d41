import type { Report } from '@svc/protocol/model';
import { isWritten, originOf } from '@svc/protocol/schema';
import type { ParameterDeclaration } from '../../../connectors/core/operations.ts';
import { compileParameters } from '../../../connectors/core/parameters.ts';
import { checkPattern, matcherOf } from '../../../engine/flow/stages/validate/pattern-rules.ts';
import { Failure } from '../../../foundation/errors/failure.ts';

/** A parameter can be satisfied, and its default satisfies it. */
export function checkParameter(param: ParameterDeclaration, report: Report): void {
  const title = `param "${param.label}"`;
  checkPattern(param.pattern, originOf(param, 'pattern'), report);
  const bounds = [
    ['min', 'max'],
    ['min_length', 'max_length'],
  ] as const;
  for (const [least, most] of bounds) {
    const [low, high] = [param[least], param[most]];
    if (low !== undefined && high !== undefined && low > high)
      report(
        'contradicting-bounds',
        `${title}: nothing is at least ${low} and at most ${high}`,
        originOf(param, most),
        {
          help: `Make ${most} at least as large as ${least}.`,
          related: [{ message: `${least} is here`, ...originOf(param, least) }],
        },
      );
  }
  if (!isWritten(param, 'default')) return;
  const problem = refusal(param);
  if (problem !== undefined)
    report('unfit-default', `${title}: its own default is refused: ${problem}`, originOf(param, 'default'), {
      help: 'Write a default that the other attributes allow.',
    });
}

/** Why the default would be refused, in the words that a caller would get. */
function refusal(param: ParameterDeclaration): string | undefined {
  try {
    compileParameters([{ ...param, required: false }], matcherOf)({});
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message.replace(/^invalid parameters: /, '');
    throw error;
  }
}
