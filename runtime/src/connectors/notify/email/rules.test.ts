import { expect, test } from 'vitest';
import { problemsOf, projectOf } from '../../../checks/rules/testing/problems.ts';
import { checkNamedFiles } from '../../../engine/plan/file-checks.ts';

const mail = (lines: string) =>
  `connector "api" {\n  type = "rest"\n  port = 3000\n}\nconnector "files" {\n  type = "file"\n  base_path = "./files"\n}\nconnector "mail" {\n  type = "email"\n  ${lines}\n}\nflow "f" {\n  from {\n    connector = "api"\n    operation = "POST /x"\n  }\n  transform {\n    to = "input.to"\n    subject = "'s'"\n    text = "'t'"\n    order = "input.order"\n  }\n  to {\n    connector = "mail"\n    operation = "send"\n  }\n}\nflow "g" {\n  from {\n    connector = "api"\n    operation = "GET /files/:path"\n  }\n  to {\n    connector = "files"\n    target = "a.json"\n  }\n}\n`;
const host = 'host = "smtp.example.org"';

test.each([
  ['a host', host, []],
  ['without a host', 'driver = "smtp"', ['missing-attribute «"mail"»']],
  ['a sender with a name', `${host}\n  from = "Shop <shop@example.org>"`, []],
  ['a sender that is a name alone', `${host}\n  from = "Shop"`, ['malformed-value «"Shop"»']],
  [
    'two senders',
    `${host}\n  from = "a@example.org, b@example.org"`,
    ['malformed-value «"a@example.org, b@example.org"»'],
  ],
  ['a sender of two lines', `${host}\n  from_name = "a\\r\\nBcc: b"`, ['malformed-value «"a\\r\\nBcc: b"»']],
  ['TLS by a word', `${host}\n  tls = "ssl"`, []],
  ['TLS by a flag', `${host}\n  tls = true`, []],
  ['TLS by another word', `${host}\n  tls = "maybe"`, ['unknown-value «"maybe"»']],
  [
    'TLS by a block',
    `${host}\n  tls {\n    mode = "tls"\n    ca_cert = "ca.pem"\n  }`,
    ['warning missing-file «"ca.pem"»'],
  ],
  ['a user without a password', `${host}\n  username = "shop"`, ['missing-attribute «"shop"»']],
  ['an address for a host', 'host = "smtp://smtp.example.org"', ['malformed-value «"smtp://smtp.example.org"»']],
  ['attributes of another driver', `${host}\n  api_key = "x"`, ['unknown-attribute «api_key»']],
  [
    'attributes of SMTP at a provider',
    'driver = "sendgrid"\n  api_key = "x"\n  pool_size = 3',
    ['unknown-attribute «pool_size»'],
  ],
  [
    'a provider by its neutral name',
    'driver = "EMAIL_API_PROVIDER"\n  api_key = "x"\n  endpoint = "https://example.org"',
    [],
  ],
  ['a provider without its key', 'driver = "sendgrid"', ['missing-attribute «"mail"»']],
  ['a cloud by its neutral name', 'driver = "email_cloud_provider"', []],
  ['half of the keys of a cloud', 'driver = "ses"\n  access_key_id = "x"', ['missing-attribute «"x"»']],
  ['another driver', 'driver = "pigeon"', ['unknown-driver «"pigeon"»']],
  ['files of a connector', `${host}\n  attachments_from = [connector.files]`, []],
  ['files of one by its name', `${host}\n  attachments_from = "files"`, []],
  ['files of an absent one', `${host}\n  attachments_from = [connector.file]`, ['unknown-connector «connector.file»']],
  [
    'half a signature',
    `${host}\n  dkim {\n    domain = "example.org"\n  }`,
    ['missing-attribute «dkim»', 'missing-attribute «dkim»'],
  ],
  ['no connections', `${host}\n  pool_size = 0`, ['out-of-bounds «0»']],
] as const)('%s', (_title, lines, expected) => {
  expect(problemsOf(mail(lines))).toEqual(expected);
});

/** `code file «marked text»` of what is found in files. */
async function filesOf(lines: string, files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const read = (path: string) => {
    const text = files[path];
    if (text === undefined) throw new Error('it does not exist');
    return text;
  };
  const text = mail(lines);
  const { diagnostics } = await checkNamedFiles(projectOf(text), read, () => []);
  return diagnostics.map(({ code, file, range }) => {
    const marked = (files[file] ?? text).slice(range.start, range.end);
    return `${code} ${file} «${marked}»`;
  });
}

test.each([
  ['smtp', host],
  ['sendgrid', 'driver = "sendgrid"\n  api_key = "x"'],
  ['ses', 'driver = "ses"'],
])('the template of %s exists and is well-formed, else its line is shown', async (_, lines) => {
  const written = `${lines}\n  template = "letters/a.html"`;
  expect(await filesOf(written, { 'letters/a.html': '<p>{{.name}}</p>' })).toEqual([]);
  expect(await filesOf(written, {})).toEqual(['missing-template main.hcl «"letters/a.html"»']);
  expect(await filesOf(written, { 'letters/a.html': '<p>\n  {{if}}\n</p>' })).toEqual([
    'malformed-template letters/a.html «  {{if}}»',
  ]);
  expect(await filesOf(written, { 'letters/a.html': '<p>\n{{.x | len}}</p>' })).toEqual([
    'malformed-template letters/a.html «{{.x | len}}</p>»',
  ]);
  expect(await filesOf(lines, {})).toEqual([]);
});

test('S-87: credentials that would be sent in clear to another machine are refused', async () => {
  const signing = 'username = "shop"\n  password = "x"\n  tls = "none"';
  expect(await filesOf(`${host}\n  ${signing}`, {})).toEqual(['clear-credentials main.hcl «tls»']);
  expect(await filesOf(`host = "localhost"\n  ${signing}`, {})).toEqual([]);
});
