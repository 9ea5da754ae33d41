import { filesOfFolders } from './sources.ts';

/** One part of the repository: the files it is made of, and the parts and packages they may import. */
export interface Part {
  readonly name: string;
  readonly files: RegExp;
  readonly may: readonly string[];
  /** Built-in modules and packages of npm; absent means any. */
  readonly outside?: RegExp;
}

const none = /^$/;
const protocol = ['@svc/protocol'];
/** What everything may import: the promises between parts, files of the machine, and the means of telling what happens. */
const contracts = ['contracts', 'disk', 'observe', 'version'];
const shared = ['errors', 'observe', 'threads', 'content', 'net', 'formats', 'sync', 'identity', 'http'];

/** The first part that matches a file is its part. What is left of another in `shared` may be imported by it. */
export const parts: readonly Part[] = [
  { name: 'text', files: /^protocol\/src\/text\//, may: [], outside: none },
  { name: 'syntax', files: /^protocol\/src\/syntax\//, may: ['text'], outside: none },
  { name: 'schema', files: /^protocol\/src\/schema\//, may: ['text', 'syntax'], outside: none },
  { name: 'cel', files: /^protocol\/src\/cel\//, may: ['text', 'syntax', 'schema'], outside: none },
  { name: 'model', files: /^protocol\/src\/model\//, may: ['text', 'syntax', 'schema', 'cel'], outside: none },
  {
    name: 'language',
    files: /^protocol\/src\/language\//,
    may: ['text', 'syntax', 'schema', 'cel', 'model'],
    outside: none,
  },
  { name: 'wire', files: /^protocol\/src\/wire\//, may: ['text'], outside: none },
  { name: 'lsp', files: /^protocol\/src\/lsp\//, may: ['text', 'language', 'wire'], outside: none },

  {
    name: 'vocabulary',
    files: /^runtime\/src\/(rules\/.*|(.*\/)?([\w-]*spec|[\w-]*rules|catalog|engines)\.ts)$/,
    // Parts of a spec may be in files of their own; what all of them reach is judged below.
    may: [
      ...protocol,
      'contracts',
      'connector',
      'connector support',
      'folders',
      'intake',
      'processes',
      'flow',
      'schedule',
      'auth',
      'plugins',
      ...shared,
    ],
    outside: none,
  },
  { name: 'version', files: /^runtime\/src\/version\.ts$/, may: [], outside: none },
  { name: 'disk', files: /^runtime\/src\/disk\//, may: [], outside: /^node:/ },
  {
    name: 'reference',
    files: /^runtime\/src\/reference\//,
    may: [...protocol, 'vocabulary', 'version', 'errors', 'observe'],
  },
  { name: 'export', files: /^runtime\/src\/export\//, may: [...protocol, 'vocabulary', 'connector support', 'flow'] },
  {
    // How a configuration differs from a contract: it is compared with what the configuration exports.
    name: 'drift',
    files: /^runtime\/src\/drift\//,
    may: [...protocol, 'vocabulary', 'contracts', 'connector support', 'flow', 'formats', 'export'],
  },
  {
    name: 'import',
    files: /^runtime\/src\/import\//,
    may: [...protocol, 'vocabulary', 'connector support', 'flow', 'formats'],
  },
  {
    // What parts of the runtime promise each other. It imports nothing above it, so that no two parts need each other.
    name: 'contracts',
    files: /^runtime\/src\/contracts\//,
    may: [...protocol, 'observe'],
  },
  ...shared.map(
    (name, index): Part => ({
      name,
      files: new RegExp(`^runtime/src/${name}/`),
      may: [...protocol, ...shared.slice(0, index), ...contracts, 'vocabulary'],
    }),
  ),
  {
    // The client of identity providers, for the sign-in system and for connectors.
    name: 'oidc',
    files: /^runtime\/src\/oidc\//,
    may: [...protocol, 'errors', 'observe', 'net', 'formats', 'identity', 'vocabulary'],
  },
  {
    name: 'telemetry',
    files: /^runtime\/src\/telemetry\//,
    may: [...protocol, 'errors', ...contracts],
  },
  {
    name: 'intake',
    files: /^runtime\/src\/intake\//,
    may: [...protocol, ...shared, ...contracts],
  },
  {
    // What is around all connectors, and what may be any of them.
    name: 'connector support',
    files: /^runtime\/src\/connectors\/(profile\/|[^/]+$)/,
    may: [...protocol, ...shared, ...contracts, 'vocabulary', 'connector'],
  },
  {
    name: 'folders',
    files: filesOfFolders,
    may: [...protocol, ...shared, ...contracts, 'vocabulary', 'connector', 'templates'],
  },
  {
    // Programs of the machine that connectors start.
    name: 'processes',
    files: /^runtime\/src\/processes\//,
    may: [...protocol, 'errors', 'net'],
  },
  {
    // The language of templates, for what prints documents and letters.
    name: 'templates',
    files: /^runtime\/src\/templates\//,
    may: [...protocol, 'errors', 'observe'],
  },
  {
    // What clients of AWS share: credentials, signatures, answers.
    name: 'aws',
    files: /^runtime\/src\/aws\//,
    may: [...protocol, 'errors', 'observe', 'net', 'formats', ...contracts],
  },
  {
    name: 'connector',
    files: /^runtime\/src\/connectors\/[^/]+\//,
    may: [
      ...protocol,
      ...shared,
      ...contracts,
      'vocabulary',
      'connector support',
      'intake',
      'oidc',
      'folders',
      'processes',
      'templates',
      'aws',
    ],
  },
  {
    name: 'flow',
    files: /^runtime\/src\/flow\//,
    may: [...protocol, 'errors', 'observe', 'net', 'formats', 'sync', 'identity', ...contracts, 'vocabulary'],
  },
  ...['auth', 'workflows', 'schedule', 'plugins'].map(
    (name): Part => ({
      name,
      files: new RegExp(`^runtime/src/${name}/`),
      may: [
        ...protocol,
        ...shared,
        ...contracts,
        ...['flow', 'vocabulary'],
        ...(name === 'auth' ? ['oidc'] : []),
        // The program that fetches repositories.
        ...(name === 'plugins' ? ['processes', 'connector support'] : []),
      ],
    }),
  ),
  {
    name: 'plan',
    files: /^runtime\/src\/plan\//,
    may: [
      ...protocol,
      ...shared,
      ...contracts,
      'vocabulary',
      'connector support',
      'flow',
      'auth',
      'workflows',
      'schedule',
      'plugins',
    ],
  },
  {
    name: 'mocks',
    files: /^runtime\/src\/mocks\//,
    may: [...protocol, ...shared, ...contracts, 'vocabulary', 'connector', 'connector support', 'flow'],
  },
  {
    // What runs tests knows how a service is put together, and starts none.
    name: 'harness',
    files: /^runtime\/src\/harness\//,
    may: [
      ...protocol,
      ...shared,
      ...contracts,
      ...['vocabulary', 'connector', 'connector support', 'flow', 'plan', 'config', 'mocks', 'language support'],
      'service',
    ],
  },
  {
    name: 'debug',
    files: /^runtime\/src\/debug\//,
    may: [...protocol, 'errors', 'net', 'http', 'telemetry', ...contracts, 'flow', 'plan', 'vocabulary', 'outbox'],
  },
  {
    // Notifications that are kept instead of sent.
    name: 'outbox',
    files: /^runtime\/src\/outbox\//,
    may: [...protocol, ...contracts, 'errors', 'telemetry'],
  },
  {
    // What people do with messages at brokers, for the command and for what drives it.
    name: 'queues',
    files: /^runtime\/src\/queues\//,
    may: [
      ...protocol,
      ...shared,
      ...contracts,
      ...['vocabulary', 'connector support', 'intake', 'flow', 'plan', 'config', 'harness', 'export'],
    ],
  },
  {
    name: 'migrate',
    files: /^runtime\/src\/migrate\//,
    may: [...protocol, ...shared, ...contracts, 'vocabulary', 'connector', 'connector support', 'config'],
  },
  {
    // What editors know of the language; all but folder.ts runs in a browser too.
    name: 'language support',
    files: /^runtime\/src\/language\//,
    // Of sign-in it shows where the endpoints are, which is data.
    may: [
      ...protocol,
      ...['disk', 'formats', 'vocabulary', 'connector support', 'flow', 'auth', 'plugins', 'plan', 'config'],
    ],
  },
  {
    name: 'config',
    files: /^runtime\/src\/config\//,
    may: [...protocol, ...contracts, 'errors', 'formats', 'vocabulary', 'flow', 'plugins', 'plan', 'mocks'],
  },
  ...['service', 'admin', 'cluster', 'cli', 'trace', 'embedding'].map(
    (name): Part => ({
      name,
      files: name === 'embedding' ? /^runtime\/src\/index\.ts$/ : new RegExp(`^runtime/src/${name}/`),
      may: [
        ...protocol,
        ...shared,
        ...contracts,
        ...[
          'vocabulary',
          'telemetry',
          'connector support',
          'flow',
          'auth',
          'workflows',
          'schedule',
          'plugins',
          'plan',
          'debug',
          'mocks',
          'harness',
          'config',
          'migrate',
          'connector',
          'reference',
          'language support',
          'export',
          'drift',
          'import',
        ],
        ...['service', 'admin', 'cluster', 'trace', 'embedding', 'launcher'],
        // The command that serves it, see `cli/commands/studio.ts`; that of queues; and that of previews.
        ...(name === 'cli' ? ['@svc/studio', 'queues', 'outbox'] : []),
      ],
    }),
  ),

  { name: 'studio shared', files: /^studio\/src\/shared\//, may: [], outside: none },
  {
    name: 'studio host',
    files: /^studio\/src\/host\//,
    // Of the runtime it knows which files a configuration is made of, nothing else.
    may: [...protocol, '@svc/runtime', 'studio shared'],
    outside: /^(node:.*|ws)$/,
  },
  {
    name: 'studio main',
    files: /^studio\/src\/main\//,
    may: ['studio shared', 'studio host'],
    outside: /^(node:.*|electron)$/,
  },
  { name: 'studio preload', files: /^studio\/src\/preload\//, may: ['studio shared'], outside: /^electron$/ },
  ...['worker', 'renderer'].map(
    (name): Part => ({
      name: `studio ${name}`,
      files: new RegExp(`^studio/src/${name}/`),
      may: [...protocol, '@svc/runtime', 'studio shared', ...(name === 'renderer' ? ['studio worker'] : [])],
      // Electron and the platform of the host are out of reach of a page.
      outside: /^(?!node:|electron$|ws$)/,
    }),
  ),
  { name: 'studio build', files: /^studio\/vite\.config\.ts$/, may: [] },

  {
    name: 'studio benchmarks',
    files: /^test\/bench\/studio(\/|\.ts$)/,
    // They measure the windows that the tests from end to end open.
    may: [...protocol, 'tests', 'end to end', 'studio worker'],
  },
  {
    name: 'experiments',
    files: /^test\/catalog\/experiments\//,
    // They run whole services, and what commands do, with each of two values.
    may: [
      ...protocol,
      ...shared,
      ...contracts,
      ...['tests', 'vocabulary', 'auth', 'connector', 'plan', 'config', 'service', 'harness', 'mocks', 'export', 'cli'],
    ],
  },
  {
    name: 'tests',
    files: /^test\//,
    may: [
      ...protocol,
      '@svc/runtime',
      ...shared,
      ...contracts,
      'vocabulary',
      'connector',
      // What the connector of `docs/connectors/writing-one.md` is made with, as those of the runtime are.
      'intake',
      'launcher',
      'embedding',
      'experiments',
      'scripts',
      'plugins',
      'plan',
      'debug',
      // Schedules are simulated at full scale too.
      'schedule',
    ],
  },
  { name: 'end to end', files: /^e2e\//, may: ['tests'] },
  {
    name: 'scripts',
    files: /^scripts\//,
    may: [...protocol, '@svc/runtime', 'tests', 'launcher', 'vocabulary', 'reference', 'cli'],
  },
];
