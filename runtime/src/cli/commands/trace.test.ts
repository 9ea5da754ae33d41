import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { inDirectory, typed } from '../testing/typed.ts';

const configuration = `connector "api" {
  type = "rest"
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "./orders.db"
}
connector "away" {
  type     = "http"
  base_url = "http://127.0.0.1:1"
}
connector "stock" {
  type     = "http"
  base_url = env("STOCK")
}
connector "kept" {
  type   = "cache"
  driver = "memory"
}
flow "create_order" {
  from {
    connector = "api"
    operation = "POST /shops/:shop/orders"
    filter    = "input.kind == 'order'"
  }
  accept { when = "input.total > 5 && !has(input.test)" }
  step "customer" {
    connector = "db"
    query     = "SELECT name FROM customers WHERE id = :id"
    params    = { id = "input.customer" }
  }
  step "reserve" {
    connector = "stock"
    operation = "POST /reservations"
    when      = "input.total > 50"
    body      = { item = "input.item" }
  }
  transform {
    name  = "step.customer.name"
    total = "input.total"
    shop  = "input.shop"
  }
  to {
    connector = "db"
    target    = "orders"
  }
  response { id = "output.id" }
  after {
    invalidate {
      storage = "kept"
      keys    = ["orders"]
    }
  }
}
flow "broken" {
  from {
    connector = "api"
    operation = "POST /broken"
  }
  transform {
    twice = "input.n * 2"
    half  = "input.gone / 2"
  }
}
flow "remote" {
  from {
    connector = "api"
    operation = "GET /remote"
  }
  to {
    connector = "away"
    operation = "GET /x"
  }
}
flow "guarded" {
  from {
    connector = "api"
    operation = "GET /guarded"
  }
  require { roles = ["admin"] }
  response { who = "auth.user_id" }
}
flow "paid" {
  from {
    connector = "api"
    operation = "POST /paid"
  }
  to {
    connector = "db"
    transaction {
      exec {
        query   = "SELECT count(*) FROM orders"
        capture = "before"
      }
      exec {
        query  = "DELETE FROM customers WHERE id = :id"
        params = { id = "input.id" }
      }
    }
  }
}
`;

