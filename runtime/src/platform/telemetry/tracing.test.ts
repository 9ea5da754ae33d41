import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SpanKind } from '@opentelemetry/api';
import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterEach, expect, test } from 'vitest';
import { isShaping } from '../../engine/flow/pipeline/stages.ts';
import type { Log, LogFields } from '../../foundation/observe/log.ts';
import { stageLog } from '../../service/debug/stage-log.ts';
import { clockBy } from '../../service/running/testing/manual-clock.ts';
import { combineProbes, payloadLog } from './probes.ts';
import { startTracing, type TracingOptions } from './tracing.ts';

const lines: { message: string; fields: LogFields }[] = [];
const take = (message: string, fields: LogFields = {}) => void lines.push({ message, fields });
const log: Log = { enabled: () => true, debug: take, info: take, warn: take, error: take, with: () => log };

afterEach(() => void lines.splice(0));

const origins = () => new Map([['get', { source: 'api', operation: 'GET /orders/:id' }]]);
const place: TracingOptions['place'] = (_flow, stage, name) =>
  stage === 'step' || stage === 'read'
    ? { connector: 'db', type: 'postgres', verb: stage === 'step' ? 'call' : 'read', target: name }
    : undefined;

const traceId = '0af7651916cd43dd8448eb211c80319c';

/** Keeps spans when it is shut down, too. */
class KeepingExporter extends InMemorySpanExporter {
  readonly kept: ReadableSpan[] = [];

  override export(spans: ReadableSpan[], done: Parameters<InMemorySpanExporter['export']>[1]): void {
    this.kept.push(...spans);
    super.export(spans, done);
  }
}

const rule = { index: 0, target: 'id', expression: 'input.id' };

function shown(span: ReadableSpan) {
  const { name, kind, attributes, status } = span;
  return { name, kind, attributes, failed: status.message };
}

test('makes spans of the flow, its shaping and the connectors it asks, below the caller’s span', async () => {
  const exporter = new KeepingExporter();
  const options = { service: 'orders', version: '1', log, variables: {}, origins, place, isShaping, exporter };
  const { probe, stop } = await startTracing(options);
  const frame = { message: { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: 'a=1' } };
  const thread = probe.begin('get', frame);
  const run = async (stage: string, name: string, error?: Error) => {
    const place = { stage, name, rules: [] };
    await probe.enter(thread, place, undefined, frame);
    await probe.leave(thread, place, undefined, frame, error, undefined);
  };
  await run('filter', '');
  await run('step', 'user');
  await run('transform', '');
  await probe.enter(thread, { stage: 'transform', name: '', rules: [rule] }, rule, frame);
  await run('read', 'orders', new Error('no such table'));
  probe.end(thread, new Error('no such table'), undefined);
  await stop();
  const spans = exporter.kept;
  expect(spans.map(shown)).toEqual([
    {
      name: 'call db',
      kind: SpanKind.CLIENT,
      attributes: { 'svc.connector': 'db', 'svc.connector.type': 'postgres', 'svc.target': 'user' },
      failed: undefined,
    },
    { name: 'transform', kind: SpanKind.INTERNAL, attributes: {}, failed: undefined },
    {
      name: 'read db',
      kind: SpanKind.CLIENT,
      attributes: { 'svc.connector': 'db', 'svc.connector.type': 'postgres', 'svc.target': 'orders' },
      failed: 'no such table',
    },
    {
      name: 'flow get',
      kind: SpanKind.SERVER,
      attributes: { 'svc.flow': 'get', 'svc.source': 'api', 'svc.operation': 'GET /orders/:id' },
      failed: 'no such table',
    },
  ]);
  const [call, transform, read, flow] = spans as [ReadableSpan, ReadableSpan, ReadableSpan, ReadableSpan];
  expect(spans.every((span) => span.spanContext().traceId === traceId)).toBe(true);
  expect([call, transform, read, flow].map((span) => span.parentSpanContext?.spanId)).toEqual([
    transform.spanContext().spanId,
    flow.spanContext().spanId,
    flow.spanContext().spanId,
    'b7ad6b7169203331',
  ]);
  expect(frame.message.traceparent).toBe(`00-${traceId}-${flow.spanContext().spanId}-01`);
  expect(flow.resource.attributes).toMatchObject({ 'service.name': 'orders', 'service.version': '1' });
});

test('R-35: a drop is an event of its flow, with what decided', async () => {
  const exporter = new KeepingExporter();
  const options = { service: 'orders', version: '1', log, variables: {}, origins, place, isShaping, exporter };
  const { probe, stop } = await startTracing(options);
  const values = () => ({ 'input.total': 3n, 'input.token': 'x' });
  const drop = {
    kind: 'drop',
    reason: 'accept',
    policy: 'reject',
    expression: 'input.total > 5',
    messageId: '',
  } as const;
  probe.end(probe.begin('get', {}), undefined, undefined, { ...drop, values });
  probe.end(probe.begin('get', {}), undefined, 'answer');
  await stop();
  expect(exporter.kept.map(({ events }) => events.map(({ name, attributes }) => ({ name, attributes })))).toEqual([
    [
      {
        name: 'dropped',
        attributes: {
          'svc.drop.reason': 'accept',
          'svc.drop.decided_by': 'accept',
          'svc.drop.expression': 'input.total > 5',
          'svc.drop.disposition': 'reject',
          'svc.drop.values': '{"input.total":3,"input.token":"***"}',
        },
      },
    ],
    [],
  ]);
});

test('sends them as http/protobuf to the endpoint of the environment', async () => {
  const got: { url: string | undefined; type: string | undefined; body: string }[] = [];
  const collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      got.push({
        url: request.url,
        type: request.headers['content-type'],
        body: Buffer.concat(chunks).toString('latin1'),
      });
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_RESOURCE_ATTRIBUTES: 'team=blue' };
  try {
    const { probe, stop } = await startTracing({
      service: 'orders',
      version: '1',
      log,
      variables,
      origins,
      place,
      isShaping,
    });
    probe.end(probe.begin('get', {}), undefined, undefined);
    await stop();
    expect(got.map(({ url, type }) => ({ url, type }))).toEqual([
      { url: '/v1/traces', type: 'application/x-protobuf' },
    ]);
    for (const text of ['flow get', 'service.name', 'orders', 'team', 'blue']) expect(got[0]?.body).toContain(text);
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
    collector.closeAllConnections();
    await new Promise((resolve) => collector.close(resolve));
  }
});

test('several probes are notified of everything, each with its own thread', async () => {
  const clock = clockBy(() => 5);
  const probe = combineProbes([stageLog(log, clock), payloadLog(log, 20, origins)]);
  const frame = { input: { password: 'x', text: 'long enough to be cut' }, output: undefined, answer: { id: 1 } };
  const thread = probe?.begin('get', frame);
  const place = { stage: 'step', name: 'user', rules: [rule] };
  await probe?.enter(thread, place, undefined, frame);
  await probe?.enter(thread, place, rule, frame);
  await probe?.leave(thread, place, rule, frame, undefined, 1);
  await probe?.leave(thread, place, undefined, frame, undefined, undefined);
  probe?.end(thread, undefined, undefined);
  expect(lines).toEqual([
    {
      message: 'incoming payload',
      fields: { flow: 'get', source: 'api', payload: '{"password":"***","t… (49 bytes)' },
    },
    { message: 'trace', fields: { flow: 'get', stage: 'step', name: 'user', duration: '0.000ms', data: '{"id":1}' } },
  ]);
  expect(combineProbes([])).toBe(undefined);
});
