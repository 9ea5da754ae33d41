import { block, connector, flag, int, list, oneOf, text } from '@svc/protocol/schema';
import {
  bodyFormats,
  escapeFormulas,
  formatNames,
  formatSynonyms,
  incomingFormat,
} from '../../platform/formats/format-spec.ts';
import { cors } from '../../platform/http/admission/cors-spec.ts';
import { checkOperation, methods, parametersOf, servedAt } from '../../platform/http/routes/route-rules.ts';
import { http2Attribute, requestAttributes } from '../../platform/http/sockets/server-spec.ts';
import { connectorAuth } from '../../platform/identity/auth-spec.ts';
import { everyConnector, operationAttributes, operationLabel, param } from '../core/spec.ts';
import { described, openapi } from './description/description-spec.ts';

/** What may be written in a `from` that names the server. */
export const fromWords = block({
  doc: 'What a flow says of its requests.',
  attributes: {
    format: incomingFormat('Codec of what comes in and of the answer; that of the connector when absent.'),
  },
});

/** A REST server (docs/specification/http.md). */
export const rest = connector({
  type: 'rest',
  kind: 'api',
  driver: 'server',
  defaultDriver: true,
  canonical: 'rest',
  config: block({
    doc: 'Serves flows over HTTP: every flow names a method and a path.',
    attributes: {
      port: int('Port to listen on; 0 lets the system choose a free one.', { default: 3000, min: 0, max: 65_535 }),
      format: oneOf('Format of bodies and answers for flows that name no format.', ['json', 'xml'], {
        default: 'json',
      }),
      body_formats: bodyFormats(
        'Formats that bodies may come in when their Content-Type says so, beside `format`; others are refused with 415. A flow that names a format takes bodies in that one. `form` covers forms with files.',
      ),
      answer_formats: list(
        'Formats of answers that callers may choose by `Accept`, beside the usual one of the flow: 406 where they accept none of them. Empty: `Accept` is not consulted.',
        oneOf('Format.', formatNames, { synonyms: formatSynonyms }),
        { default: [], example: '["json", "csv"]' },
      ),
      escape_formulas: escapeFormulas,
      etag: flag(
        'Gives answers to GET and HEAD an `ETag` of their bytes, and answers conditions: `If-None-Match` with 304, `If-Match` with 412, of PUT, PATCH and DELETE too where a flow answers a GET of the path.',
        { default: false },
      ),
      links: flag(
        'Gives lists that are read with `limit` and `offset` a `Link` header with the pages beside them (RFC 8288).',
        { default: false },
      ),
      server_timing: flag(
        'Outside production, says in the header `Server-Timing` of answers how long the flow and its stages took; production ignores it. Flows are watched as by a debugger, so that files are kept instead of forwarded.',
        { default: false },
      ),
      http2: http2Attribute,
      errors: oneOf(
        'How errors are written: as `{error, code, fields}`, or as problem details (RFC 9457).',
        ['json', 'problem'],
        { default: 'json' },
      ),
      ...requestAttributes,
      ...everyConnector.attributes,
    },
    blocks: { openapi, cors, auth: connectorAuth },
    example: 'connector "api" {\n  type = "rest"\n  port = 3000\n}',
  }),
  operation: block({
    doc: 'A method and a path under a name that flows can write.',
    label: operationLabel,
    repeated: true,
    attributes: {
      ...operationAttributes,
      method: oneOf('HTTP method.', methods, { default: 'GET' }),
      path: text('Path with `:name` parameters.', { required: true, example: '"/orders/:id"' }),
    },
    blocks: { param },
  }),
  source: {
    operation: 'required',
    style: 'request',
    placement: 'every-worker',
    listens: 'http',
    routes: true,
    serves: (config, operation) => (operation === undefined ? described(config) : servedAt(operation)),
    names: 'body',
    input: {
      headers: 'Request headers by lower-case name.',
      files:
        'Uploaded files of a form, by field: filename, content_type, size, and data in base64, read when it is named.',
    },
    parameters: parametersOf,
    offers: methods.map((method) => `${method} /`),
    checkOperation,
  },
  words: { from: fromWords },
});
