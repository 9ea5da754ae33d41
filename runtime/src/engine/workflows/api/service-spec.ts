import { block, duration, flag, int, reference, text } from '@svc/protocol/schema';
import { connectorAuth } from '../../../platform/identity/auth-spec.ts';

const { public: _open, ...attributes } = connectorAuth.attributes;

/** As connectors have it, but every path requires a credential. */
const auth = block({
  ...connectorAuth,
  doc: 'Who may read workflows, signal and cancel them. Requests without a valid credential are refused with 401.',
  attributes,
  required: true,
  example: 'auth {\n  type = "api_key"\n  keys = [env("WORKFLOW_KEY")]\n}',
});

const api = block({
  doc: 'An HTTP interface to workflows on a port of its own: GET /workflows, GET /workflows/{id}, POST /workflows/{id}/signal/{event}, POST /workflows/{id}/cancel. Without this block the interface is off.',
  attributes: {
    port: int('Port to listen on, never that of the admin server; 0 lets the system choose a free one.', {
      default: 9091,
      min: 0,
      max: 65_535,
    }),
    host: text('Address of the interface to listen on; every interface by default.', {
      example: '"127.0.0.1"',
    }),
  },
  blocks: { auth },
  example: 'api {\n  auth {\n    type = "api_key"\n    keys = [env("WORKFLOW_KEY")]\n  }\n}',
});

/** Where sagas that pause are kept. */
export const workflow = block({
  doc: 'Keeps sagas that wait (`delay`, `await`) in a database, so that they outlive the process.',
  attributes: {
    storage: reference('The relational database that keeps them.', 'connector', { required: true }),
    table: text(
      'Table of workflows; signals that were not taken up yet are stored in `<table>_signals`. Services that share a database have one each: sagas are known by their names in it.',
      {
        default: 'svc_workflows',
        pattern: {
          source: '^[A-Za-z_]\\w{0,47}(\\.[A-Za-z_]\\w{0,47})?$',
          says: 'must be a name of at most 48 letters, digits and underscores, with a schema in front or without',
        },
        example: '"app.workflows"',
      },
    ),
    auto_create: flag('Make the tables at start when they are missing.', { default: true }),
    lease: duration(
      'How long the instances of a process that died are not taken over by others. A running process renews its leases; the clocks of all processes have to agree within a part of it.',
      { default: 30_000, min: 1000 },
    ),
  },
  blocks: { api },
  example: 'workflow {\n  storage = connector.db\n}',
});

/** What the HTTP interface to workflows serves. */
export const apiRoutes = {
  list: 'GET /workflows',
  get: 'GET /workflows/:id',
  signal: 'POST /workflows/:id/signal/:event',
  cancel: 'POST /workflows/:id/cancel',
} as const;
