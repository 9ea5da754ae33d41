import { createServer } from 'node:net';
import { type Attribute, type Block, parseHcl } from '@svc/protocol/syntax';
import { vocabulary } from '@svc/runtime/vocabulary';

/** Where a configuration says that something listens. */
export interface ListeningPort {
  readonly what: 'admin' | 'connector';
  /** As it is written where the variable is not set. */
  readonly port: number;
  /** Variable that decides it; undefined when the number is fixed. */
  readonly variable: string | undefined;
}

/** The usual port of connectors whose `port` is one that the service opens, not one that it calls, by their type. */
const usualPorts = new Map(
  vocabulary.connectors
    .filter(({ source }) => source?.listens !== undefined)
    .flatMap(({ type, typeAliases, config }) =>
      [type, ...typeAliases].map((word) => [word, Number(config.attributes['port']?.default ?? 0)] as const),
    ),
);
const usualAdminPort = Number(vocabulary.blocks['service']?.attributes['admin_port']?.default);

/** The ports that a configuration opens, in written order; the admin port is the last. */
export function listeningPorts(files: readonly { readonly path: string; readonly text: string }[]): ListeningPort[] {
  const blocks = files.flatMap(({ path, text }) =>
    parseHcl(text, path).body.items.flatMap((item) => (item.kind === 'block' ? [{ item, text }] : [])),
  );
  const connectors = blocks.flatMap(({ item, text }) => {
    const usual =
      item.type.text === 'connector' ? usualPorts.get(plainText(item, 'type', text).toLowerCase()) : undefined;
    return usual === undefined ? [] : [portOf('connector', item, { name: 'port', usual }, text)];
  });
  const service = blocks.find(({ item }) => item.type.text === 'service');
  return [
    ...connectors,
    service === undefined
      ? { what: 'admin', port: usualAdminPort, variable: undefined }
      : portOf('admin', service.item, { name: 'admin_port', usual: usualAdminPort }, service.text),
  ];
}

function portOf(
  what: ListeningPort['what'],
  block: Block,
  { name, usual }: { readonly name: string; readonly usual: number },
  text: string,
): ListeningPort {
  const written = source(block, name, text);
  const called = /^env\(\s*"([A-Za-z_]\w*)"\s*(?:,\s*"?(\d+)"?\s*)?\)$/.exec(written);
  const fixed = /^"?(\d+)"?$/.exec(written);
  return { what, port: Number(called?.[2] ?? fixed?.[1] ?? usual), variable: called?.[1] };
}

function plainText(block: Block, name: string, text: string): string {
  return /^"(\w+)"$/.exec(source(block, name, text))?.[1] ?? '';
}

function source({ body }: Block, name: string, text: string): string {
  const found = body.items.find((item): item is Attribute => item.kind === 'attribute' && item.name.text === name);
  return found?.value === undefined ? '' : text.slice(found.value.start, found.value.end);
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Decides the ports of a run: those that the variables say, or others for the ones that are taken and that a variable
 * can change. `set` are the variables to run with.
 */
export async function choosePorts(
  ports: readonly ListeningPort[],
  variables: Variables,
): Promise<{ readonly set: Record<string, string>; readonly admin: number; readonly connectors: readonly number[] }> {
  const set: Record<string, string> = {};
  const chosen: { what: ListeningPort['what']; port: number; variable: string | undefined }[] = [];
  for (const { what, port: usual, variable } of ports) {
    // Connectors of one variable are served at one address.
    if (variable !== undefined && chosen.some((other) => other.what === what && other.variable === variable)) continue;
    const given = Number((variable === undefined ? undefined : (set[variable] ?? variables[variable])) || usual);
    const isFree = given !== 0 && !chosen.some(({ port }) => port === given) && (await tryPort(given)) !== undefined;
    const port = isFree || variable === undefined ? given : ((await tryPort(0)) ?? given);
    if (port !== given && variable !== undefined) set[variable] = String(port);
    chosen.push({ what, port, variable });
  }
  const of = (wanted: ListeningPort['what']) => chosen.filter(({ what }) => what === wanted).map(({ port }) => port);
  return { set, admin: of('admin')[0] ?? usualAdminPort, connectors: of('connector') };
}

/** Undefined when a process listens there, or it is not a port. */
function tryPort(candidate: number): Promise<number | undefined> {
  if (!Number.isInteger(candidate) || candidate < 0 || candidate > 65_535) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(undefined));
    server.listen(candidate, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
}
