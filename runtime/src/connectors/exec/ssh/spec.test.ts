import { expect, test } from 'vitest';
import { problemsOf } from '../../../checks/rules/testing/problems.ts';

const remote = (ssh: string, lines = '') =>
  `connector "remote" {\n  type = "exec"\n  command = "uptime"\n  ${lines}\n  ssh {\n    ${ssh}\n  }\n}\n`;
const known = 'known_hosts = "/etc/hostname"';

/** Without what is reported of a configuration that has no flow, and of a folder without files. */
const problemsIn = (text: string) => problemsOf(text).filter((each) => !/unused|missing-file/.test(each));

test.each([
  ['a block implies the driver', remote(`host = "h"\n    ${known}`), []],
  ['a block and the driver', remote(`host = "h"\n    ${known}`, 'driver = "ssh"'), []],
  [
    'the driver without its block',
    'connector "r" {\n  type = "exec"\n  driver = "ssh"\n  command = "a"\n}\n',
    ['missing-block «"r"»'],
  ],
  ['the block of another driver', remote(`host = "h"\n    ${known}`, 'driver = "local"'), ['unknown-block «ssh»']],
])('%s', (_, text, expected) => {
  expect(problemsIn(text)).toEqual(expected);
});

test('a password needs a key, and is not used', () => {
  expect(problemsIn(remote(`host = "h"\n    password = "kept"\n    ${known}`))).toEqual([
    'warning risky-value «ssh»',
    'missing-attribute «"kept"»',
  ]);
});

test('a host that is not verified is advised against', () => {
  expect(problemsIn(remote('host = "h"'))).toEqual(['warning risky-value «ssh»']);
});

test.each([
  'host = "-oProxyCommand=id"',
  'host = "a b"',
  'host = "u@h"',
  'host = ""',
  'host = "h"\n    user = "-l"',
  'host = "h"\n    user = "a b"',
])('S-51: no option and no other place is in a name: %s', (ssh) => {
  expect(problemsIn(remote(`${ssh}\n    ${known}`))).toEqual([
    expect.stringMatching(/^(malformed-value|missing-attribute) /),
  ]);
});
