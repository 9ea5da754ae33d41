import { joinedChannels, WireClient } from '@svc/protocol/wire';
import { describe, expect, test, vi } from 'vitest';
import type { FailureCode } from '../../../foundation/errors/failures.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { notServed } from '../../debug/connection/access.ts';
import { DebugEntryPoint } from '../../debug/connection/entry-point.ts';
import { memoryLog } from './fakes.ts';
import { startText, type TextService } from './text-service.ts';

/** One request to a server, as its protocol carries it. */
export interface SentRequest {
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Who asks; absent: a caller without credentials. */
  readonly caller?: { readonly name: string; readonly password: string };
}

/** What came back. */
export type ServedAnswer =
  | { readonly value: unknown }
  | {
      readonly refused: {
        /** As far as the protocol says it; undefined where it says only that the service failed. */
        readonly code: FailureCode | undefined;
        /** Everything that its caller can read, as it was sent. */
        readonly text: string;
      };
    };

/** A server of requests, as tests use it. Nothing here depends on the protocol. */
export interface RequestServerBed {
  /** What is written in its connector beside the address, its type among it. */
  readonly connector: string;
  /** What makes a flow answer the requests of this name: the operation of its `from`. */
  readonly operation: (name: string) => string;
  /** What is written in such a flow besides. */
  readonly flow?: string;
  /** Sends a request of this name to a port of 127.0.0.1. Rejects when the connection fails. */
  readonly ask: (port: number, name: string, request?: SentRequest) => Promise<ServedAnswer>;
  /** The limit on the size of a request as it is written, and the bytes of one that is over it. */
  readonly limit?: string;
  readonly largest: number;
  /** Where files are that the connector names; absent: it names none. */
  readonly directory?: string;
}

const users = { ada: 'first secret', bob: 'second secret' };
const auth = `auth {
  type  = "basic"
  users = { ada = "${users.ada}", bob = "${users.bob}" }
}`;

/**
 * The contract of everything that answers requests with flows: identity, limits, deadlines, disclosure by environment,
 * shedding, draining, reloads, metrics and stops of the debugger. A new server joins with one call.
 */
