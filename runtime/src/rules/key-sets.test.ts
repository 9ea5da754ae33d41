import { loadProject } from '@svc/protocol/model';
import { expect, test } from 'vitest';
import { vocabulary } from '../catalog.ts';
import { checkKeySets } from './key-sets.ts';

const host = { env: () => undefined, readFile: () => '', absolutePath: (path: string) => path };

const warned = (address: string) => {
  const text = `connector "api" {
  type = "rest"
  auth {
    type     = "jwt"
    jwks_url = "${address}"
  }
}
service {
  workflow {
    storage = "memory"
    api {
      port = 9000
      auth {
        type     = "jwt"
        jwks_url = "${address}"
      }
    }
  }
}
`;
  const loaded = loadProject([{ path: 'a.hcl', text }], { vocabulary, host, expressionFunctions: [] }, [checkKeySets]);
  return loaded.diagnostics
    .filter(({ code }) => code === 'plain-key-set')
    .map(({ severity, message, range }) => [severity, message, text.slice(range.start, range.end)]);
};

test('a key set over http is a warning with its place', () => {
  expect(warned('http://id.example.org/keys')).toEqual([
    [
      'warning',
      'connector "api": the key set is fetched over http://',
      expect.stringContaining('http://id.example.org/keys'),
    ],
    [
      'warning',
      'workflow.api: the key set is fetched over http://',
      expect.stringContaining('http://id.example.org/keys'),
    ],
  ]);
  expect(warned('https://id.example.org/keys')).toEqual([]);
});
