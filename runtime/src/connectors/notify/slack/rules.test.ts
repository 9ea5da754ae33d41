import { expect, test } from 'vitest';
import { problemsOf } from '../../../checks/rules/testing/problems.ts';

const chat = (lines: string) =>
  `connector "api" {\n  type = "rest"\n  port = 3000\n}\nconnector "team" {\n  type = "team_chat"\n  ${lines}\n}\nflow "f" {\n  from {\n    connector = "api"\n    operation = "POST /x"\n  }\n  to {\n    connector = "team"\n    operation = "chat.postMessage"\n  }\n}\n`;
const batch = (line: string) => `token = "x"\n  batch {\n    ${line}\n  }`;

test.each([
  ['a token', 'token = "x"', []],
  ['both modes', 'token = "x"\n  webhook_url = "https://hooks.slack.com/services/a"', []],
  ['neither', '', ['missing-attribute «"team"»']],
  ['a switch from the environment', batch('enabled = env("BATCH", "false")'), []],
  ['an empty window', batch('window = "0s"'), ['out-of-bounds «"0s"»']],
  ['no size', batch('max_size = 0'), ['out-of-bounds «0»']],
  ['another grouping', batch('group_by = "user"'), ['unknown-value «"user"»']],
  ['a switch of another kind', batch('enabled = "perhaps"'), ['wrong-kind «"perhaps"»']],
  ['a summary', batch('summary = "string(count) + channel + window + messages[0].text"'), []],
] as const)('%s', (_title, lines, expected) => {
  expect(problemsOf(chat(lines))).toEqual(expected);
});
