import { own } from '../connector-proofs.ts';
import type { Proof } from '../proof.ts';
import { type Experiment, validates } from './experiment.ts';
import type { Shown } from './flows.ts';
import { type Running, serves } from './running.ts';

const api = 'connector "api" {\n type = "rest"\n port = 0\n host = "127.0.0.1"\n}\n';
const flows = ['a', 'b']
  .map(
    (name) =>
      `flow "${name}" {\n from {\n connector = "api"\n operation = "GET /${name}"\n }\n response {\n a = "1"\n }\n}\n`,
  )
  .join('');
const service = (lines: string, settings = 'admin_port = 0\n admin_host = "127.0.0.1"') =>
  `service {\n ${settings}\n ${lines}\n}\n${api}${flows}`;
const limit = (lines: string, settings = '') => service(`${settings}\n rate_limit {\n ${lines}\n }`);

const infoOf = async ({ ask, admin }: Running) =>
  String(await ask(admin, '/metrics'))
    .split('\n')
    .filter((line) => line.startsWith('svc_service_info'));

/** Three requests in a row, which a bucket of one or two tokens does not let through. */
const thrice = async ({ ask, api: port }: Running) => [
  await ask(port, '/a', { 'x-forwarded-for': '192.0.2.1', 'x-one': '1', 'x-two': '1' }),
  await ask(port, '/a', { 'x-forwarded-for': '192.0.2.2', 'x-one': '1', 'x-two': '2' }),
  await ask(port, '/b', { 'x-forwarded-for': '192.0.2.1', 'x-one': '1', 'x-two': '3' }),
];
const limited = (lines: string, values: Experiment['values'], settings = '') =>
  serves(limit(lines, settings), values, thrice);

/** Which of two ports, or of two addresses, is listened at. */
const ports = async ({ ask, ports: [one, two] }: Running) =>
  Promise.all([one, two].map(async (port) => (await ask(port, '/health/live')) !== 'refused'));
const addresses = async ({ ask, ports: [port] }: Running) =>
  Promise.all(
    ['127.0.0.1', '127.0.0.2'].map(async (host) => (await ask(port, '/health/live', {}, host)) !== 'refused'),
  );
const hosts: Experiment['values'] = ['"127.0.0.1"', '"127.0.0.2"'];
const environment: Experiment['values'] = ['env("ONE")', 'env("TWO")'];

const database = (name: string) =>
  `connector "${name}" {\n type = "database"\n driver = "sqlite"\n database = "${name}.db"\n}\n`;
const saga =
  'saga "s" {\n from {\n connector = "api"\n operation = "POST /s"\n }\n step "wait" {\n delay = "1h"\n }\n}\n';
const workflow = (lines: string) =>
  `${service(`workflow {\n ${lines}\n }`)}${database('one')}${database('two')}${saga}`;
const access = 'auth {\n type = "api_key"\n keys = ["k"]\n }';
const tables = async (running: Running) => running.tables();

const stops = 'runtime/src/service/running/service.test.ts';
const stores: Proof = ['runtime/src/service/running/http/rate-limiter.test.ts', 'decides while it can be reached'];
const auth = Object.entries(own['rest server'] ?? {}).filter(([path]) => /^auth\.(?!public$)/.test(path));

export const settings: Shown = {
  name: serves(service('name = §'), ['"one"', '"two"'], infoOf),
  version: serves(service('version = §'), ['"1"', '"2"'], infoOf),
  admin_port: serves(service('', 'admin_port = §\n admin_host = "127.0.0.1"'), environment, ports),
  admin_host: serves(service('', 'admin_port = env("ONE")\n admin_host = §'), hosts, addresses),
  trusted_proxies: limited(
    'burst = 1\n requests_per_second = 0.1',
    ['["127.0.0.1"]', '["10.0.0.1"]'],
    'trusted_proxies = §',
  ),
  client_address: limited(
    'burst = 1\n requests_per_second = 0.1',
    ['"x-forwarded-for"', '"x-real-ip"'],
    'trusted_proxies = ["127.0.0.1"]\n client_address = §',
  ),
  'rate_limit.enabled': limited('burst = 1\n requests_per_second = 0.1\n enabled = §', ['true', 'false']),
  'rate_limit.requests_per_second': limited('burst = 1\n requests_per_second = §', ['0.1', '0.01']),
  'rate_limit.burst': limited('requests_per_second = 0.1\n burst = §', ['1', '2']),
  'rate_limit.key_extractor': limited('burst = 1\n requests_per_second = 0.1\n key_extractor = §', [
    '"header:X-One"',
    '"header:X-Two"',
  ]),
  'rate_limit.exclude_paths': limited('burst = 1\n requests_per_second = 0.1\n exclude_paths = §', [
    '["/a"]',
    '["/b"]',
  ]),
  'rate_limit.enable_headers': limited('enable_headers = §', ['true', 'false']),
  'rate_limit.storage': stores,
  'rate_limit.scope': validates(limit('burst = 1\n §'), ['', 'scope = "process"']),
  'shutdown.delay': [stops, 'R-81: while readiness is refused, requests are served and their connections are closed'],
  'shutdown.timeout': [stops, 'R-82: what does not finish in time is cut off and logged'],
  'workflow.storage': serves(workflow('storage = §'), ['"one"', '"two"'], tables),
  'workflow.table': serves(workflow('storage = "one"\n table = §'), ['"a"', '"b"'], tables),
  'workflow.auto_create': serves(workflow('storage = "one"\n auto_create = §'), ['true', 'false'], tables),
  'workflow.lease': [
    'runtime/src/engine/workflows/engine/engine.test.ts',
    'what a dead process ran is taken over by another when its lease ends, from the last save',
  ],
  'workflow.api.port': serves(
    workflow(`storage = "one"\n api {\n port = §\n host = "127.0.0.1"\n ${access}\n }`),
    environment,
    ports,
  ),
  'workflow.api.host': serves(
    workflow(`storage = "one"\n api {\n port = env("ONE")\n host = §\n ${access}\n }`),
    hosts,
    addresses,
  ),
  ...Object.fromEntries(auth.map(([path, proof]) => [`workflow.api.${path}`, proof])),
};
