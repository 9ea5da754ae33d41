import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { runCommand } from '../../../test/support/service.ts';
import { ask } from '../../example.ts';
import { describeInBrowser, test } from '../journey.ts';
import { Debugger } from '../pages/debugger.ts';
import { pollOptions } from '../pages/poll-options.ts';

const files: Readonly<Record<string, string>> = {
  'service.hcl': `service {
  name       = "shop"
  admin_port = env("ADMIN_PORT", "9090")
}

connector "api" {
  type = "rest"
  port = env("PORT", "3000")
}

connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "shop.db"
}
`,
  'migrations/001_shop.sql': `CREATE TABLE items (id INTEGER PRIMARY KEY, sku TEXT, quantity INTEGER);
CREATE TABLE copies (id INTEGER PRIMARY KEY, sku TEXT);
CREATE TABLE audit (id INTEGER PRIMARY KEY, what TEXT);
CREATE TABLE tickets (id INTEGER PRIMARY KEY, status TEXT);
INSERT INTO items (sku, quantity) VALUES ('A', 1), ('B', 2), ('C', 3);
INSERT INTO tickets (status) VALUES ('open');
`,
  'flows/create-item.hcl': `flow "create_item" {
  from {
    connector = "api"
    operation = "POST /items"
  }
  lock {
    key = "'sku:' + input.sku"
    storage {
      driver = "memory"
    }
  }
  to {
    connector = "db"
    target    = "items"
  }
}
`,
  'flows/copy-items.hcl': `flow "copy_items" {
  from {
    connector = "api"
    operation = "POST /copies"
  }
  batch {
    source     = "db"
    query      = "SELECT * FROM items ORDER BY id"
    chunk_size = 2
    transform {
      sku = "lower(input.sku)"
    }
    to {
      connector = "db"
      target    = "copies"
    }
  }
}
`,
  'flows/move-ticket.hcl': `flow "move_ticket" {
  from {
    connector = "api"
    operation = "POST /tickets/:id/:event"
  }
  state_transition {
    connector = "db"
    machine   = "ticket"
    entity    = "tickets"
    id        = "input.id"
    event     = "input.event"
  }
}
`,
  'flows/clean-up.hcl': `flow "clean_up" {
  when = "30 2 * * *"
  to {
    connector = "db"
    query     = "DELETE FROM audit"
  }
}
`,
  'aspects/audit.hcl': `aspect "audit" {
  on   = ["create_*"]
  when = "after"
  action {
    connector = "db"
    operation = "INSERT"
    target    = "audit"
    transform {
      what = "_flow + ' ' + input.sku"
    }
  }
}
`,
  'sagas/buy.hcl': `saga "buy" {
  from {
    connector = "api"
    operation = "POST /purchases"
  }
  step "hold" {
    action {
      connector = "db"
      operation = "INSERT"
      target    = "copies"
      data      = { sku = "input.sku" }
    }
    compensate {
      connector = "db"
      operation = "DELETE"
      target    = "copies"
      where     = { id = "step.hold.id" }
    }
  }
}
`,
  'state_machines/ticket.hcl': `state_machine "ticket" {
  initial = "open"
  state "open" {
    on "close" {
      transition_to = "closed"
      guard         = "input.id != '0'"
    }
  }
  state "closed" {
    final = true
  }
}
`,
};

function written(): { readonly directory: string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), 'svc-shop-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** Where a breakpoint is set, the request that reaches it, and where the flow is suspended then. */
const stops = [
  ['flows/create-item.hcl', '    key ', '/items', 'create_item: lock, key'],
  ['aspects/audit.hcl', '      what ', '/items', 'create_item: aspect audit, what'],
  ['flows/copy-items.hcl', '      sku ', '/copies', 'copy_items: transform chunk, sku'],
  ['sagas/buy.hcl', '      data ', '/purchases', 'buy: step hold.action, data.sku'],
  [
    'state_machines/ticket.hcl',
    '      guard ',
    '/tickets/1/close',
    'move_ticket: state_transition ticket, open.close: guard',
  ],
] as const;

describeInBrowser('a service of every kind of block', () => {
  test('is shown, and stops in aspects, batches, sagas, locks and transitions', async ({ open }) => {
    const { directory, remove } = written();
    expect(await runCommand(['migrate', '-c', directory])).toMatchObject({ code: 0 });
    const { page, workbench, service } = await open({ directory });
    await workbench.ready();
    await workbench.expectProblems('no problems');
    await workbench.open('service.hcl');
    const show = page.getByRole('group', { name: 'What to show' });
    await show.getByRole('button', { name: 'Canvas' }).click();
    for (const flow of ['create_item', 'copy_items', 'move_ticket', 'clean_up', 'buy'])
      await page.locator('.flow-node').filter({ hasText: flow }).waitFor();
    await show.getByRole('button', { name: 'Text' }).click();

    const own = new Debugger(page);
    await own.start();
    for (const [file, text, path, place] of stops) {
      const editor = await workbench.open(file);
      await editor.goBehind(text);
      await page.keyboard.press('F9');
      await workbench.expectSaid(/^Breakpoint set at line/);
      const answer = ask('POST', `${service}${path}`, { sku: 'X', quantity: 1 });
      await own.expectAt(place);
      await expect
        .poll(() => editor.widget.locator('.reading').count(), { ...pollOptions, message: place })
        .toBeGreaterThan(0);
      expect(await editor.widget.getByText('not in the running version').count()).toBe(0);
      await editor.goBehind(text);
      await page.keyboard.press('F9');
      await workbench.expectSaid(/^Breakpoint removed at line/);
      await page.keyboard.press('F5');
      expect(await answer).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) });
    }
    remove();
  });
});
