/** A wing of the runtime: a folder of `runtime/src` whose rooms import wings before it, and rooms before themselves. */
export interface Wing {
  readonly name: string;
  /** What it holds, in a sentence. */
  readonly holds: string;
  /** Its folders, and files beside these, in their order. */
  readonly rooms: readonly string[];
}

/** The wings of the runtime in their order. */
export const wings: readonly Wing[] = [
  {
    name: 'foundation',
    holds: 'What the parts of the program promise each other.',
    rooms: ['version.ts', 'disk', 'observe', 'contracts', 'errors'],
  },
  {
    name: 'platform',
    holds: 'What any server program needs, without a word of flows.',
    rooms: [
      ...['threads', 'templates', 'telemetry', 'outbox', 'content', 'net', 'formats', 'identity', 'aws', 'processes'],
      ...['sync', 'oidc', 'http'],
    ],
  },
  {
    name: 'connectors',
    holds: 'The world outside: one folder for each type of connector, which imports no other one.',
    rooms: [
      ...['core', 'intake', 'rest', 'http', 'graphql', 'grpc', 'soap', 'tcp', 'websocket', 'sse', 'database', 'cache'],
      ...['mq', 'mqtt', 'search', 'files', 'exec', 'pdf', 'notify', 'oauth', 'profile', 'catalog.ts', 'registry.ts'],
    ],
  },
  {
    name: 'engine',
    holds: 'What a message goes through.',
    rooms: ['schedule', 'flow', 'auth', 'workflows', 'plugins', 'mocks', 'settings', 'plan', 'export'],
  },
  {
    name: 'checks',
    holds: 'What is known of a configuration before anything runs.',
    rooms: ['tests', 'vocabulary.ts', 'rules', 'project-rules.ts', 'language', 'reference'],
  },
  {
    name: 'service',
    holds: 'A configuration that runs, reloads and stops.',
    rooms: ['debug', 'config', 'migrate', 'admin', 'running', 'index.ts', 'cluster'],
  },
  {
    name: 'tools',
    holds: 'What people do with a configuration.',
    rooms: ['harness', 'queues', 'trace', 'import', 'drift'],
  },
  { name: 'cli', holds: 'The commands of the program.', rooms: [] },
];

/** Where a file of the runtime is; undefined for a file outside every room. */
export interface Place {
  readonly wing: Wing;
  /** The name of its room; that of the wing where this has no rooms. */
  readonly room: string;
  /** Places in the order of wings, and of rooms in the wing. */
  readonly at: readonly [wing: number, room: number];
}

export function placeOf(path: string): Place | undefined {
  const [, name, first] = /^runtime\/src\/([^/]+)\/([^/]+)/.exec(path) ?? [];
  const index = wings.findIndex((wing) => wing.name === name);
  const wing = wings[index];
  if (wing === undefined || first === undefined) return undefined;
  if (wing.rooms.length === 0) return { wing, room: wing.name, at: [index, 0] };
  const room = wing.rooms.indexOf(first);
  return room < 0 ? undefined : { wing, room: first, at: [index, room] };
}
