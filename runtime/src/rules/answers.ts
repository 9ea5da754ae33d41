import type { FlowRule } from './every-flow.ts';

/** A status that is spelt out is one that an answer can have. */
export const checkAnswers: FlowRule = ({ values }, _connectors, report) => {
  const status = values.response?.http_status_code;
  const digits = /^\s*(['"]?)(-?\d+)\1\s*$/.exec(status?.source ?? '')?.[2];
  if (!status || digits === undefined || (Number(digits) >= 200 && Number(digits) <= 599)) return;
  report('out-of-bounds', `no answer has the status ${digits}`, status.origin, {
    help: 'Write a status from 200 to 599.',
  });
};
