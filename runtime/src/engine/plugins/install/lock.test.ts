import { expect, test } from 'vitest';
import { type LockedPlugin, readLock, writtenLock } from './lock.ts';

const sha256 = 'a'.repeat(64);
const commit = 'b'.repeat(40);
const geo: LockedPlugin = { source: 'github.com/x/geo', constraint: '^1.0', version: '1.2.0', commit, sha256 };
const tax: LockedPlugin = { source: './tax.tgz', constraint: 'latest', version: '0.1.0', sha256 };

test('a lock is written in the order of names, a field on each line, and is read again', () => {
  const text = writtenLock(
    new Map([
      ['tax', tax],
      ['geo', geo],
    ]),
  );
  expect(text).toBe(`{
  "version": 1,
  "plugins": {
    "geo": {
      "source": "github.com/x/geo",
      "constraint": "^1.0",
      "version": "1.2.0",
      "commit": "${commit}",
      "sha256": "${sha256}"
    },
    "tax": {
      "source": "./tax.tgz",
      "constraint": "latest",
      "version": "0.1.0",
      "sha256": "${sha256}"
    }
  }
}
`);
  expect([...readLock(text)]).toEqual([
    ['geo', geo],
    ['tax', tax],
  ]);
  expect([...readLock(`\uFEFF${text.replaceAll('\n', '\r\n')}`)]).toHaveLength(2);
});

const written = (plugins: unknown, version: unknown = 1) => JSON.stringify({ version, plugins });

test.each([
  ['nothing', '', 'it is not JSON'],
  ['a conflict of version control', `<<<<<<< ours\n${written({})}`, 'it is not JSON'],
  ['half of it', writtenLock(new Map([['geo', geo]])).slice(0, 80), 'it is not JSON'],
  ['a list', '[]', 'it is not an object'],
  ['a newer form', written({}, 2), 'plugins.lock has version 2, and this svc knows version 1: use a newer svc'],
  ['no form', '{"plugins": {}}', 'its version is not 1'],
  ['no plugins', '{"version": 1}', 'it has no plugins'],
  ['another field', '{"version": 1, "plugins": {}, "more": 1}', 'it has the unknown field "more"'],
  ['a name that is a path', written({ '../geo': geo }), '"../geo" is not the name of a plugin'],
  ['a name of the prototype', '{"version": 1, "plugins": {"__proto__": {}}}', 'is not the name of a plugin'],
  ['an entry that is a text', written({ geo: 'x' }), 'the entry of "geo" is not an object'],
  ['an unknown field of an entry', written({ geo: { ...geo, url: 'x' } }), 'has the unknown field "url"'],
  ['no hash', written({ geo: { ...geo, sha256: undefined } }), 'sha256 of "geo" is missing or malformed'],
  ['another hash', written({ geo: { ...geo, sha256: 'A'.repeat(64) } }), 'sha256 of "geo" is missing or malformed'],
  ['a commit that is an option', written({ geo: { ...geo, commit: '--exec=x' } }), 'commit of "geo" is missing'],
  ['a version that is an option', written({ geo: { ...geo, version: '$(id)' } }), 'version of "geo" is missing'],
  ['a source with a line end', written({ geo: { ...geo, source: 'a\nb' } }), 'source of "geo" is missing'],
])('S-84: a lock that is %s is refused', (_, text, reason) => {
  expect(() => readLock(text)).toThrow(reason);
});
