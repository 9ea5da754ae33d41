import { loadProject } from '@svc/protocol/model';
import { describe, expect, test } from 'vitest';
import { vocabulary } from '../../vocabulary.ts';
import { workerRules } from './workers.ts';

const service = (storage: string) => `connector "api" {
  type = "rest"
  port = 3000
}
connector "local" {
  type = "cache"
  driver = "memory"
}
connector "shared" {
  type = "cache"
  driver = "redis"
  url = "redis://127.0.0.1:6379"
}
connector "company" {
  type = "oauth"
  driver = "oidc"
  issuer = "https://id.example.test"
  client_id = "shop"
  redirect_uri = "https://shop.example.test/callback"
  ${storage}
}
flow "connect" {
  from {
    connector = "api"
    operation = "GET /connect"
  }
  to {
    connector = "company"
    operation = "authorize"
  }
}`;

const host = { env: () => undefined, readFile: () => '', absolutePath: (path: string) => path };

function refused(storage: string, workers: number): readonly string[] {
  const files = [{ path: 'service.hcl', text: service(storage) }];
  const surroundings = { vocabulary, host, expressionFunctions: [] };
  return loadProject(files, surroundings, workerRules(workers)).diagnostics.flatMap(({ code, message, severity }) =>
    severity === 'error' ? [`${code}: ${message}`] : [],
  );
}

describe('A-16: what begins at one worker and may end at another one', () => {
  const problem =
    'memory-with-workers: what connector "company" has begun is kept in the memory of each worker, so it cannot end at another one';

  test.each([
    ['', 2, [problem]],
    ['storage = "local"', 2, [problem]],
    ['storage = "shared"', 2, []],
    ['', 1, []],
  ] as const)('with %j and %i workers', (storage, workers, problems) => {
    expect(refused(storage, workers)).toEqual(problems);
  });
});