export function requestServerConformance(name: string, bed: RequestServerBed): void {
  const flow = (title: string, rules: string) => `
flow "${title}" {
  ${bed.flow ?? ''}
  from {
    connector = "api"
    operation = "${bed.operation(title)}"
  }
  ${rules}
}
`;
  const configuration = (lines = '', version = 1) => `
service {
  admin_port = 0
}
connector "api" {
  ${bed.connector}
  host = "127.0.0.1"
  port = env("PORT")
  ${lines}
}
${flow(
  'who',
  `response {
    name    = "auth.user_id"
    version = "${version}"
  }`,
)}
${flow(
  'echo',
  `response {
    text = "input.text"
  }`,
)}
${flow(
  'slow',
  `coordinate {
    timeout    = "300ms"
    on_timeout = "skip"
    wait {
      when = "true"
      for  = "'never'"
    }
  }
  response {
    version = "${version}"
  }`,
)}
${flow(
  'broken',
  `response {
    secret = "1 / int(input.zero)"
  }`,
)}
${flow(
  'checked',
  `validate {
    input = "letter"
  }
  response {
    ok = "true"
  }`,
)}
type "letter" {
  amount = number({ min = 3 })
}
`;

  describe(`server of requests: ${name}`, () => {
    const running = async (lines?: string, own: Parameters<typeof startText>[2] = {}) => {
      const { directory } = bed;
      const service = await startText(
        configuration(lines),
        {},
        { ...(directory !== undefined && { directory }), ...own },
      );
      const ask = (title: string, request?: SentRequest) => bed.ask(service.port, title, request);
      return { service, ask, [Symbol.asyncDispose]: () => service.stop() };
    };
    const codeOf = (answer: ServedAnswer) => ('refused' in answer ? answer.refused.code : 'answered');

    test('A-01: a caller is who its credentials say, beside others at the same time; without any it is refused', async () => {
      await using server = await running(auth);
      const refused = [
        await server.ask('who'),
        await server.ask('who', { caller: { name: 'ada', password: users.bob } }),
        await server.ask('who', { caller: { name: '', password: '' } }),
      ];
      expect(refused.map(codeOf)).toEqual(Array(3).fill('authentication_required'));
      const names = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'ada' : 'bob'));
      const answers = await Promise.all(
        names.map((each) => server.ask('who', { caller: { name: each, password: users[each as 'ada'] } })),
      );
      expect(answers).toEqual(names.map((each) => ({ value: { name: each, version: 1 } })));
      expect(JSON.stringify(refused)).not.toContain('secret');
    });

    test('a request beyond the limit on its size is refused, and those after it are answered', async () => {
      await using server = await running(bed.limit ?? `max_body = ${bed.largest}`);
      expect(codeOf(await server.ask('echo', { fields: { text: 'x'.repeat(bed.largest) } }))).toBe('body_too_large');
      expect(await server.ask('echo', { fields: { text: 'short' } })).toEqual({ value: { text: 'short' } });
    });

    test('A-03: further requests than allowed at a time are refused at once, and later ones are answered', async () => {
      await using server = await running('max_in_flight = 2');
      const codes = (await Promise.all(Array.from({ length: 6 }, () => server.ask('slow')))).map(codeOf);
      expect(codes.sort()).toEqual(['answered', 'answered', ...Array(4).fill('overloaded')]);
      expect(codeOf(await server.ask('who'))).toBe('answered');
    });

    test('a request that takes longer than it may is ended, and what it held is free', async () => {
      await using server = await running('timeout = "50ms"\nmax_in_flight = 2');
      for (let round = 0; round < 3; round++)
        expect((await Promise.all([server.ask('slow'), server.ask('slow')])).map(codeOf)).toEqual(
          Array(2).fill('request_timeout'),
        );
      expect(codeOf(await server.ask('who'))).toBe('answered');
    });

    test('S-11: outside production errors are shown in full, in production those of the request alone', async () => {
      await using open = await running();
      await using shipped = await running('', { environment: 'production', production: true });
      const text = async (server: typeof open, title: string, fields: object) => {
        const answer = await server.ask(title, { fields: { ...fields } });
        return 'refused' in answer ? answer.refused.text : 'answered';
      };
      expect(await text(open, 'broken', { zero: 0 })).toContain('division by zero');
      const hidden = await text(shipped, 'broken', { zero: 0 });
      expect(hidden).toContain('Internal Server Error');
      expect(hidden).not.toMatch(/division|zero|secret|\.ts|\.hcl|node_modules|\bat /);
      for (const server of [open, shipped]) {
        const answer = await server.ask('checked', { fields: { amount: 1 } });
        expect(codeOf(answer)).toBe('input_invalid');
        expect(JSON.stringify(answer)).toContain('amount');
      }
    });

    test('S-100: what no flow may see reaches none, and what is too deep is refused', async () => {
      await using server = await running();
      // In some formats such a text cannot be written at all.
      for (const mark of ['\u0000', '\u0007'])
        expect(['input_refused', 'body_undecodable']).toContain(
          codeOf(await server.ask('echo', { fields: { text: `a${mark}b` } })),
        );
      for (const mark of ['\u202e', '\u2066'])
        expect(await server.ask('echo', { fields: { text: `a${mark}b` } })).toEqual({ value: { text: 'ab' } });
      let deep: unknown = 'x';
      for (let depth = 0; depth < 500; depth++) deep = [deep];
      expect(codeOf(await server.ask('echo', { fields: { text: deep } }))).not.toBe('answered');
      expect(codeOf(await server.ask('who'))).toBe('answered');
    });

    test('R-82: a stop answers what is under way and takes nothing more', async () => {
      await using server = await running();
      const asked = server.ask('slow');
      await vi.waitFor(() => expect(inFlight(server.service)).toBe(1));
      const stopped = server.service.stop();
      expect(await asked).toEqual({ value: { version: 1 } });
      await stopped;
      await expect(server.ask('who')).rejects.toThrow();
    });

    test('R-85: what began before a reload ends as it began, what comes later is answered by the new configuration', async () => {
      await using server = await running();
      const asked = server.ask('slow');
      await vi.waitFor(() => expect(inFlight(server.service)).toBe(1));
      expect(await server.service.reload(configuration('', 2))).toBe(true);
      expect(await server.ask('who')).toEqual({ value: { name: '', version: 2 } });
      expect(await asked).toEqual({ value: { version: 1 } });
    });

    test('a reload that is wrong changes nothing', async () => {
      await using server = await running();
      await server.service.reload('connector "api" {').catch(() => undefined);
      expect(await server.ask('who')).toEqual({ value: { name: '', version: 1 } });
    });

    test('executions are counted by flow and by how they ended, requests of callers make no names', async () => {
      await using server = await running();
      for (let index = 0; index < 3; index++) await server.ask('who', { fields: { text: `caller-made-${index}` } });
      await server.ask('broken', { fields: { zero: 0 } });
      await server.ask('made-up-by-a-caller').catch(() => undefined);
      const exposed = server.service.service.metrics.text();
      expect(exposed).toContain('svc_flow_executions_total{flow="who",status="success"} 3\n');
      expect(exposed).toContain('svc_flow_executions_total{flow="broken",status="error"} 1\n');
      expect(exposed).not.toMatch(/caller-made|made-up/);
      expect(inFlight(server.service)).toBe(0);
    });

    test('A-14: a stop of the debugger shows the request, and its deadline waits', async () => {
      const entryPoint = debuggerOf();
      await using server = await running('timeout = "200ms"', { debug: entryPoint });
      const wire = await attached(entryPoint);
      await wire.call('debug.setBreakpoints', { flow: 'who', breakpoints: [{ stage: 'response', ruleIndex: -1 }] });
      const paused = nextStop(wire);
      const asked = server.ask('who');
      const { threadId } = await paused;
      const { threads } = (await wire.call('debug.threads', {})) as {
        threads: readonly { id: string; holds: unknown }[];
      };
      expect(threads).toEqual([
        expect.objectContaining({
          id: threadId,
          holds: expect.objectContaining({ kind: 'request', route: expect.any(String), timeoutMs: 200 }),
        }),
      ]);
      const began = performance.now();
      await vi.waitFor(() => expect(performance.now() - began).toBeGreaterThan(400));
      await wire.call('debug.continue', { threadId });
      expect(await asked).toEqual({ value: { name: '', version: 1 } });
    });
  });
}

/** Requests that are being answered, by the metric of the service. */
function inFlight(service: TextService): number {
  const lines = service.service.metrics
    .text()
    .split('\n')
    .filter((line) => line.startsWith('svc_requests_in_flight{'));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

function debuggerOf(): DebugEntryPoint {
  return new DebugEntryPoint({
    access: notServed,
    clock: systemClock,
    log: memoryLog().log,
    variables: {},
    masksNames: false,
    maxPause: 60_000,
  });
}

async function attached(entryPoint: DebugEntryPoint): Promise<WireClient> {
  const [ours, theirs] = joinedChannels();
  const wire = new WireClient(ours);
  await entryPoint.connect(theirs);
  await wire.call('debug.attach', { capabilities: ['holds'] });
  return wire;
}

function nextStop(wire: WireClient): Promise<{ readonly threadId: string }> {
  return new Promise((resolve) => {
    const forget = wire.on('event.stopped', (params) => {
      forget();
      resolve(params as unknown as { threadId: string });
    });
  });
}
