import { capabilities, errorCodes, events, type Method, methods } from '@svc/protocol/wire';

interface EventText {
  readonly doc: string;
  readonly params: string;
  readonly lane: 'kept' | 'trace';
  readonly needs?: string;
}

/** The page of the debug protocol, made from the table that both of its ends are typed by. */
export function debugProtocolPage(): string {
  const additions = Object.entries(capabilities).map(([name, doc]) => `- \`${name}\`: ${doc}`);
  const calls = Object.entries<Method>(methods).map(([name, spec]) => methodText(name, spec));
  const eventRows = Object.entries<EventText>(events).map(
    ([name, { doc, params, lane, needs = '' }]) =>
      `| \`${name}\` | ${doc} | ${params} | ${lane === 'kept' ? 'no' : 'yes'} | ${needs && `\`${needs}\``} |`,
  );
  const errors = Object.values(errorCodes).map(({ code, doc }) => `| ${code} | ${doc} |`);
  return `# Debug protocol

JSON-RPC 2.0 over WebSocket at \`/debug\` on the admin port, one text frame for each message. A session begins with
\`debug.attach\`. A request with an \`Origin\` is refused, unless it is exactly \`SVC_DEBUG_ORIGIN\`.

In development, a peer on the loopback interface needs no credential when its one \`Host\` names that interface and nothing
forwarded it. Every other peer sends the debug token, as \`Authorization: Bearer …\` or as the subprotocol
\`svc.token.…\`. The token is \`SVC_DEBUG_TOKEN\`, else it is made at start and written to a file whose path is logged. In
staging and production there is no \`/debug\` unless the service was started with \`--debug\`, which needs
\`SVC_DEBUG_TOKEN\`; every client sends it then.

At most 64 connections, 1 MiB a frame, 1,000 breakpoints a flow and 1,000 paused threads. A pause ends by itself after
\`SVC_DEBUG_MAX_PAUSE\` (30 minutes). \`Authorization\` and \`Cookie\` are never sent; outside development, everything
named like a credential is masked.

While a thread is paused, its request does not time out; the time limit of a call begins when the call is made. A thread
that is paused inside a transaction keeps its connection and what the database has locked for it: requests that wait for
a database inside the process wait on, those that wait for a connection to a database server or for its locks are limited as
ever.

## Additions

A client that sends these names in \`capabilities\` of \`debug.attach\` is notified of them; others get the nearest reason.

${additions.join('\n')}

## Methods

${calls.join('\n\n')}

## Events

| Event | Meaning | Members | May be left out for a client that does not read | Needs |
|---|---|---|---|---|
${eventRows.join('\n')}

## Errors

| Code | Meaning |
|---|---|
${errors.join('\n')}
`;
}

function methodText(name: string, { doc, params, result }: Method): string {
  const given = Object.entries(params).map(
    ([param, spec]) =>
      `- \`${param}\` (${spec.kind.replace('?', '')}${spec.kind.endsWith('?') ? ', optional' : ''}): ${spec.doc}`,
  );
  return [`### ${name}`, doc, ...(given.length === 0 ? [] : [given.join('\n')]), `Result: ${result}.`].join('\n\n');
}
