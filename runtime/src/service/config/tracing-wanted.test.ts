import { expect, test } from 'vitest';
import { OptionProblem } from './option-problem.ts';
import { tracingWanted } from './tracing-wanted.ts';

test.each([
  [{}, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' }, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://x' }, true],
  [{ SVC_TRACING: 'true' }, true],
  [{ SVC_TRACING: 'false', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' }, false],
  [{ SVC_TRACING: 'false', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, false],
  [{ SVC_TRACING: 'true', OTEL_TRACES_EXPORTER: 'none' }, false],
  [{ SVC_TRACING: 'true', OTEL_SDK_DISABLED: 'true' }, false],
  [{ SVC_TRACING: 'true', OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }, true],
  [
    {
      SVC_TRACING: 'true',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    },
    true,
  ],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, false],
])('%j wants spans: %s', (variables, wanted) => {
  expect(tracingWanted(variables)).toBe(wanted);
});

const remedy = 'unset it, and send traces to the port of the collector for HTTP, usually 4318';

test.each([
  [{ SVC_TRACING: 'maybe' }, 'SVC_TRACING is true or false, not "maybe"'],
  [
    { SVC_TRACING: 'true', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    `OTEL_EXPORTER_OTLP_PROTOCOL is "http/protobuf", not "grpc": ${remedy}`,
  ],
  [
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://x', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' },
    `OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is "http/protobuf", not "http/json": ${remedy}`,
  ],
  [{ SVC_TRACING: 'true', OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER is "otlp", not "zipkin": unset it'],
])('%j is refused', (variables, message) => {
  expect(() => tracingWanted(variables)).toThrow(new OptionProblem(message));
});
