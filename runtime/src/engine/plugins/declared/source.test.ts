import { expect, test } from 'vitest';
import { isFolder, readSource, shownSource } from './source.ts';

test.each([
  ['./plugins/geo', 'folder', './plugins/geo'],
  ['../geo', 'folder', '../geo'],
  ['/srv/plugins/geo', 'folder', '/srv/plugins/geo'],
  ['.', 'folder', '.'],
  ['./geo.tgz', 'archive', './geo.tgz'],
  ['/srv/geo.tar.gz', 'archive', '/srv/geo.tar.gz'],
  ['github.com/owner/geo', 'git', 'https://github.com/owner/geo'],
  ['gitlab.example.com:8443/group/sub/geo', undefined, undefined],
  ['gitlab.example.com/group/sub/geo', 'git', 'https://gitlab.example.com/group/sub/geo'],
  ['https://host.example/owner/geo.git', 'git', 'https://host.example/owner/geo.git'],
  ['https://host.example:8443/geo', 'git', 'https://host.example:8443/geo'],
  ['git@host.example:owner/geo.git', 'git', 'git@host.example:owner/geo.git'],
  ['ssh://git@host.example:2222/owner/geo.git', 'git', 'ssh://git@host.example:2222/owner/geo.git'],
  ['file:///srv/geo', 'git', 'file:///srv/geo'],
  ['file:///srv/geo.tgz', 'archive', 'file:///srv/geo.tgz'],
  ['https://host.example/geo-1.0.0.tgz', 'archive', 'https://host.example/geo-1.0.0.tgz'],
  ['host.example/files/geo.tar.gz', 'archive', 'https://host.example/files/geo.tar.gz'],
  ['http://127.0.0.1:8080/geo.tgz', 'archive', 'http://127.0.0.1:8080/geo.tgz'],
  ['http://localhost/geo.tgz', 'archive', 'http://localhost/geo.tgz'],
])('%s is where a plugin comes from', (written, kind, place) => {
  const read = readSource(written);
  if (kind === undefined) expect(read).toHaveProperty('problem');
  else expect(read).toEqual(kind === 'folder' ? { kind, path: place } : { kind, address: place });
});

test.each([
  '',
  '-',
  '--upload-pack=touch /tmp/x',
  '--upload-pack=x/y/z',
  '-oProxyCommand=x',
  'ext::sh -c id',
  'ext::sh',
  'ext://sh',
  'fd::17',
  'git://host.example/geo',
  'git+https://host.example/geo.git',
  'http://host.example/geo.git',
  'http://host.example/geo.tgz',
  'http://127.0.0.1.evil.example/geo.tgz',
  'ftp://host.example/geo.tgz',
  'ssh://-oProxyCommand=touch/geo',
  'ssh://%2DoProxyCommand=touch/geo',
  'ssh://git@-oProxyCommand=touch/geo',
  'ssh://-oProxyCommand=touch@host.example/geo',
  'ssh://git:secret@host.example/geo',
  'ssh:///geo',
  'git@-oProxyCommand=touch:geo',
  '-oX@host.example:geo',
  'git@host.example:-geo',
  'git@host.example:../geo',
  'git@host.example:owner/$(id)',
  'git@host.example:owner/geo;id',
  'host.example/-owner/geo',
  'host.example/../geo',
  'host.example/owner',
  'localhost/owner/geo',
  'owner/geo',
  'geo',
  'github.com/owner/geo//folder',
  'https://host.example/geo.git//folder',
  'https://host.example/../geo.git',
  'https://token@host.example/geo.git',
  'https://user:secret@host.example/geo.git',
  'https://host.example/geo.tgz?token=secret',
  'https://host.example/geo.git#branch',
  'https:///geo.git',
  'file://other.example/geo',
  'github.com/owner/ge\no',
  'github.com/owner/geo\0',
  'github.com/owner/geo\u2028',
  'github.com/owner/geo x',
  ' github.com/owner/geo',
  './a\\b',
  'C:\\plugins\\geo',
])('S-84: %j is refused', (written) => {
  expect(readSource(written)).toEqual({ problem: expect.any(String), help: expect.any(String) });
});

test('a source that is longer than any address is refused', () => {
  expect(readSource(`github.com/owner/${'g'.repeat(3_000)}`)).toHaveProperty('problem');
});

test('S-84, A-11: credentials of a source are in no message', () => {
  for (const written of [
    'https://user:canary@host.example/geo.git',
    'https://canary@host.example/geo.git',
    'ssh://git:canary@host.example/geo',
    'https://host.example/geo.tgz?token=canary',
    'http://canary:x@host.example/geo.git',
    'git://canary@host.example/a@b/geo.git',
  ]) {
    const read = readSource(written);
    expect(JSON.stringify(read)).not.toContain('canary');
    expect(shownSource(written)).not.toContain('canary');
  }
});

test('only what is read in place is a folder', () => {
  expect(['./geo', '/geo', '..', './geo.tgz', 'geo', 'github.com/a/b'].map(isFolder)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});
