import { describe, expect, test } from 'vitest';
import { inDirectory, typed } from './testing/typed.ts';
import { secretRanges } from './written-secrets.ts';

/** The text as it is shown. */
function shown(text: string): string {
  return secretRanges(text).reduceRight((rest, { start, end }) => `${rest.slice(0, start)}***${rest.slice(end)}`, text);
}

describe('what is secret in a text', () => {
  test.each([
    ['password = "hunter2"', 'password = "***"'],
    ['password = "hunter2', 'password = "***'],
    ['password = hunter2', 'password = ***'],
    ['password = 12345678', 'password = ***'],
    ['password = "hun\\"ter2" # the old', 'password = "***" # the old'],
    ["password = 'hunter2'", "password = '***'"],
    ['# password = "hunter2"', '# password = "***"'],
    ['password = env("DB_PASSWORD", "hunter2")', 'password = env("DB_PASSWORD", "***")'],
    ['password = file("pass.txt")', 'password = file("pass.txt")'],
    ['password = constants.db', 'password = constants.db'],
    ['user = "a", password = "hunter2", port = "x"', 'user = "a", password = "***", port = "x"'],
    ['password = "hunter2" port = "x"', 'password = "***" port = "x"'],
    ['auth = { user = "a", token = "hunter2" }', 'auth = { user = "a", token = "***" }'],
    ['users = { alice = "hunter2", "bob" = "hunter3" }', 'users = { alice = "***", "bob" = "***" }'],
    ['keys = ["one-key", "other-key"]\nport = "x"', 'keys = ["***", "***"]\nport = "x"'],
    ['keys = [\n  "one-key",\n  "other-key"\n]\nport = "x"', 'keys = [\n  "***",\n  "***"\n]\nport = "x"'],
    ['keys = [\n  "one-key",\n}\nport = "x"', 'keys = [\n  "***",\n}\nport = "x"'],
    ['private_key = <<-EOT\n  abc\n  def\n  EOT\nport = "x"', 'private_key = <<-EOT\n***  EOT\nport = "x"'],
    ['private_key = <<EOT\nabc\ndef', 'private_key = <<EOT\n***'],
    ['env {\n  A = "hunter2"\n}\nport = "x"', 'env {\n  A = "***"\n}\nport = "x"'],
    ['headers { Authorization = "Bearer abc" }', 'headers { Authorization = "***" }'],
    ['headers = { "X-Api-Key" = "abc" }', 'headers = { "X-Api-Key" = "***" }'],
    ['webhook_url = "https://hooks.test/abc"', 'webhook_url = "***"'],
    ['base_url = "https://a:hunter2@host/x"', 'base_url = "https://***@host/x"'],
    ['servers = ["nats://a:p@ss@host"]', 'servers = ["nats://***@host"]'],
    ['port = "x"', 'port = "x"'],
    ['when = "input.token == \'a\'"', 'when = "input.token == \'a\'"'],
    ['public_url = "https://host/x"', 'public_url = "https://host/x"'],
  ])('%j', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });
});

test.each([
  ['lists that are not closed', 'keys = [\n'],
  ['blocks that are not closed', 'env {\n'],
  ['heredocs that are not closed', 'password = <<A\n'],
  ['addresses without an end', '://'],
])('the work is in proportion to the text: %s', (_, line) => {
  const time = (count: number) => {
    const begun = performance.now();
    secretRanges(line.repeat(count));
    return performance.now() - begun;
  };
  expect(time(300_000)).toBeLessThan(5_000);
});

const secret = 'hunter2-secret';
const connector = (lines: string) => `connector "db" {\n  type = "database"\n  driver = "postgres"\n${lines}\n}\n`;

test.each([
  ['one line', connector(`  password = "${secret}", nonsense = 1`)],
  ['a text that is not closed', connector(`  password = "${secret}`)],
  ['no quotes', connector(`  password = ${secret}`)],
  ['a heredoc', connector(`  password = <<EOT\n${secret}\n`)],
  ['a list in place of a text', connector(`  password = ["${secret}", 1]`)],
  ['twice', connector(`  password = "${secret}"\n  password = "${secret}"`)],
  ['a name that is not known', connector(`  api_password = "${secret}"`)],
  ['an address', connector(`  url = "postgres//a:${secret}@host"`)],
  ['an address elsewhere', connector(`  host = "postgres://a:${secret}@host" nonsense`)],
  ['a constant', `constants {\n  db_password = "${secret}" "x"\n}\n`],
])('no command shows a secret that is written: %s', async (_, text) => {
  await inDirectory({ 'main.hcl': text }, async (directory) => {
    const commands = [
      ['validate'],
      ['validate', '--format', 'json'],
      ['validate', '--format', 'sarif'],
      ['start'],
      ['check'],
      ['fmt', '--check'],
    ];
    for (const command of commands) {
      const { out, error } = await typed(command, directory);
      expect({ command, shown: `${out}${error}` }).toEqual({ command, shown: expect.not.stringContaining(secret) });
    }
    expect((await typed(['validate'], directory)).status).toBe(1);
  });
});

test('carets are below what they mean in a line that has secrets', async () => {
  const text = connector('  password = "hunter2-secret", nonsense = 1');
  await inDirectory({ 'main.hcl': text }, async (directory) => {
    const { out } = await typed(['validate'], directory);
    expect(out).toContain('  password = "***", nonsense = 1\n   |                   ^');
  });
});
