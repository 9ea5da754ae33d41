import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startText, type TextService } from '../../service/running/testing/text-service.ts';
import { type TestServer, testServer } from '../database/mongodb/testing/server.ts';
import { MysqlDatabase, mysqlUrl } from '../database/mysql/testing/database.ts';
import { postgresUrl, TestDatabase } from '../database/testing/postgres.ts';

const params = `
      param "id" {
        type     = "integer"
        required = true
        max      = 1000
      }
      param "title" {
        default = "none"
      }
      output = "book"`;

const relational = (name: string, driver: string, address: string) => `
  profile "${name}" {
    type   = "database"
    driver = "${driver}"
    ${address}
    operation "prepare" {
      query = "CREATE TABLE books (id INTEGER PRIMARY KEY, title VARCHAR(50))"
    }
    operation "add" {
      query = "INSERT INTO books (id, title) VALUES (:id, :title)"${params.replace('output = "book"', 'input = "added"')}
    }
    operation "find" {
      query = "SELECT id, title FROM books WHERE id = :id AND :title = :title"${params}
    }
    operation "books" {
      table = "books"
      param "id" {
        type = "integer"
      }
    }
  }`;

const mongodb = (uri: string, database: string) => `
  profile "mongodb" {
    type     = "database"
    driver   = "mongodb"
    uri      = "${uri}"
    database = "${database}"
    operation "prepare" {
      collection = "books"
      query      = "[]"
    }
    operation "add" {
      collection = "books"
      action     = "INSERT"${params.replace('output = "book"', 'input = "added"')}
    }
    operation "find" {
      collection = "books"
      query      = "[{\\"$match\\": {\\"id\\": \\":id\\"}}, {\\"$project\\": {\\"_id\\": 0, \\"id\\": 1, \\"title\\": 1}}]"${params}
    }
    operation "books" {
      collection = "books"
      param "id" {
        type = "integer"
      }
    }
  }`;

const flows = (profile: string) => `
connector "api" {
  type = "rest"
  port = env("PORT")
}
type "book" {
  id    = number
  title = string({ min_length = 3 })
}
type "added" {
  id    = number({ min = 5 })
  title = string
}
connector "store" {
  default = "${profile}"
  select  = "string(has(input.with) ? input.with : '')"
PROFILES
}
flow "prepare" {
  from {
    connector = "api"
    operation = "POST /prepare"
  }
  step "made" {
    connector = "store"
    operation = "prepare"
  }
  response {
    ok = "true"
  }
}
flow "add" {
  from {
    connector = "api"
    operation = "POST /books"
  }
  step "added" {
    connector = "store"
    operation = "add"
    params    = { id = "input.id", title = "input.title" }
  }
  response {
    ok = "true"
  }
}
flow "find" {
  from {
    connector = "api"
    operation = "GET /books/:id"
  }
  step "found" {
    connector = "store"
    operation = "find"
    params    = { id = "input.id" }
  }
  response {
    book = "step.found"
  }
}
flow "read" {
  from {
    connector = "api"
    operation = "GET /read/:id"
  }
  to {
    connector = "store"
    operation = "find"
  }
}
flow "rows" {
  from {
    connector = "api"
    operation = "GET /rows"
  }
  to {
    connector = "store"
    operation = "books"
  }
}
`;

const text = (profile: string, profiles: string) => flows(profile).replace('PROFILES', profiles);

interface Place {
  readonly profile: string;
  end(): Promise<unknown>;
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  sqlite: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-profile-'));
    return {
      profile: relational('sqlite', 'sqlite', `database = "${join(folder, 'a.db')}"`),
      end: async () => rmSync(folder, { recursive: true }),
    };
  },
  postgres: async () => {
    const database = new TestDatabase();
    await database.create();
    return { profile: relational('postgres', 'postgres', `url = "${database.url}"`), end: () => database.drop() };
  },
  mysql: async () => {
    const database = new MysqlDatabase();
    await database.create();
    return { profile: relational('mysql', 'mysql', `url = "${database.url}"`), end: () => database.drop() };
  },
  mongodb: async () => {
    const server: TestServer = await testServer();
    const uri = `mongodb://${server.credentials}${server.host}:${server.port}/?directConnection=true`;
    return { profile: mongodb(uri, server.name), end: () => server.stop() };
  },
};
const absent = new Set([
  ...(postgresUrl === undefined ? ['postgres'] : []),
  ...(mysqlUrl === undefined ? ['mysql'] : []),
]);

