import { expect, test } from 'vitest';
import { limiter } from '../../../platform/http/testing/limiter.ts';
import { startText } from '../../../service/running/testing/text-service.ts';
import { bodyOf, echo, envelope, servedSoap, soap11, soap12 } from '../testing/served.ts';

const configuration = (version: string, timeout: string) => `
service {
  admin_port = 0
}
connector "api" {
  type          = "soap"
  host          = "127.0.0.1"
  port          = env("PORT")
  soap_version  = "${version}"
  max_in_flight = 1
  max_body      = 1000
  timeout       = "${timeout}"
  auth {
    type  = "basic"
    users = { ada = "first secret" }
  }
}
flow "slow" {
  from {
    connector = "api"
    operation = "Slow"
  }
  coordinate {
    timeout    = "10m"
    on_timeout = "skip"
    wait {
      when = "true"
      for  = "'never'"
    }
  }
  response {
    done = "true"
  }
}
`;

test.each([
  ['1.1', soap11, 'text/xml', /^<soap:Fault><faultcode>soap:(\w+)<.*<f:code>(\w+)</],
  ['1.2', soap12, 'application/soap+xml', /^<soap:Fault><soap:Code><soap:Value>soap:(\w+)<.*<f:code>(\w+)</],
] as const)(
  'what is refused before a flow is a fault of SOAP %s with the status of HTTP',
  async (version, namespace, type, form) => {
    const service = await startText(configuration(version, '10m'));
    const brief = await startText(configuration(version, '50ms'));
    const held = new AbortController();
    try {
      const ask = async (body: string, headers: Readonly<Record<string, string>> = {}, { address } = service) => {
        const response = await fetch(address, {
          method: 'POST',
          headers: { 'content-type': type, authorization: `Basic ${btoa('ada:first secret')}`, ...headers },
          body,
          signal: held.signal,
        });
        const text = await response.text();
        expect([response.headers.get('content-type'), text]).toEqual([
          `${type}; charset=utf-8`,
          expect.stringContaining(`xmlns:soap="${namespace}"`),
        ]);
        const [, who, code] = form.exec(bodyOf(text)) ?? [bodyOf(text)];
        return { status: response.status, who, code, headers: response.headers };
      };
      const [client, server] = version === '1.1' ? ['Client', 'Server'] : ['Sender', 'Receiver'];
      const slow = envelope('<Slow/>', '', namespace);
      const anonymous = await ask(slow, { authorization: '' });
      expect(anonymous).toMatchObject({ status: 401, who: client, code: 'authentication_required' });
      expect(anonymous.headers.get('www-authenticate')).toContain('Basic');
      expect(await ask('{}', { 'content-type': 'application/json' })).toMatchObject({
        status: 415,
        who: client,
        code: 'media_type_unsupported',
      });
      expect(await ask(slow.padEnd(1_001))).toMatchObject({ status: 413, who: client, code: 'body_too_large' });
      expect(await ask(slow, {}, brief)).toMatchObject({ status: 503, who: server, code: 'request_timeout' });
      // One of the two is never answered.
      const first = await Promise.race([ask(slow), ask(slow)]);
      expect(first).toMatchObject({ status: 503, who: server, code: 'overloaded' });
    } finally {
      held.abort();
      await Promise.all([service.stop(), brief.stop()]);
    }
  },
);

test('a request beyond the rate limit is a fault, with the time to wait', async () => {
  const take = () => ({ allowed: false, remaining: 0, retryAfter: 2_000 });
  await using server = await servedSoap({ Echo: echo }, { http: { rateLimiter: limiter({ take }) } });
  const { status, headers, text } = await server.post(envelope('<Echo/>'));
  expect([status, headers['retry-after'], headers['x-ratelimit-remaining'], bodyOf(text)]).toEqual([
    429,
    '2',
    '0',
    '<soap:Fault><faultcode>soap:Client</faultcode><faultstring>rate limit exceeded</faultstring><detail><f:failure xmlns:f="urn:svc:failure"><f:code>rate_limited</f:code></f:failure></detail></soap:Fault>',
  ]);
});
