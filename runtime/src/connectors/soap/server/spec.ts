import { block, connector, duration, int, map, oneOf, text } from '@svc/protocol/schema';
import { cors } from '../../../platform/http/admission/cors-spec.ts';
import { requestAttributes } from '../../../platform/http/sockets/server-spec.ts';
import { connectorAuth } from '../../../platform/identity/auth-spec.ts';
import { everyConnector } from '../../core/spec.ts';
import { verbOfName } from '../../core/verb-of-name.ts';
import { checkOperation } from '../operation.ts';
import { elementForms, namespaceAttribute, soapVersions } from '../spec.ts';

/** Who may call by a user name token. */
export const security = block({
  doc: 'Asks every request for a user name token of WS-Security, in the header of its envelope. Its user is `auth.user_id`. A nonce is taken once only, and a token that was made before the connector started is refused.',
  attributes: {
    users: map('User names with their passwords.', text('Password.', { secret: true }), {
      secret: true,
      required: true,
    }),
    passwords: oneOf(
      'How passwords may come: as a digest of nonce, time and password, as text, or either. Text is as readable as the connection.',
      ['any', 'digest', 'text'],
      { default: 'any' },
    ),
    max_age: duration('How far the time at which a token was made may be from now.', {
      default: 300_000,
      min: 1_000,
      max: 86_400_000,
    }),
    max_nonces: int('Most nonces that are remembered; while there are more, requests are refused as overload.', {
      default: 100_000,
      min: 1,
      max: 10_000_000,
    }),
  },
  example: 'security {\n  users     = { billing = env("BILLING_PASSWORD") }\n  passwords = "digest"\n}',
});

const { max_upload: _, ...requests } = requestAttributes;

/** A SOAP server (docs/specification/soap.md). */
export const soapServer = connector({
  type: 'soap',
  driver: 'server',
  defaultDriver: true,
  canonical: 'soap',
  kind: 'api',
  config: block({
    doc: 'Serves flows as the operations of a SOAP service: every flow names an operation, which is the element in the body of a request, sent by POST to any path. Its children are `input`; what the flow answers are the children of the element `<operation>Response`. The WSDL is served at `/wsdl`, and at any path with the query `?wsdl`.',
    attributes: {
      port: int('Port to listen on; 0 lets the system choose a free one.', { required: true, min: 0, max: 65_535 }),
      soap_version: oneOf(
        'Version of SOAP of requests and answers; a request of the other one is refused.',
        soapVersions,
        { default: '1.1' },
      ),
      namespace: namespaceAttribute('Namespace of the operations. Default: `http://tempuri.org/`.'),
      element_form: oneOf(
        'Whether the elements inside those of answers have the namespace too; requests are read in either form. The WSDL says it as `elementFormDefault`.',
        elementForms,
        { default: 'unqualified' },
      ),
      address: text('Address of the service that its WSDL names. Default: that at which the WSDL was asked for.', {
        pattern: { source: '^https?://[^\\s?#]+$', says: 'must be an http:// or https:// address without query' },
        example: '"https://soap.example.org/orders"',
      }),
      ...requests,
      ...everyConnector.attributes,
    },
    blocks: { cors, auth: connectorAuth, security },
    example:
      'connector "orders" {\n  type      = "soap"\n  port      = 8081\n  namespace = "http://example.org/orders"\n}',
  }),
  source: {
    operation: 'required',
    style: 'request',
    verb: (operation) => verbOfName(operation ?? '') ?? 'create',
    placement: 'every-worker',
    listens: 'http',
    serves: (_config, operation) => (operation === undefined ? ['POST /', 'POST /*', 'GET /wsdl'] : []),
    remembers: { whereWritten: [['security']] },
    names: 'arguments',
    input: {},
    checkOperation,
  },
});
