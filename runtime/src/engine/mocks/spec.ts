import { block, flag, text, value } from '@svc/protocol/schema';

/** The `mocks` block: recordings that answer instead of connectors. */
export const mocks = block({
  doc: 'Answers calls from JSON files instead of connectors. `svc start --mock` and `--no-mock` win over it.',
  attributes: {
    enabled: flag('Whether recordings answer.', { default: false }),
    path: text('Directory of the recordings; relative to the configuration directory.', { default: './mocks' }),
  },
  blocks: {
    connectors: block({
      doc: 'The connectors that are mocked, with how they behave. Without it: every connector that has a recording.',
      asAttribute: true,
      fields: value('`{ latency = "50ms", fail_rate = 25, enabled = true }`; `fail_rate` is a percentage.'),
    }),
  },
  example: 'mocks {\n  enabled = true\n  connectors {\n    db = { latency = "20ms", fail_rate = 5 }\n  }\n}',
});
