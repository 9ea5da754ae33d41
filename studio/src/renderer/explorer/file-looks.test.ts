import type { ConnectorKind } from '@svc/protocol/schema';
import { expect, test } from 'vitest';
import { lookOfName, looksByContent } from './file-looks.ts';

test('a file looks like what is in it', () => {
  const symbol = (file: string, kind: string) => ({ file, kind });
  const connector = (file: string, kind: ConnectorKind) => ({ file, kind, declared: true, word: 'connector' });
  const looks = looksByContent(
    [
      symbol('api.hcl', 'connector'),
      symbol('two.hcl', 'connector'),
      symbol('mixed.hcl', 'connector'),
      symbol('mixed.hcl', 'type'),
      symbol('flow.hcl', 'type'),
      symbol('flow.hcl', 'flow'),
      symbol('other.hcl', 'cache'),
    ],
    [connector('api.hcl', 'api'), connector('two.hcl', 'db'), connector('two.hcl', 'http')],
  );
  expect([...looks]).toEqual([
    ['api.hcl', { name: 'api', className: 'k-api ink' }],
    ['two.hcl', { name: 'plug', className: undefined }],
    ['mixed.hcl', { name: 'type' }],
    ['flow.hcl', { name: 'flow' }],
    ['other.hcl', { name: 'gear' }],
  ]);
  expect(['a.hcl', 'b.sql', 'README'].map((path) => lookOfName(path).name)).toEqual(['gear', 'database', 'files']);
});
