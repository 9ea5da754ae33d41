// Imported by tracing alone, and only when traces are asked for. The imports are static so that the build leaves out what
// nothing uses of these packages.
export * as api from '@opentelemetry/api';
export { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
export * as resources from '@opentelemetry/resources';
export * as sdk from '@opentelemetry/sdk-trace-base';
