import { headerProblem, isFraming } from '../../../../platform/net/headers.ts';
import type { FlowRule } from '../../every-flow.ts';

/** Checks that an answer can have the status that is written, and the headers. */
export const checkAnswers: FlowRule = ({ values }, _connectors, report) => {
  const { response } = values;
  for (const { name, origin } of response?.headers?.fields ?? [])
    if (headerProblem(name, '') !== undefined || isFraming(name) || name.toLowerCase() === 'date')
      report('invalid-value', `an answer may not set the header "${name}"`, origin, {
        help: 'Remove it: the connection itself sets what frames a message.',
      });
  const status = response?.http_status_code;
  const digits = /^\s*(['"]?)(-?\d+)\1\s*$/.exec(status?.source ?? '')?.[2];
  if (!status || digits === undefined || (Number(digits) >= 200 && Number(digits) <= 599)) return;
  report('out-of-bounds', `an answer cannot have the status ${digits}`, status.origin, {
    help: 'Write a status from 200 to 599.',
  });
};
