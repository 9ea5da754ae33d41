import {
  argument,
  block,
  connector,
  duration,
  int,
  list,
  ofPlace,
  oneOf,
  size,
  text,
  value,
} from '@svc/protocol/schema';
import { httpForm } from '../../platform/net/spoken/form.ts';
import { tlsBlock } from '../../platform/net/tls-spec.ts';
import { everyConnector, operationAttributes, operationLabel, param } from '../core/spec.ts';
import { carried } from '../core/words-spec.ts';
import { actionOf, actions, checkOperation, offeredOperations } from './actions.ts';
import { checkTarget } from './index-name.ts';
import { checkCall } from './place.ts';

const address = {
  source: '^https?://[^\\s/?#]+(/[^\\s?#]*)?$',
  says: 'must be an http:// or https:// address without query',
} as const;

const retry = block({
  doc: 'Repeats requests that were not answered, or answered with 429, 502, 503 or 504, where repeating changes nothing twice: reads, and documents that are indexed under an id. Of a `bulk`, the items that were refused with 429 or 503, and those that another request overtook.',
  attributes: {
    attempts: int('Attempts in all, the first included.', { aliases: ['max_attempts'], default: 1, min: 1 }),
    delay: duration('Wait before the second attempt; spread by 20 %.', {
      aliases: ['initial_delay'],
      default: 100,
      min: 0,
    }),
    max_delay: duration('Longest wait between attempts.', { default: 30_000, min: 0 }),
    backoff: oneOf('How the wait grows.', ['constant', 'linear', 'exponential'], { default: 'exponential' }),
  },
});

const config = block({
  doc: 'Indexes and searches documents in Elasticsearch (7 or later) or OpenSearch, over their REST API. Scripts and queries come from the configuration alone: a value of a message is a text, a number or a list of them in a query, and data in a document. `open` and the check of health ask for the health of the cluster: yellow is healthy, red degrades the service.',
  attributes: {
    url: text('Address of the server; unused where `nodes` are written.', {
      default: 'http://localhost:9200',
      secret: true,
      pattern: address,
      example: '"https://search.internal:9200"',
    }),
    nodes: list(
      'Addresses of several nodes. Requests go to them in turn; one that cannot be reached is left out for a while.',
      text('Address of a node.', { pattern: address, secret: true }),
      { example: '["https://es1.internal:9200", "https://es2.internal:9200"]' },
    ),
    username: text('Who connects.', { aliases: ['user'] }),
    password: text('Password of the user.', { secret: true, default: '' }),
    api_key: text('Encoded API key, instead of a user.', { secret: true }),
    index: text('Index or alias of calls that name none.', { atConnector: true, example: '"books"' }),
    indices: list(
      'Indices that a message may name where `target` comes from the message, and items of a `bulk` in `_index`. Others are refused.',
      text('Name of an index.', { atConnector: true }),
      { example: '["books", "authors"]' },
    ),
    timeout: duration('Longest wait for one answer, per attempt.', { default: 30_000, min: 1 }),
    max_response: size('Largest answer that is read, also after decompression.', { default: 32 * 1024 * 1024, min: 1 }),
    max_hits: int('How far a search may reach: `from` and `size` together. A request beyond it is refused with 400.', {
      default: 10_000,
      min: 1,
      max: 1_000_000,
    }),
    refresh: oneOf(
      'When searches find what was written: `none` after the interval of the index; `wait_for` before the write is answered; `immediate` at once, at a cost to the server.',
      ['none', 'wait_for', 'immediate'],
      { default: 'none' },
    ),
    ...everyConnector.attributes,
  },
  blocks: {
    retry,
    tls: tlsBlock,
    headers: block({
      doc: 'Headers of every request.',
      fields: text('Value of the header.', { required: true }),
      asAttribute: true,
    }),
  },
  rules: [
    { rule: 'atMostOneOf', names: ['username', 'api_key'] },
    { rule: 'together', name: 'password', needs: ['username'] },
  ],
  example: `connector "books" {
  type     = "search"
  nodes    = ["https://es1.internal:9200", "https://es2.internal:9200"]
  username = "shop"
  password = env("SEARCH_PASSWORD")
  index    = "books"
}`,
});

const operation = block({
  doc: 'A request under a name that flows write in `operation`.',
  label: operationLabel,
  repeated: true,
  attributes: {
    ...operationAttributes,
    action: oneOf('What is done; it follows from the flow when absent.', actions),
    index: text('Index or alias; that of the flow or the connector when absent.', {
      aliases: ['table'],
      atConnector: true,
    }),
    body: value('Body of the request, in which a text `":name"` is the value of a parameter.', {
      example: '{ query = { match = { title = ":title" } } }',
    }),
  },
  blocks: { param },
});

const fields = list('Fields of the documents that are answered; all when absent.', text('A field, or a pattern.'), {
  example: '["title", "author.*"]',
});
const body = argument(
  'Body of the request: `query`, `size`, `sort`, `search_after`, `aggs`. Its keys are those written here, values of the message are data.',
  { reads: ofPlace, example: '{ query = { match = { title = "input.q" } }, size = 20 }' },
);
const script = text(
  'Script of an `update` or `update_by_query`, instead of fields. It is sent as it is written; values of the message are in `script_params`.',
  { example: '"ctx._source.stock -= params.n"' },
);
const scriptParams = argument('Parameters of the script, which reads them as `params.name`.', {
  reads: ofPlace,
  example: '{ n = "input.n" }',
});
const changing = { fields, script, script_params: scriptParams };
const together = [{ rule: 'together', name: 'script_params', needs: ['script'] }] as const;

/** Elasticsearch and OpenSearch. */
export const search = connector({
  type: 'search',
  typeAliases: ['elasticsearch', 'opensearch'],
  speaks: ({ url }) => httpForm('url', url),
  kind: 'db',
  config,
  operation,
  target: {
    abilities: ['read', 'write'],
    needsOneOf: [],
    offers: offeredOperations,
    checkOperation,
    checkTarget,
    checkCall,
    listsTargets: 'indices',
    namesListed: true,
    defaultTarget: 'index',
    readsBody: true,
    answersList: ({ verb, operation }) => verb !== 'call' && actionOf(operation, verb) === 'search',
  },
  words: {
    to: block({
      doc: 'What a destination says of a search engine.',
      attributes: { query_filter: carried.query_filter, body, ...changing },
      rules: [...together],
    }),
    step: block({ doc: 'What a step says of a search engine.', attributes: changing, rules: [...together] }),
    action: block({ doc: 'What an action says of a search engine.', attributes: changing, rules: [...together] }),
    enrich: block({ doc: 'What an enrichment says of a search engine.', attributes: { fields } }),
  },
});

/** The words that no message changes. */
export const fixedWords = block({ doc: 'Words of every place.', attributes: { fields, script } });
