import { block, connector, duration, oneOf, size, text } from '@svc/protocol/schema';
import { authBlock, headersBlock } from '../../../platform/net/client/access-spec.ts';
import { httpForm } from '../../../platform/net/spoken/form.ts';
import { tlsBlock } from '../../../platform/net/tls-spec.ts';
import { everyConnector } from '../../core/spec.ts';
import { carried } from '../../core/words-spec.ts';
import { checkName } from '../operation.ts';
import { elementForms, namespaceAttribute, soapVersions } from '../spec.ts';
import { checkCall } from './asked-operation.ts';

/** How requests identify themselves inside their envelopes. */
export const clientSecurity = block({
  doc: 'Sends a user name token of WS-Security in the header of every envelope.',
  attributes: {
    username: text('User name.', { required: true }),
    password: text('Password.', { required: true, secret: true }),
    passwords: oneOf(
      'How the password is sent: as a digest with a fresh nonce and the time, or as text, which is as readable as the connection.',
      ['digest', 'text'],
      { default: 'digest' },
    ),
  },
  example: 'security {\n  username = "billing"\n  password = env("BILLING_PASSWORD")\n}',
});

const { headers } = carried;

const words = {
  to: block({
    doc: 'What a destination says of a request.',
    attributes: { query_filter: carried.query_filter },
    blocks: { headers },
  }),
  step: block({ doc: 'What a step says of a request.', blocks: { headers } }),
  enrich: block({ doc: 'What an enrichment says of a request.', blocks: { headers } }),
} as const;

/** `type = "soap"` with an `endpoint`: calls a SOAP service. */
export const soapClient = connector({
  type: 'soap',
  driver: 'client',
  impliedBy: ['endpoint', 'wsdl'],
  canonical: 'soap_client',
  speaks: ({ endpoint }) => httpForm('endpoint', endpoint),
  kind: 'http',
  config: block({
    doc: 'Calls the operations of a SOAP service. The element of an operation has what is sent as children, in the order in which it is written; the children of the element that comes back are the answer, every leaf a text. A fault fails the call with its code and text. Nothing is repeated.',
    attributes: {
      wsdl: text(
        'File with the WSDL of the service, below the directory of the configuration. It says the operations with their namespaces, actions and parameters, the version of SOAP and, without `endpoint`, the address. Documents and schemas that it imports are files of that directory too: nothing is fetched.',
        {
          example: '"erp/orders.wsdl"',
          pattern: {
            source: '^(?![/\\\\]|[A-Za-z]:)(?!(?:.*[/\\\\])?\\.\\.(?:[/\\\\]|$)).+\\.wsdl$',
            says: 'must be the path of a .wsdl file below the directory of the configuration',
          },
        },
      ),
      endpoint: text('Address of the service. Default: that in `wsdl`.', {
        example: '"https://erp.example.org/orders"',
        pattern: { source: '^https?://[^\\s/?#]+(/[^\\s#]*)?$', says: 'must be an http:// or https:// address' },
      }),
      soap_version: oneOf(
        'Version of SOAP that requests are sent in. Default: that of `wsdl`, else `1.1`.',
        soapVersions,
      ),
      namespace: namespaceAttribute(
        'Namespace of the operations. Default: that of each in `wsdl`; without both their elements are in no namespace.',
      ),
      element_form: oneOf(
        'Whether the elements inside that of the operation have its namespace too. Default: `elementFormDefault` of its schema in `wsdl`, else `unqualified`.',
        elementForms,
      ),
      timeout: duration('Longest wait for one answer.', { default: 30_000, min: 1 }),
      max_response: size('Largest answer that is read, also after decompression.', {
        default: 32 * 1024 * 1024,
        min: 1,
      }),
      ...everyConnector.attributes,
    },
    rules: [{ rule: 'atLeastOneOf', names: ['endpoint', 'wsdl'] }],
    blocks: { auth: authBlock, security: clientSecurity, tls: tlsBlock, headers: headersBlock },
    example: `connector "erp" {
  type      = "soap"
  endpoint  = "https://erp.example.org/orders"
  namespace = "http://example.org/orders"

  auth {
    type     = "basic"
    username = "svc"
    password = env("ERP_PASSWORD")
  }
}`,
  }),
  target: {
    abilities: ['read', 'write', 'call'],
    needsOneOf: ['operation', 'target'],
    checksFiles: true,
    knowsOperations: true,
    checkOperation: checkName,
    checkTarget: checkName,
    checkCall,
  },
  words,
});
