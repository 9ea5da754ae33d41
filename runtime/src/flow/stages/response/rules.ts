import type { FlowRule } from '../../every-flow.ts';

/** Checks that a literal status is one that an answer can have. */
export const checkAnswers: FlowRule = ({ values }, _connectors, report) => {
  const status = values.response?.http_status_code;
  const digits = /^\s*(['"]?)(-?\d+)\1\s*$/.exec(status?.source ?? '')?.[2];
  if (!status || digits === undefined || (Number(digits) >= 200 && Number(digits) <= 599)) return;
  report('out-of-bounds', `an answer cannot have the status ${digits}`, status.origin, {
    help: 'Write a status from 200 to 599.',
  });
};
