import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordingLog } from '../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../test/support/folder.ts';
import { freePort } from '../../../../test/support/free-port.ts';
import { serviceOf } from '../index.ts';

const configuration = (lines: string, path: string) => `service {
  admin_port = env("ADMIN_PORT")
}
connector "api" {
  type = "rest"
  host = "127.0.0.1"
  port = 0
  ${lines}
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = ":memory:"
  operation "numbers" {
    query = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n LIMIT :limit OFFSET :offset"
    param "limit" {
      type    = "number"
      default = 2
    }
    param "offset" {
      type    = "number"
      default = 0
    }
  }
}
flow "numbers" {
  from {
    connector = "api"
    operation = "GET ${path}"
  }
  to {
    connector = "db"
    operation = "numbers"
  }
}
flow "one" {
  from {
    connector = "api"
    operation = "GET /one"
  }
  response {
    a = "1"
  }
}
`;

async function started(text: string, environment = 'development') {
  const directory = folderWith({ 'a.hcl': text });
  const service = serviceOf({
    directory,
    log: recordingLog(),
    environment,
    variables: { ADMIN_PORT: String(await freePort()) },
  });
  const { addresses } = await service.start();
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const { port } = addresses.get('api') as { readonly port: number };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  return { service, directory, ask };
}

test('R-85: what answers carry follows a reload of the connector, and of its flows alone', async () => {
  const on = 'etag = true\n  links = true\n  errors = "problem"\n  answer_formats = ["csv"]\n  openapi {}';
  const { service, directory, ask } = await started(configuration('', '/numbers'));
  const facts = async (path: string) => {
    const list = await ask(`${path}?limit=2`, { accept: 'text/csv' });
    const names = ['content-type', 'link', 'vary'] as const;
    const missing = await ask('/missing');
    const described = await ask('/openapi.json');
    return {
      list: names.map((name) => list.headers.get(name)),
      tagged: list.headers.has('etag'),
      missing: missing.headers.get('content-type'),
      paths: described.status === 200 ? Object.keys(JSON.parse(described.text).paths) : described.status,
    };
  };
  const plain = {
    list: ['application/json; charset=utf-8', null, null],
    tagged: false,
    missing: 'application/json; charset=utf-8',
    paths: 404,
  };
  const rich = (path: string) => ({
    list: ['text/csv; charset=utf-8', '<?limit=2&offset=0>; rel="first", <?limit=2&offset=2>; rel="next"', 'Accept'],
    tagged: true,
    missing: 'application/problem+json; charset=utf-8',
    paths: [path, '/one'].sort(),
  });
  const change = async (lines: string, path: string) => {
    writeFileSync(join(directory, 'a.hcl'), configuration(lines, path));
    await service.reload();
  };
  try {
    expect(await facts('/numbers')).toEqual(plain);
    await change(on, '/numbers');
    expect(await facts('/numbers')).toEqual(rich('/numbers'));
    await change(on, '/other');
    expect(await facts('/other')).toEqual(rich('/other'));
    await change('', '/numbers');
    expect(await facts('/numbers')).toEqual(plain);
    expect((await ask('/one?limit=1')).headers.get('link')).toBeNull();
  } finally {
    await service.stop();
  }
});

test('stages are timed in development, and nothing is in production', async () => {
  const text = configuration('server_timing = true', '/numbers');
  const timesOf = async (environment: string) => {
    const { service, ask } = await started(text, environment);
    try {
      return (await ask('/numbers')).headers.get('server-timing')?.replace(/dur=[\d.]+/g, 'dur=…');
    } finally {
      await service.stop();
    }
  };
  expect(await timesOf('development')).toMatch(/^total;dur=…, .*\bread;desc="[^"]*";dur=…/);
  expect(await timesOf('production')).toBeUndefined();
});