/** Gives a service with a database, and another one that counts what it is sent, to `use`. */
async function withService(
  use: (service: {
    trace(words: readonly string[], input?: string): ReturnType<typeof typed>;
    orders(): unknown[];
    customers(): unknown[];
    readonly received: string[];
  }) => Promise<void>,
) {
  const received: string[] = [];
  const server = createServer((request, response) => {
    if (request.method !== 'HEAD') received.push(`${request.method} ${request.url}`);
    response.setHeader('content-type', 'application/json').end('{"reserved":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stock = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await inDirectory({ 'main.hcl': configuration }, async (directory) => {
      const database = new DatabaseSync(join(directory, 'orders.db'));
      database.exec('CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)');
      database.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT, total REAL, shop TEXT)');
      database.exec("INSERT INTO customers VALUES (1, 'Ada')");
      try {
        await use({
          received,
          orders: () => database.prepare('SELECT name, total, shop FROM orders').all(),
          customers: () => database.prepare('SELECT name FROM customers').all(),
          trace: async (words, input) => {
            const result = await typed(['trace', ...words], directory, { STOCK: stock }, input);
            return { ...result, out: result.out.replace(/\d+\.\d+ ms/g, 'N ms') };
          },
        });
      } finally {
        database.close();
      }
    });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const order = '{"kind": "order", "total": 60, "customer": 1, "item": "tea"}';

describe('svc trace', () => {
  test.each(['text', 'json'])('shows no credential of the message or the environment, as %s', async (format) => {
    const flow = `connector "api" {
  type = "rest"
}
connector "stock" {
  type     = "http"
  base_url = env("STOCK")
  headers  = { "X-Key" = env("KEY") }
}
flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  transform {
    tok   = "input.headers.authorization"
    part  = "input.headers.authorization.split(' ')[1]"
    upper = "upper(output.part)"
    key   = "env('KEY')"
    back  = "env('KEY').reverse()"
    name  = "input.name"
  }
  to {
    connector = "stock"
    operation = "POST /z"
  }
}
`;
    const planted = 'Zq8vPlantedSecretKx';
    await inDirectory({ 'main.hcl': flow }, async (directory) => {
      const input = JSON.stringify({ name: 'Ada', headers: { authorization: `Bearer ${planted}` } });
      const variables = { STOCK: 'http://127.0.0.1:1', KEY: 'Mw5KeptElsewhereQd' };
      for (const more of [[], ['--dry-run']]) {
        const words = ['trace', 'f', '--input', input, '--format', format, ...more];
        const { out, error } = await typed(words, directory, variables);
        expect(out).toContain('Ada');
        expect(`${out}${error}`).not.toMatch(/zq8v|planted|secretkx|mw5k|elsewhere|dqerehwesle/i);
      }
    });
  });

  test('shows every stage with what its rules gave, and the answer', async () => {
    await withService(async ({ trace, orders, received }) => {
      expect(await trace(['create_order', '--input', order, '--params', 'shop=north'])).toEqual({
        status: 0,
        error: '',
        out: `flow "create_order"  main.hcl:21

 1  input            N ms
      → {"headers":{},"kind":"order","total":60,"customer":1,"item":"tea","shop":"north"}
 2  sanitize         N ms
 3  filter           N ms
      filter  input.kind == 'order'  = true  N ms
 4  accept           N ms
      when  input.total > 5 && !has(input.test)  = true  N ms
 5  validate_input   N ms
 6  step customer    N ms
      params.id  input.customer  = 1  N ms
      → {"name":"Ada"}
 7  step reserve     N ms
      when       input.total > 50  = true  N ms
      body.item  input.item  = "tea"  N ms
      → {"reserved":true}
 8  transform        N ms
      name   step.customer.name  = "Ada"  N ms
      total  input.total  = 60  N ms
      shop   input.shop  = "north"  N ms
      → {"name":"Ada","total":60,"shop":"north"}
 9  write db         N ms
      → {"id":1,"affected":1}
10  response         N ms
      id  output.id  = 1  N ms
      → {"id":1}
11  validate_output  N ms

answered in N ms
  {"id":1}
`,
      });
      expect(orders()).toEqual([{ name: 'Ada', total: 60, shop: 'north' }]);
      expect(received).toEqual(['POST /reservations']);
    });
  });

  test('R-35: a drop names its block, its expression and the values that decided', async () => {
    await withService(async ({ trace, orders }) => {
      const dropped = await trace(['create_order', '--input', '{"kind": "order", "total": 3}']);
      expect(dropped).toMatchObject({ status: 0, error: '' });
      expect(dropped.out).toContain(` 4  accept           N ms  dropped
      when  input.total > 5 && !has(input.test)  = false  N ms
 5  validate_input   skipped
 6  step customer    skipped
`);
      expect(dropped.out).toContain(`
dropped by accept in N ms: input.total > 5 && !has(input.test)
  input.total = 3
  input.test = "(absent)"
  reason accept, disposition ack
`);
      expect(orders()).toEqual([]);
    });
  });

  test('a step that is left out is marked; a failure says where and ends with 1', async () => {
    await withService(async ({ trace }) => {
      const small = '{"kind": "order", "total": 9, "customer": 1}';
      const { out } = await trace(['create_order', '--input', small, '--params', 'shop=a,spare=b=c']);
      expect(out).toContain(' 7  step reserve     skipped\n      when  input.total > 50  = false  N ms\n 8  transform');
      expect(await trace(['broken', '--input', '{"n": 2}'])).toEqual({
        status: 1,
        error: '',
        out: `flow "broken"  main.hcl:56

 1  input            N ms
      → {"headers":{},"n":2}
 2  sanitize         N ms
 3  validate_input   N ms
 4  transform        N ms  failed
      twice  input.n * 2  = 4  N ms
      half   input.gone / 2  ! transform: half: no such key: gone (main.hcl:63)  N ms
 5  validate_output  skipped

failed: expression_failed in N ms, stage transform (main.hcl:63)
  transform: half: no such key: gone
`,
      });
    });
  });

  test('only what the flow uses is opened; what cannot be reached is reported', async () => {
    await withService(async ({ trace }) => {
      expect(await trace(['guarded', '--auth', '{"user_id": "u1", "roles": ["admin"]}'])).toMatchObject({
        status: 0,
        out: expect.stringContaining('{"who":"u1"}'),
      });
      const refused = await trace(['guarded', '--auth', '{"user_id": "u1"}']);
      expect(refused.status).toBe(1);
      expect(refused.out).toContain('forbidden: the caller lacks the role "admin"\n');
      const { status, out, error } = await trace(['remote']);
      expect([status, out]).toEqual([1, expect.stringMatching(/^$|failed: connector_refused/)]);
      expect(out + error).toContain('away');
    });
  });

  test('JSON shows the same', async () => {
    await withService(async ({ trace }) => {
      const { out } = await trace(['broken', '--input', '{"n": 2}', '--format', 'json']);
      const { run, outcome, dryRun, flow } = JSON.parse(out);
      expect({ flow, dryRun }).toEqual({ flow: 'broken', dryRun: false });
      expect(run.stages[3]).toEqual({
        stage: 'transform',
        name: '',
        at: 'main.hcl:61',
        state: 'failed',
        durationUs: expect.any(Number),
        rules: [
          { target: 'twice', expression: 'input.n * 2', at: 'main.hcl:62', durationUs: expect.any(Number), value: 4 },
          {
            target: 'half',
            expression: 'input.gone / 2',
            at: 'main.hcl:63',
            durationUs: expect.any(Number),
            error: 'transform: half: no such key: gone',
          },
        ],
        error: 'transform: half: no such key: gone',
        simulated: [],
        flows: [],
      });
      expect(outcome).toEqual({
        kind: 'failure',
        code: 'expression_failed',
        message: 'transform: half: no such key: gone',
        stage: 'transform',
        connector: '',
        at: 'main.hcl:63',
        fields: [],
      });
    });
  });

  test('lists the flows', async () => {
    await withService(async ({ trace }) => {
      expect(await trace(['--list'])).toEqual({
        status: 0,
        error: '',
        out: `create_order  api POST /shops/:shop/orders → db
broken        api POST /broken
remote        api GET /remote → away
guarded       api GET /guarded
paid          api POST /paid → db
`,
      });
    });
  });

  test.each([
    [[], 'name a flow; svc trace --list shows them'],
    [['creat_order'], 'there is no flow "creat_order"; did you mean "create_order"?'],
    [['broken', '--input', '['], /^the input is not valid JSON: /],
    [['broken', '--input', '[1]'], 'the input is a JSON object such as {"id": 1}'],
    [['broken', '--input', '@nowhere.json'], /nowhere\.json cannot be read: ENOENT: /],
    [['broken', '--input', '{}', '--input-file', 'x'], 'give the input once: --input or --input-file'],
    [['broken', '--params', 'x'], '--params takes NAME=VALUE, not "x"'],
    [['broken', '--auth', '{"role": "admin"}'], /^auth has no "role"; it has authenticated, /],
    [['broken', '--auth', '{"roles": "admin"}'], 'auth: "roles" has the wrong type'],
    [['broken', '--break-at', 'read'], /^flow "broken" has no stage "read"; /],
    [['broken', '--break-at', 'transform#third'], 'stage "transform" has no rule "third"; it has twice, half'],
    [['broken', '--break-at', 'transform if input.('], /^transform if input\.\(: the condition does not compile: /],
    [['broken', '--dap', '0', '-e', 'staging'], '--dap is for development; this is staging'],
    [['broken', '--dap', 'x'], '--dap is a port from 0 to 65535, not "x"'],
    [['broken', '--breakpoints', '-e', 'production'], '--breakpoints is for development; this is production'],
  ])('%j is wrong usage', async (words, message) => {
    await withService(async ({ trace }) => {
      const { status, out, error } = await trace(words);
      expect([status, out]).toEqual([2, '']);
      const [said] = error.slice('svc trace: '.length).split('\n');
      if (typeof message === 'string') expect(said).toBe(message);
      else expect(said).toMatch(message);
    });
  });
});

describe('a dry run', () => {
  test('reads, changes nothing and sends nothing, and answers with what it would have written', async () => {
    await withService(async ({ trace, orders, received }) => {
      const { status, out, error } = await trace(['create_order', '--dry-run', '--input', order, '--params', 'shop=x']);
      expect({ status, error }).toEqual({ status: 0, error: '' });
      expect(out).toContain(` 6  step customer    N ms
      params.id  input.customer  = 1  N ms
      → {"name":"Ada"}
 7  step reserve     N ms  [dry-run]
      when       input.total > 50  = true  N ms
      body.item  input.item  = "tea"  N ms
      [dry-run] stock: POST /reservations not done: {"dry_run":true,"operation":"POST /reservations","payload":{"item":"tea"}}
`);
      expect(out).toContain(' 9  write db         N ms  [dry-run]\n');
      expect(out).toContain(
        `answered in N ms
  {"dry_run":true,"operation":"create","target":"orders","payload":{"name":"Ada","total":60,"shop":"x"}}
  note: response could not be computed, as nothing was written: response: id: no such key: id
`,
      );
      expect([orders(), received]).toEqual([[], []]);
    });
  });

  test('statements of a transaction that change something are not sent', async () => {
    await withService(async ({ trace, customers }) => {
      const { status, out } = await trace(['paid', '--dry-run', '--input', '{"id": 1}']);
      expect(status).toBe(0);
      expect(out).toContain('[dry-run] db: transaction not done: {"dry_run":true,"operation":"transaction",');
      expect(out).toContain('"captured":{"before":0}');
      expect(customers()).toEqual([{ name: 'Ada' }]);
    });
  });
});

describe('stepping', () => {
  const stops = (error: string) => error.split('\n').filter((line) => line.includes('stopped before'));

  test('stops where it is asked to, shows the line, evaluates, and continues by stages and rules', async () => {
    await withService(async ({ trace, orders }) => {
      const typedIn = 'p input.total * 2.0\np nope\np input.nope\ns\np\nv\nw\nn\nc\n';
      const { status, out, error } = await trace(
        ['create_order', '--break-at', 'transform', '--input', order, '--params', 'shop=x'],
        typedIn,
      );
      expect(status).toBe(0);
      expect(out).toContain('{"id":1}');
      expect(stops(error)).toEqual([
        'stopped before transform (breakpoint)',
        '(svc) stopped before transform, rule 0 name (stepInto)',
        '(svc) stopped before transform, rule 0 name (stepInto)',
        '(svc) stopped before write db (step)',
      ]);
      expect(error).toContain('  --> main.hcl:39\n  39 |   transform {\n(svc) 120  (double)\n');
      expect(error).toContain('  --> main.hcl:40\n  40 |     name  = "step.customer.name"\n');
      expect(error).toContain('"Ada"  (string)\n');
      expect(error).toContain('(svc) there is no variable "nope" here\n(svc) no such key: nope\n');
      expect(error).toContain('  step     = {"customer":{"name":"Ada"},"reserve":{"reserved":true}}\n');
      expect(orders()).toHaveLength(1);
    });
  });

  test('breakpoints are added and removed, with conditions', async () => {
    await withService(async ({ trace }) => {
      const { status, error } = await trace(
        ['broken', '--breakpoints', '--input', '{"n": 2}'],
        'b\nbreak add transform#half if input.n > 5.0\nbreak add transform#1 if input.n > 1.0\nbreak add write\nbreak remove 1\nbreak remove 7\nfoo\nh\nc\nc\n',
      );
      expect(status).toBe(1);
      expect(stops(error)).toEqual([
        'stopped before input (breakpoint)',
        '(svc) stopped before transform, rule 1 half (breakpoint)',
      ]);
      for (const said of [
        '  1  input\n  2  transform#1 if input.n > 5.0\n',
        'flow "broken" has no stage "write"; it passes ',
        '(svc)   1  transform#1 if input.n > 5.0\n  2  transform#1 if input.n > 1.0\n',
        'there is no breakpoint 7\n',
        'there is no command "foo"; h lists them\n',
        'q, quit',
      ])
        expect(error).toContain(said);
    });
  });

  test.each(['q\n', ''])('%j ends the flow where it is, with 0', async (typedIn) => {
    await withService(async ({ trace, orders, received }) => {
      const { status, out } = await trace(
        ['create_order', '--break-at', 'write,validate', '--input', order, '--params', 'shop=x'],
        `c\n${typedIn}`,
      );
      expect([status, out]).toEqual([0, '']);
      expect([orders(), received]).toEqual([[], ['POST /reservations']]);
    });
  });
});

describe('batches, transitions and schedules', () => {
  const files = {
    'main.hcl': `connector "api" {
  type = "rest"
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "./a.db"
}
state_machine "ticket" {
  initial = "open"
  state "open" {
    on "close" {
      transition_to = "closed"
    }
  }
  state "closed" {
    final = true
  }
}
flow "copy" {
  from {
    connector = "api"
    operation = "POST /copy"
  }
  batch {
    source     = "db"
    query      = "SELECT id FROM tickets ORDER BY id"
    chunk_size = 1
    transform {
      twice = "input.id * 2"
    }
    to {
      connector = "db"
      target    = "copies"
    }
  }
}
flow "close" {
  when = "@every 1h"
  state_transition {
    connector = "db"
    machine   = "ticket"
    entity    = "tickets"
    id        = "input.id"
    event     = "'close'"
  }
}
`,
  };

  async function withTickets(use: (directory: string) => Promise<void>) {
    await inDirectory(files, async (directory) => {
      const database = new DatabaseSync(join(directory, 'a.db'));
      database.exec('CREATE TABLE tickets (id INTEGER PRIMARY KEY, status TEXT)');
      database.exec('CREATE TABLE copies (id INTEGER PRIMARY KEY, twice INTEGER)');
      database.exec("INSERT INTO tickets VALUES (1, 'open'), (2, '')");
      database.close();
      await use(directory);
    });
  }

  test('chunks are shown where they are written, and none of them is passed over', async () => {
    await withTickets(async (directory) => {
      const { status, out } = await typed(['trace', 'copy', '--dry-run', '--format', 'json'], directory);
      const { run } = JSON.parse(out) as {
        run: { stages: { stage: string; name: string; state: string; at: string }[] };
      };
      const chunks = run.stages.filter(({ stage }) => stage === 'transform');
      expect({ status, chunks }).toMatchObject({
        status: 0,
        chunks: [
          { name: 'chunk 1', state: 'done', at: 'main.hcl:25' },
          { name: 'chunk 2', state: 'done', at: 'main.hcl:25' },
        ],
      });
      const { error } = await typed(['trace', 'copy', '--break-at', 'transform:chunk#0'], directory, {}, 'c\nc\n');
      expect(error).toContain('stopped before transform chunk 1, rule 0 twice (breakpoint)\n  --> main.hcl:30');
    });
  });

  test('a dry run passes a transition, and leaves the entity as it is', async () => {
    await withTickets(async (directory) => {
      const { status, out } = await typed(['trace', 'close', '--dry-run', '--input', '{"id": 1}'], directory);
      expect({ status, out }).toEqual({
        status: 0,
        out: expect.stringContaining('"current_state":"closed"'),
      });
      const database = new DatabaseSync(join(directory, 'a.db'));
      expect(database.prepare('SELECT status FROM tickets WHERE id = 1').get()).toEqual({ status: 'open' });
      database.close();
    });
  });

  test('the list shows when flows run', async () => {
    await withTickets(async (directory) => {
      const { out } = await typed(['trace', '--list'], directory);
      expect(out).toBe('copy   api POST /copy\nclose  @every 1h\n');
    });
  });
});
