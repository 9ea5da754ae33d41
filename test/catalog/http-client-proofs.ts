import { fetchingClient } from './oauth-proofs.ts';
import type { Proof } from './proof.ts';
import { tls } from './tls-proofs.ts';

const http = 'runtime/src/connectors/http/connector.test.ts';
const httpSettings = 'runtime/src/connectors/http/settings.test.ts';
const tried: Proof = [httpSettings, 'is how often a request is tried: retry_count, unless retry says it'];
const waits: Proof = [httpSettings, 'is how long it waits before each further attempt'];
const written: Proof = [httpSettings, 'is how bodies are written: format and escape_formulas'];
const credentials: Proof = [http, '%s goes with every request'];
const tokens: Proof = [http, 'access tokens are fetched once, shared, and renewed once after a 401'];
const granted: Proof = [httpSettings, 'is how access tokens are fetched'];

const breaker = 'runtime/src/connectors/http/circuit-breaker.test.ts';
const hedge = 'runtime/src/connectors/http/hedge.test.ts';
const hedgedOperation: Proof = [hedge, 'of an operation goes by what that says'];

/** The `http` client. */
export const httpClient: Readonly<Record<string, Proof>> = {
  ...tls,
  base_url: [http, 'a call fills the path and sends the rest as JSON'],
  timeout: [http, 'each attempt has the timeout of the connector'],
  retry_count: tried,
  format: written,
  body_formats: [httpSettings, 'is what answers are read in'],
  escape_formulas: written,
  http2: ['runtime/src/connectors/http/http2.test.ts', 'is spoken with `http2` where the peer has it, else HTTP/1.1'],
  max_response: [httpSettings, 'is the largest answer that is read'],
  ...fetchingClient,
  'auth.type': credentials,
  'auth.token': credentials,
  'auth.username': credentials,
  'auth.password': credentials,
  'auth.api_key': credentials,
  'auth.api_key_header': credentials,
  'auth.api_key_query': [http, 'a key may travel in the query string, and a password in the address'],
  'auth.token_url': tokens,
  'auth.client_id': tokens,
  'auth.client_secret': tokens,
  'auth.scopes': tokens,
  'auth.refresh_token': [http, 'a peer that keeps refusing is asked twice'],
  'auth.grant_type': granted,
  'retry.attempts': tried,
  'retry.delay': waits,
  'retry.max_delay': waits,
  'retry.backoff': waits,
  'circuit_breaker.failures': [breaker, 'opens after failures with %i: then nothing is sent, and calls fail at once'],
  'circuit_breaker.window': [breaker, 'counts failures within its window'],
  'circuit_breaker.open': [
    breaker,
    'R-91: tries the peer again after its time, with a request at a time, and closes when it answers',
  ],
  'circuit_breaker.half_open': [
    breaker,
    'R-91: lets through `half_open` requests at once, and needs as many that succeed',
  ],
  'hedge.after': [hedge, '%s is sent again when its answer is late'],
  'hedge.max': [hedge, 'is sent no more than `max` times'],
  'operation.hedge.after': hedgedOperation,
  'operation.hedge.max': hedgedOperation,
  'cache.storage': [
    'runtime/src/connectors/http/cache/caching.test.ts',
    'clients with other credentials share a storage and no answer; a client like it finds its own',
  ],
  'retry.unsafe': [http, 'POST and PATCH are repeated only when asked for, or with a key'],
};
