import { expect, test } from 'vitest';
import { problemsOf } from '../../../checks/rules/testing/problems.ts';

const api = 'connector "api" {\n  type = "rest"\n  port = 3000\n}\n';
const flow = (lines: string) =>
  `${api}flow "f" {\n  from {\n    connector = "api"\n    operation = "POST /x"\n  }\n  to {\n    connector = "files"\n    ${lines}\n  }\n}\n`;
const files = (lines: string) => `connector "files" {\n  type = "ftp"\n  host = "h"\n  ${lines}\n}\n`;
const sftp = 'protocol = "sftp"\n  username = "u"\n  known_hosts = "./known_hosts"';

test.each([
  ['a host', '', []],
  ['active mode', 'passive = false', ['invalid-value']],
  ['passive mode', 'passive = true', []],
  ['TLS', 'tls = true', []],
  ['TLS over SSH', `${sftp}\n  tls = true`, ['conflicting-attributes']],
  ['a key file over FTP', 'key_file = "./key"', ['conflicting-attributes']],
  ['hosts over FTP', 'known_hosts = "./none"', ['conflicting-attributes']],
  ['a password without a user', 'password = "x"', ['missing-attribute']],
  ['a line break in a name', 'username = "a\\r\\nDELE b"', ['malformed-value']],
  ['a line break in a password', 'username = "a"\n  password = "x\\nDELE b"', ['malformed-value']],
  ['SFTP', sftp, []],
  ['SFTP without a user', 'protocol = "sftp"\n  known_hosts = "./known_hosts"', ['missing-attribute']],
  ['SFTP of an unknown host', 'protocol = "sftp"\n  username = "u"', ['warning risky-value']],
  ['another protocol', 'protocol = "ftps"', ['unknown-value']],
])('a block with %s', (_, lines, expected) => {
  const found = problemsOf(files(lines) + flow('target = "a.json"')).filter((each) => !each.includes('missing-file'));
  expect(found.map((each) => each.replace(/ «.*/s, ''))).toEqual(expected);
});

test.each([
  ['write', 'target = "a.json"', []],
  ['PUT', 'target = "a.json"\n    operation = "PUT"', []],
  ['append', 'target = "a.csv"\n    operation = "append"', []],
  ['a link', 'target = "a.json"\n    operation = "presign_get"', ['unknown-operation']],
  ['an unknown word', 'target = "a.json"\n    operation = "CHMOD"', ['unknown-operation']],
  ['a path that leads out', 'target = "../a.json"', ['malformed-target']],
  ['an unknown parameter', 'target = "a.json"\n    params = { mode = "x" }', ['unknown-parameter']],
])('a destination with %s', (_, lines, expected) => {
  const found = problemsOf(files('') + flow(lines)).map((each) => each.split(' ')[0]);
  expect(found).toEqual(expected);
});
