import type { Seen } from './asking.ts';
import { type Protocol, protocols } from './asking.ts';
import { type Way, ways } from './ways.ts';

/** What was seen of one way over one protocol. */
export interface Pair {
  readonly development: Seen;
  readonly production: Seen;
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** The server that never answers has another port each time. */
const instance = /saga_[0-9a-f]{32}/g;
const peer = /127\.0\.0\.1:\d+/g;

function cell({ sign, text, details }: Seen): string {
  const shown =
    details === undefined || details === ''
      ? ''
      : ` ${typeof details === 'string' ? details : JSON.stringify(details)}`;
  const code = (words: string) => `\`${words.replaceAll(uuid, 'ID').replaceAll('|', '\\|')}\``;
  return `${code(sign)} ${text}${shown === '' ? '' : ` ${code(shown.trim())}`}`
    .replaceAll(uuid, 'ID')
    .replaceAll(peer, '127.0.0.1')
    .replaceAll(instance, 'saga_ID');
}

const intro = `# Failures over every protocol

A flow fails where it throws, where its saga is undone, with every \`error_response\`, and with an \`http_status_code\` of
400 and above. Each of these is a failure in every protocol: a status of HTTP, \`errors\` over GraphQL, a status over gRPC (a
\`grpc_status_code\` that is written holds there), a fault over SOAP, an error message over tcp, NestJS and WebSocket.

- What a flow wrote is sent as written, in production too, in the place that the protocol has for details:
  \`extensions.body\`, \`google.protobuf.Struct\` beside \`google.rpc.ErrorInfo\` up to 4 KiB, \`f:body\`, \`data\`, \`details\`.
  Over REST it is the body.
- The text is the first of \`error\`, \`message\`, \`msg\`, \`detail\` and \`reason\` in it that is a text, or an object with a text
  \`message\`; else that of its status. The code is its field \`code\`, else that of the failure where the caller caused it,
  else \`flow_failed\`.
- An \`error_response\` with a status below 400 is a failure too; REST sends the status as it is written.
- The sender of a webhook is answered 500, so that it sends again, and it is logged. An aspect that runs a flow fails, and
  a run of a schedule counts as failed. No one is answered by a flow of a queue, a topic, a table or a file: what it answers
  acknowledges the message, also where it says that it failed, and a message whose flow throws is
  [tried again](../queues.md#what-each-end-means).
- What is refused beside a flow, such as a request whose time is over, has the form of every server over GraphQL: a status
  of HTTP, and no \`errors\`. Over tcp and WebSocket, and for the events of a subscription, a flow has no time of its own.
- A failure of the service is logged as an error with its code, its text and an id. In production its caller gets the id
  and no more. An answer that does not fit its field of GraphQL is logged in the same way, one that the schema refuses as
  a warning with its path; many fields that wait for one failure are one line.

This page is written by the test that asks: every row is what a client received, with \`ID\` in place of each id.
`;

/** Whether a protocol can fail so: some have no callers, or no time in which they answer. */
export function isKnown({ limits }: Way, { isTimed, knowsCallers }: Protocol): boolean {
  return limits === undefined || (limits === 'time' ? isTimed : knowsCallers) !== false;
}

/** The page of everything that was seen, by way and protocol. */
export function pageOf(seen: ReadonlyMap<string, Pair>): string {
  const sections = ways.map((way) => {
    const { name, title } = way;
    const known = protocols.filter((protocol) => isKnown(way, protocol));
    const rows = known.map((protocol) => {
      const { development, production } = seen.get(`${name} ${protocol.title}`) as Pair;
      const [one, other] = [cell(development), cell(production)];
      return `| ${protocol.title} | ${one} | ${one === other ? 'the same' : other} |`;
    });
    return `## ${title}\n\n| Protocol | Development | Production |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return [intro, ...sections].join('\n');
}
