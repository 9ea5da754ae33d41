import { execFile } from 'node:child_process';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { folderWith } from '../../../../test/support/folder.ts';

const census = join(import.meta.dirname, 'testing', 'program.ts');

/** Everything in a generation that can hold references: servers, stores, guards, schedules, sagas, aspects. */
const service = `service {
  name       = "census"
  admin_port = 0

  rate_limit {
    requests_per_second = 100000
    burst               = 100000
  }
  workflow {
    storage = "db"
  }
}
connector "api" {
  type = "rest"
  port = 0
}
connector "guarded" {
  type = "rest"
  port = 0
  host = "127.0.0.1"
  auth {
    type = "api_key"
    keys = ["a-key-of-32-characters-or-longer"]
  }
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "things.db"
}
connector "inbox" {
  type           = "file"
  base_path      = "inbox"
  watch_interval = "100ms"
  watch {
    done   = "done"
    failed = "failed"
  }
}
connector "cache" {
  type        = "cache"
  driver      = "memory"
  max_items   = 100
  default_ttl = "1m"
}
connector "peer" {
  type     = "http"
  base_url = "http://127.0.0.1:1"
  health   = "optional"
  auth {
    type          = "client_credentials"
    token_url     = "http://127.0.0.1:1/token"
    client_id     = "census"
    client_secret = "census"
  }
  circuit_breaker {
  }
  hedge {
    after = "1s"
  }
  cache {
    storage = "cache"
  }
}
auth {
  preset   = "strict"
  base_url = "https://census.example.test"
  oidc "company" {
    issuer    = "https://127.0.0.1:1"
    client_id = "census"
  }
  provider "elsewhere" {
    type     = "http"
    validate = "http://127.0.0.1:1/validate?token={token}"
    response {
      success = "status == 200"
      user_id = "body.sub"
    }
  }
  users {
    connector = "db"
  }
  audit {
    connector = "db"
  }
  security {
    rate_limit {
      key_by = "user"
    }
  }
  hooks {
    after_login {
      flow = "often"
    }
  }
}
`;
const changing = `connector "changed_peer" {
  type     = "http"
  base_url = "http://127.0.0.1:1"
  health   = "optional"
  headers  = { X-Generation = "generation 0" }
  auth {
    type          = "client_credentials"
    token_url     = "http://127.0.0.1:1/token"
    client_id     = "census"
    client_secret = "census"
  }
  circuit_breaker {
  }
  hedge {
    after = "1s"
  }
  cache {
  }
}
connector "changed_inbox" {
  type           = "file"
  base_path      = "changed-inbox"
  csv_comment    = "generation 0"
  watch_interval = "100ms"
  watch {
    done    = "done"
    failed  = "failed"
    workers = 4
  }
}
flow "take" {
  from {
    connector = "inbox"
  }
  transform {
    path       = "'inbox/' + input._path"
    generation = "'generation 0'"
  }
  to {
    connector = "db"
    target    = "taken"
  }
}
flow "take_of_changed" {
  from {
    connector = "changed_inbox"
  }
  transform {
    path       = "'changed-inbox/' + input._path"
    generation = "'generation 0'"
  }
  to {
    connector = "db"
    target    = "taken"
  }
}
flow "get_thing" {
  from {
    connector = "api"
    operation = "GET /things/:id"
  }
  cache {
    storage = "cache"
    ttl     = "1m"
    key     = "thing:\${input.id}"
  }
  lock {
    key = "input.id"
  }
  semaphore {
    key   = "'things'"
    max_permits = 10
  }
  step "row" {
    connector = "db"
    query     = "SELECT :id AS id"
    params    = { id = "input.id" }
  }
  transform {
    id   = "input.id"
    name = "'generation 0'"
  }
}
flow "add_thing" {
  from {
    connector = "api"
    operation = "POST /things"
  }
  dedupe {
    cache       = "cache"
    key         = "input.name"
    fingerprint {
      name = "input.name"
    }
  }
  to {
    connector = "db"
    query     = "INSERT INTO things (name) VALUES (:name)"
  }
}
flow "secret" {
  from {
    connector = "api"
    operation = "GET /secret"
  }
  step "other" {
    connector = "db"
    query     = "SELECT 1 AS one"
  }
  response {
    text = "'generation 0'"
  }
}
flow "nightly" {
  when {
    schedule = "0 3 * * *"
    storage  = "db"
  }
  transform {
    text = "'generation 0'"
  }
}
flow "often" {
  when = "@every 1h"
  transform {
    text = "'often'"
  }
}
saga "rent" {
  from {
    connector = "guarded"
    operation = "POST /rentals"
  }
  step "hold" {
    action {
      connector = "db"
      query     = "INSERT INTO things (name) VALUES ('generation 0')"
    }
    delay = "1h"
  }
}
aspect "calm" {
  on   = ["add_*"]
  when = "before"
  rate_limit {
    key                 = "'everyone'"
    requests_per_second = 1000
    burst               = 1000
  }
}
aspect "marked" {
  on   = ["get_*"]
  when = "after"
  response {
    headers = { X-Generation = "generation 0" }
  }
}
aspect "breaker" {
  on   = ["secret"]
  when = "around"
  circuit_breaker {
    name              = "secrets"
    failure_threshold = 5
    timeout           = "10s"
  }
}
`;

/** Reloads after which the heap is looked at. */
const moments = [20, 35, 50] as const;

/** Folders whose files the service takes. The connector of the second one is another one with each reload. */
const inboxes = ['inbox', 'changed-inbox'] as const;

test('R-85: the heap holds at most two generations after 50 reloads, and nothing grows with each of them; every file of a watched folder is handled once', async () => {
  const directory = folderWith({ 'service.hcl': service, 'changing.hcl': changing });
  const database = new DatabaseSync(join(directory, 'things.db'));
  database.exec('CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT)');
  database.exec('CREATE TABLE taken (path TEXT, generation TEXT)');
  database.close();
  for (const inbox of inboxes) await mkdir(join(directory, inbox));
  const args = [census, directory, inboxes.join(), ...moments.map(String)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
  const [first, second, third] = JSON.parse(stdout) as [Counts, Counts, Counts];
  expect(third['object Generation']).toBeLessThanOrEqual(2);
  const grown = Object.keys(third).filter(
    (name) => grew(first, second, name, moments[1] - moments[0]) && grew(second, third, name, moments[2] - moments[1]),
  );
  expect(grown).toEqual([]);
  const put = inboxes.flatMap((inbox) =>
    Array.from({ length: moments[2] * 2 }, (_, at) => `${inbox}/${(at >> 1) + 1}-${at & 1}.json`),
  );
  expect(takenIn(directory)).toEqual(put.toSorted());
  const names = await Promise.all(inboxes.map((inbox) => readdir(join(directory, inbox))));
  expect(names).toEqual(inboxes.map(() => ['done']));
  await rm(directory, { recursive: true, force: true });
});

/** Paths of the files that flows have handled, as often as they did. */
function takenIn(directory: string): readonly unknown[] {
  const database = new DatabaseSync(join(directory, 'things.db'));
  const rows = database.prepare('SELECT path FROM taken').all();
  database.close();
  return rows.map(({ path }) => path).toSorted();
}

/** Objects and functions by name. */
type Counts = Readonly<Record<string, number>>;

function grew(before: Counts, after: Counts, name: string, reloads: number): boolean {
  return (after[name] ?? 0) - (before[name] ?? 0) >= reloads;
}
