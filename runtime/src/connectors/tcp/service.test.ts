import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../../../test/support/free-port.ts';
import { inDirectory, typed } from '../../cli/testing/typed.ts';
import { compilePlan } from '../../engine/plan/compile.ts';
import type { Message } from '../../foundation/contracts/message.ts';
import type { Outcome } from '../../foundation/contracts/outcome.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import { HttpListener } from '../../platform/http/sockets/listener.ts';
import { loadService } from '../../service/running/load.ts';
import { createService } from '../../service/running/service.ts';
import { memoryLog } from '../../service/running/testing/fakes.ts';
import { startText } from '../../service/running/testing/text-service.ts';
import { TcpBed } from './testing/server-bed.ts';

/** A scale, and the name that its answers have. */
const scale =
  (name: string) =>
  ({ input }: Message): Outcome => ({ kind: 'reply', value: { by: name, item: input['item'] } });

describe('a client of messages in a service', () => {
  let bed: TcpBed;
  beforeEach(() => {
    bed = new TcpBed();
  });
  afterEach(() => bed.close());

  test('profiles: the one that an expression names answers, the next one where its server is gone', async () => {
    const one = await bed.open({ weigh: scale('one') });
    const other = await bed.open({ weigh: scale('other') });
    const profile = (name: string, port: number | undefined) => `
  profile "${name}" {
    type        = "tcp"
    driver      = "client"
    host        = "127.0.0.1"
    port        = ${port}
    retry_count = 0
  }`;
    const service = await startText(`
service {
  admin_port = 0
}
connector "api" {
  type = "rest"
  host = "127.0.0.1"
  port = env("PORT")
}
connector "scales" {
  select   = "has(input.scale) ? input.scale : 'one'"
  default  = "one"
  fallback = ["other"]
  ${profile('one', one.port)}
  ${profile('other', other.port)}
}
flow "weigh" {
  from {
    connector = "api"
    operation = "GET /weigh"
  }
  step "weighed" {
    connector = "scales"
    operation = "weigh"
    params    = { item = "input.item", scale = "input.scale" }
  }
  response {
    by   = "step.weighed.by"
    item = "step.weighed.item"
  }
}
`);
    try {
      const asked = async (query: string) => (await service.ask('GET', `/weigh?item=figs&${query}`)).body;
      expect(await asked('scale=one')).toEqual({ by: 'one', item: 'figs' });
      expect(await asked('scale=other')).toEqual({ by: 'other', item: 'figs' });
      await one.close();
      expect(await asked('scale=one')).toEqual({ by: 'other', item: 'figs' });
    } finally {
      await service.stop();
    }
  });

  test('mocks: a test and a recording answer by the type of the message, and nothing is connected', () =>
    inDirectory(
      {
        'service.hcl': 'service {\n  admin_port = 0\n  admin_host = "127.0.0.1"\n}\n',
        'scales.hcl': `
connector "api" {
  type = "rest"
  host = "127.0.0.1"
  port = 0
}
connector "scales" {
  type   = "tcp"
  driver = "client"
  host   = "nowhere.invalid"
  port   = 9000
}
flow "weigh" {
  from {
    connector = "api"
    operation = "GET /weigh"
  }
  step "weighed" {
    connector = "scales"
    operation = "weigh"
    params    = { item = "input.item" }
  }
  response {
    label = "step.weighed.item + ': ' + string(step.weighed.grams) + ' g'"
  }
}
`,
        'tests/label.hcl': `
test "a label" {
  flow  = "weigh"
  input = { item = "figs" }
  mock "scales" {
    operation = "weigh"
    result    = { item = "figs", grams = 20 }
  }
  expect {
    output = { label = "figs: 20 g" }
  }
}
`,
        'mocks/connectors/scales/weigh.json': JSON.stringify({ data: { item: 'pears', grams: 7 } }),
      },
      async (directory) => {
        expect(await typed(['test'], directory)).toMatchObject({ status: 0, error: '' });
        const mocking = { mock: ['scales'], noMock: [] };
        const load = { environment: {}, workingDirectory: directory, tests: false, workers: 1, mocking };
        const { log } = memoryLog();
        const service = createService({
          load: () =>
            loadService(directory, load, 'development', (project, engine) => compilePlan(project, { engine })),
          createListener: (connectors, application) => new HttpListener(connectors, application),
          log,
          clock: systemClock,
          environment: 'development',
          production: false,
          directory,
          productVersion: '0.0.0',
        });
        try {
          const { addresses } = await service.start();
          const answer = await fetch(`http://127.0.0.1:${addresses.get('api')?.port}/weigh?item=figs`);
          expect(await answer.json()).toEqual({ label: 'pears: 7 g' });
        } finally {
          await service.stop();
        }
      },
    ));

  test('svc check: a server that takes connections is ok, one that is gone is refused, and what listens waits', async () => {
    const server = await bed.open({ weigh: scale('one') });
    const gone = await freePort();
    const client = (name: string, port: number | undefined) => `
connector "${name}" {
  type        = "tcp"
  driver      = "client"
  host        = "127.0.0.1"
  port        = ${port}
  retry_count = 0
}
`;
    const text = `${client('near', server.port)}${client('gone', gone)}
connector "own" {
  type   = "tcp"
  driver = "server"
  port   = ${server.port}
}
`;
    const { status, out, error } = await inDirectory({ 'a.hcl': text }, (directory) => typed(['check'], directory));
    expect({ status, error }).toEqual({ status: 1, error: '' });
    expect(out.replace(/\d+ ms/, 'N ms').split('\n')).toEqual([
      'ok      near (tcp client)  N ms',
      `failed  gone (tcp client)  connection refused: 127.0.0.1:${gone}: connect ECONNREFUSED 127.0.0.1:${gone} (a.hcl:10)`,
      '-       own (tcp server)   waits for others',
      '1 of 3 connectors unreachable',
      '',
    ]);
  });
});