for (const [name, make] of Object.entries(places))
  describe.skipIf(absent.has(name))(`operations of a profile of ${name}`, () => {
    let place: Place;
    let service: TextService;
    beforeAll(async () => {
      place = await make();
      service = await startText(text(name, place.profile));
      expect((await service.ask('POST', '/prepare', {})).status).toBe(200);
    });
    afterAll(async () => {
      await service?.stop();
      await place?.end();
    });

    test('values are converted, defaults filled and constraints checked, each by the profile that is asked', async () => {
      expect(await service.ask('POST', '/books', { id: '7', title: '' })).toEqual({ status: 200, body: { ok: true } });
      const book = { id: 7, title: 'none' };
      expect(await service.ask('GET', '/books/7')).toEqual({ status: 200, body: { book } });
      expect(await service.ask('GET', '/read/7')).toEqual({ status: 200, body: [book] });
      expect(await service.ask('GET', '/rows?id=8')).toEqual({ status: 200, body: [] });
      expect(await service.ask('GET', '/rows?id=7')).toMatchObject({ status: 200, body: [book] });
      for (const path of ['/books/x', '/read/1001']) {
        const refused = await service.ask('GET', path);
        expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining('"id"')]);
      }
    });

    test('`input` and `output` hold what goes in and what comes back to their types', async () => {
      expect((await service.ask('POST', '/books', { id: 3, title: 'low' })).status).toBe(500);
      await service.ask('POST', '/books', { id: 9, title: 'no' });
      expect((await service.ask('GET', '/books/9')).status).toBe(500);
      expect((await service.ask('GET', '/rows?id=9')).status).toBe(200);
    });
  });

describe('profiles that are asked in different forms', () => {
  let folder: string;
  let service: TextService;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-profile-'));
    const cache = `
  profile "memory" {
    type   = "cache"
    driver = "memory"
    operation "keep" {
      key_pattern = "book:{id}"
      command     = "set"${params.replace('output = "book"', '')}
    }
    operation "find" {
      key_pattern = "book:{id}"
      param "id" {
        type = "integer"
        max  = 10
      }
    }
  }`;
    const rows = `
  profile "rows" {
    type     = "database"
    driver   = "sqlite"
    database = "${join(folder, 'a.db')}"
    operation "keep" {
      query = "INSERT INTO books (id, title) VALUES (:id, :title)"${params.replace('output = "book"', '')}
    }
    operation "find" {
      query = "SELECT id, title FROM books WHERE id = :id"
      param "id" {
        type = "integer"
        max  = 1000
      }
    }
    operation "prepare" {
      query = "CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT)"
    }
  }`;
    service = await startText(
      `
connector "api" {
  type = "rest"
  port = env("PORT")
}
connector "store" {
  default = "rows"
  select  = "has(input.with) ? input.with : ''"
${cache}
${rows}
}
flow "prepare" {
  from {
    connector = "api"
    operation = "POST /prepare"
  }
  step "made" {
    connector = "store"
    operation = "prepare"
  }
  response {
    ok = "true"
  }
}
flow "keep" {
  from {
    connector = "api"
    operation = "POST /books"
  }
  to {
    connector = "store"
    operation = "keep"
  }
}
flow "find" {
  from {
    connector = "api"
    operation = "GET /books/:id"
  }
  step "found" {
    connector = "store"
    operation = "find"
    params    = { id = "input.id" }
  }
  response {
    title = "step.found.title"
  }
}
flow "read" {
  from {
    connector = "api"
    operation = "GET /read/:id"
  }
  to {
    connector = "store"
    operation = "find"
  }
}`,
    );
    expect((await service.ask('POST', '/prepare', {})).status).toBe(200);
  });
  afterAll(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true });
  });

  test('each takes what the message gives from where its own form has it', async () => {
    expect((await service.ask('POST', '/books', { id: 5, title: 'row' })).status).toBe(200);
    expect((await service.ask('POST', '/books', { id: 5, title: 'entry', with: 'memory' })).status).toBe(200);
    expect((await service.ask('GET', '/books/5')).body).toEqual({ title: 'row' });
    expect((await service.ask('GET', '/books/5?with=memory')).body).toEqual({ title: 'entry' });
    expect((await service.ask('GET', '/read/5')).body).toEqual([{ id: 5, title: 'row' }]);
    expect((await service.ask('GET', '/read/5?with=memory')).body).toMatchObject({ title: 'entry' });
  });

  test('a value that one profile refuses is taken by another', async () => {
    expect((await service.ask('GET', '/books/11')).status).not.toBe(400);
    expect((await service.ask('GET', '/books/11?with=memory')).status).toBe(400);
  });
});
