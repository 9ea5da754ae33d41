import { block, flag, list, text } from '@svc/protocol/schema';

const word = { source: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", says: 'must be one word, as HTTP knows it' };

/** Pages of other origins that may call. */
export const origins = list(
  'Origins that may call, compared exactly; `*` means every origin.',
  text('Scheme, host and port.', {
    pattern: {
      source: '^(\\*|[A-Za-z][A-Za-z0-9+.-]*://[^/\\s]+)$',
      says: 'must be `*` or scheme and host without a path',
    },
  }),
  { required: true, example: '["https://app.example.com"]' },
);

/** The `cors` block of connectors that serve HTTP. */
export const cors = block({
  doc: 'Which pages of other origins may call this server. Without it: pages of this machine (localhost) outside production, none in production.',
  attributes: {
    origins,
    methods: list('Methods that those pages may use.', text('HTTP method.', { pattern: word }), {
      default: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'OPTIONS'],
    }),
    headers: list('Request headers that those pages may send.', text('Header name.', { pattern: word }), {
      default: ['Content-Type', 'Authorization'],
    }),
    allow_credentials: flag('Let those pages send cookies and credentials; refused together with the origin `*`.', {
      default: false,
    }),
  },
  example: 'cors {\n  origins = ["https://app.example.com"]\n}',
});
