import { expect, onTestFinished, test } from 'vitest';
import { configured } from '../../../../../../test/support/configured.ts';
import { connectorServices, httpServices } from '../../../../../../test/support/connector-services.ts';
import { until } from '../../../../../../test/support/until.ts';
import { problemsOf } from '../../../../checks/rules/testing/problems.ts';
import { systemClock } from '../../../../foundation/observe/clock.ts';
import { HttpEdge } from '../../../../platform/http/edge.ts';
import { mountBeside } from '../../../../platform/http/routes/beside.ts';
import { HttpListener } from '../../../../platform/http/sockets/listener.ts';
import { binding, type Deliver, echo } from '../../../../platform/http/testing/served.ts';
import { signatureOf } from '../signature.ts';
import { create } from './connector.ts';
import { webhookInbound } from './spec.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const seconds = now / 1_000;

/** An open connector beside a server without routes of its own. */
async function served(written: Record<string, unknown>, deliver: Deliver = echo) {
  const services = connectorServices({ clock: { ...systemClock, now: () => now } });
  const connector = create('hooks', configured(webhookInbound.config, written) as never, services);
  const bound = connector.source!.bind([binding('receive', deliver, { operation: undefined })]);
  await connector.open(new AbortController().signal);
  await bound.prepare();
  bound.use();
  await connector.source!.start();
  const access = { cors: undefined, verifier: undefined, maxInFlight: 1_000, timeout: undefined };
  const server = { connector: 'api', address: { host: '127.0.0.1', port: 0 }, access, builtins: false, routes: [] };
  const mount = mountBeside('hooks', bound.beside ?? [], server, [server]);
  const edge = new HttpEdge([server, mount], { ...services, http: httpServices({}) });
  const listener = new HttpListener(['api'], edge);
  const { port } = await listener.listen();
  onTestFinished(async () => {
    await listener.close(AbortSignal.abort());
    await connector.close(AbortSignal.abort());
  });
  return async (headers: Record<string, string> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}/webhook`, { method: 'POST', body: '{}', headers });
    return [answer.status, await answer.text()] as const;
  };
}

test('signature and time are in the headers that are configured', async () => {
  const ask = await served({ secret: 's', signature_header: 'X-Signed', timestamp_header: 'X-Time' });
  const timed = { 'X-Signed': signatureOf('hmac-sha256', 's', String(seconds), '{}'), 'X-Time': String(seconds) };
  expect((await ask(timed))[0]).toBe(200);
  const usual = { 'X-Webhook-Signature': timed['X-Signed'], 'X-Webhook-Timestamp': timed['X-Time'] };
  expect((await ask(usual))[0]).toBe(401);
});

test('a time may be as far from now as is configured', async () => {
  const ask = await served({ secret: 's', timestamp_tolerance: 10_000 });
  const at = (time: number) =>
    ask({
      'x-webhook-signature': signatureOf('hmac-sha256', 's', String(time), '{}'),
      'x-webhook-timestamp': String(time),
    });
  expect(await Promise.all([-11, -10, 0, 10, 11].map(async (by) => (await at(seconds + by))[0]))).toEqual([
    401, 200, 200, 200, 401,
  ]);
});

test('as many are handled at the same time as there are workers', async () => {
  const begun: (() => void)[] = [];
  const ask = await served(
    { workers: 2 },
    ({ input }) => new Promise((resolve) => begun.push(() => resolve({ kind: 'reply', value: input }))),
  );
  const answers = Array.from({ length: 5 }, () => ask());
  for (let done = 0; done < 5; done++) {
    await until(() => begun.length === Math.min(5, done + 2));
    expect(begun.length).toBeLessThanOrEqual(done + 2);
    begun[done]!();
  }
  expect(await Promise.all(answers)).toEqual(answers.map(() => [200, expect.stringContaining('"received":true')]));
});

test('an empty secret stops the start: everybody would be believed', async () => {
  await expect(served({ secret: '' })).rejects.toMatchObject({ code: 'connector_refused', message: 'secret is empty' });
});

const hooks = (lines: string, more = '') =>
  `connector "hook" {\n  type = "webhook"\n  mode = "inbound"\n  ${lines}\n}\nconnector "api" {\n  type = "rest"\n  port = 3000\n}\nflow "f" {\n  from {\n    connector = "hook"\n  }\n  to {\n    connector = "out"\n    operation = "POST /x"\n  }\n}\nflow "g" {\n  from {\n    connector = "api"\n    operation = "POST /orders"\n  }\n  to {\n    connector = "out"\n    operation = "POST /x"\n  }\n}\nconnector "out" {\n  type = "http"\n  base_url = "https://example.org"\n}\n${more}`;

test.each([
  ['a secret', 'secret = "s"', '', []],
  ['S-78: no secret', '', '', ['warning risky-value «"hook"»']],
  ['a network', 'secret = "s"\n  allowed_ips = ["10.0.0.0/8", "2001:db8::/32", "192.0.2.7"]', '', []],
  ['another text than a network', 'secret = "s"\n  allowed_ips = ["10.0.0.0/33"]', '', ['not-a-source «"hook"»']],
  ['no signatures', 'secret = "s"\n  signature_algorithm = "none"', '', ['unknown-value «"none"»']],
  ['the path of a flow', 'secret = "s"\n  path = "/orders"', '', ['route-taken «"/orders"»']],
  [
    'the path of another one',
    'secret = "s"',
    'connector "second" {\n  type = "webhook"\n  mode = "server"\n  secret = "s"\n}\nflow "h" {\n  from {\n    connector = "second"\n  }\n  to {\n    connector = "out"\n    operation = "POST /x"\n  }\n}\n',
    ['route-taken «"second"»'],
  ],
] as const)('%s', (_, lines, more, expected) => expect(problemsOf(hooks(lines, more))).toEqual(expected));

test('without a server nothing can come in', () => {
  const text = hooks('secret = "s"')
    .replace(/connector "api" \{[^}]*\}\n/, '')
    .replace(/flow "g" \{[\s\S]*?\n\}\n/, '');
  expect(problemsOf(text)).toEqual(['warning no-server «"hook"»']);
});
