import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Certificates, openssl } from '../../support/certificates.ts';
import { folderWith } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';
import { makeFolder, startProgram } from '../../support/servers/program.ts';
import { startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { Checks } from '../checks.ts';
import { GoSource, missingGo } from '../go.ts';
import type { Outcome, Peer } from '../peer.ts';
import { traced } from './service.ts';
import { type Exported, spansOf } from './spans.ts';

interface Collector {
  readonly http: string;
  /** The same with TLS, for clients that show a certificate. */
  readonly https: string;
  readonly grpc: string;
  /** Certificates: `ca.pem`, `client.pem`, `client.key`. */
  readonly certificates: string;
  /** What it wrote so far. */
  exported(): readonly Exported[];
  stop(): Promise<void>;
}

async function start(): Promise<Collector> {
  const program = await new GoSource('collector', join(import.meta.dirname, 'collector')).path();
  const folder = makeFolder('collector');
  const certificates = new Certificates(folder);
  certificates.authority('ca');
  certificates.signed('server', '/CN=localhost', 'subjectAltName=DNS:localhost');
  certificates.signed('client', '/CN=traced', 'extendedKeyUsage=clientAuth');
  const [http, https, grpc] = [await freePort(), await freePort(), await freePort()];
  const written = join(folder, 'received.json');
  const tls = { cert_file: join(folder, 'server.pem'), key_file: join(folder, 'server.key') };
  const configuration = {
    receivers: {
      otlp: { protocols: { http: { endpoint: `127.0.0.1:${http}` }, grpc: { endpoint: `127.0.0.1:${grpc}` } } },
      'otlp/secure': {
        protocols: {
          http: { endpoint: `localhost:${https}`, tls: { ...tls, client_ca_file: join(folder, 'ca.pem') } },
        },
      },
    },
    exporters: { file: { path: written, flush_interval: '100ms' } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: { receivers: ['otlp', 'otlp/secure'], exporters: ['file'] } },
    },
  };
  const file = join(folder, 'collector.yaml');
  writeFileSync(file, JSON.stringify(configuration));
  const server = await startProgram({
    program,
    args: [file],
    folder,
    address: `http://127.0.0.1:${http}`,
    signal: 'SIGTERM',
    answers: async (address) => (await fetch(`${address}/v1/traces`)).status === 405,
  });
  return {
    http: server.address,
    https: `https://localhost:${https}`,
    grpc: `http://127.0.0.1:${grpc}`,
    certificates: folder,
    exported: () =>
      readFileSync(written, 'utf8')
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line) as Exported),
    stop: () => server.stop(),
  };
}

const caller = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' };

async function run(): Promise<readonly Outcome[]> {
  const collector = await start();
  const directory = folderWith(traced);
  const checks = new Checks();
  const pem = (name: string) => join(collector.certificates, name);
  const ways: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'over HTTP': { OTEL_EXPORTER_OTLP_ENDPOINT: collector.http },
    'to an address for traces alone': { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.http}/v1/traces` },
    'packed with gzip': { OTEL_EXPORTER_OTLP_ENDPOINT: collector.http, OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' },
    'over TLS with a certificate': {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.https,
      OTEL_EXPORTER_OTLP_CERTIFICATE: pem('ca.pem'),
      OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: pem('client.pem'),
      OTEL_EXPORTER_OTLP_CLIENT_KEY: pem('client.key'),
    },
  };
  try {
    for (const [way, variables] of Object.entries(ways)) {
      const instance = way.replaceAll(' ', '-');
      const env = { ...variables, OTEL_RESOURCE_ATTRIBUTES: `service.instance.id=${instance}` };
      await checks.same(`spans ${way}`, expectedSpans(instance), () =>
        spansThrough(collector, directory, env, instance),
      );
    }
    for (const protocol of ['grpc', 'http/json']) {
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.grpc, OTEL_EXPORTER_OTLP_PROTOCOL: protocol };
      const refusal = new RegExp(`OTEL_EXPORTER_OTLP_PROTOCOL is "http/protobuf", not "${protocol}"`);
      await checks.same(`${protocol} is refused by name`, true, async () => {
        const said = await startService({ directory, env }).then((service) => service.stop(), String);
        return refusal.test(String(said));
      });
    }
    return checks.outcomes;
  } finally {
    await collector.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Has the service do both flows below a span of a caller, and end; gives what the collector got of it. */
async function spansThrough(
  collector: Collector,
  directory: string,
  env: Readonly<Record<string, string>>,
  instance: string,
): Promise<unknown> {
  const service = await startService({ directory, env });
  const headers = { traceparent: `00-${caller.trace}-${caller.span}-01` };
  await fetch(`${service.address}/count/abc`, { headers });
  await fetch(`${service.address}/fail`, { headers });
  await service.stop();
  return until(() => {
    const found = spansOf(collector.exported(), instance);
    return found.length >= 6 ? found : undefined;
  }, AbortSignal.timeout(20_000));
}

function expectedSpans(instance: string): unknown {
  const common = {
    trace: caller.trace,
    resource: { 'service.name': 'traced', 'service.version': '1.2.3', 'service.instance.id': instance },
  };
  const flow = (name: string, operation: string) => ({
    name: `flow ${name}`,
    kind: 'server',
    parent: caller.span,
    attributes: { 'svc.flow': name, 'svc.source': 'api', 'svc.operation': operation },
  });
  const read = {
    name: 'call db',
    kind: 'client',
    parent: 'transform',
    attributes: { 'svc.connector': 'db', 'svc.connector.type': 'sqlite' },
  };
  const shaping = { name: 'transform', kind: 'internal', attributes: {}, status: 'unset' };
  return [
    { ...common, ...read, status: 'error' },
    { ...common, ...read, status: 'unset' },
    { ...common, ...flow('count', 'GET /count/:name'), status: 'unset' },
    { ...common, ...flow('fail', 'GET /fail'), status: 'error' },
    { ...common, ...shaping, parent: 'flow count' },
    { ...common, ...shaping, parent: 'flow fail' },
  ];
}

export const collector: Peer = {
  name: 'OpenTelemetry Collector',
  version: '0.161',
  ran: 'traces over OTLP: HTTP with Protobuf, gzip, TLS; what is refused',
  needs: [],
  missing: () => missingGo() ?? (openssl === undefined ? 'openssl (apt-get install openssl)' : undefined),
  run,
  differs: [],
};
