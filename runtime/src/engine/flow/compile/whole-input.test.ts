import { expect, test } from 'vitest';
import { Failure } from '../../../foundation/errors/failure.ts';
import { type Answer, serve } from '../../plan/testing/service.ts';

const input = {
  n: 1,
  password: 'p',
  nested: { apiKey: 'k', list: [{ token: 't', id: 7 }] },
  headers: { authorization: 'Bearer x', accept: '*/*' },
  files: { a: { data: 'YQ==' } },
};
const carried = {
  n: 1,
  password: '***',
  nested: { apiKey: '***', list: [{ token: '***', id: 7 }] },
  headers: { authorization: '***', accept: '*/*' },
  files: { a: { data: 'YQ==' } },
};
const flow = (body: string) => `flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  ${body}
}
`;
const to = 'to {\n connector = "db"\n target = "t"\n }';
const aspect = (transform: string) =>
  `aspect "a" {\n on = ["f"]\n when = "before"\n action {\n connector = "peer"\n operation = "POST /audit"\n ${transform}\n }\n}\n`;
const fails: Answer = ({ connector }) => {
  if (connector === 'db') throw new Failure('connector_refused', 'away');
  return { affected: 1 };
};

test.each<[string, string, string, unknown, Answer?]>([
  ['a field of a transform', flow(`transform { all = "input" }\n ${to}`), 'db', { all: carried }],
  ['inside a map', flow(`transform { all = "{'a': [input]}" }\n ${to}`), 'db', { all: { a: [carried] } }],
  ['an audit', flow(to) + aspect('transform { all = "input" }'), 'peer', { all: carried }],
  [
    'a fallback',
    flow(
      `${to}\n error_handling {\n fallback {\n connector = "peer"\n target = "q"\n transform { all = "input" }\n }\n }`,
    ),
    'peer',
    { all: carried },
    fails,
  ],
  [
    'the original message of a fallback',
    flow(`${to}\n error_handling {\n fallback {\n connector = "peer"\n target = "q"\n }\n }`),
    'peer',
    { original_input: { n: 1, password: '***', nested: carried.nested, files: input.files } },
    fails,
  ],
  ['not a field that is named', flow(`transform { secret = "input.password" }\n ${to}`), 'db', { secret: 'p' }],
  ['not what the flow itself writes', flow(to), 'db', { n: 1, password: 'p', nested: input.nested }],
])(
  'a whole message that becomes a payload hides credentials: %s',
  async (_title, text, connector, expected, answer) => {
    const service = await serve(text, answer === undefined ? {} : { answer });
    await Promise.resolve()
      .then(() => service.deliver('f', structuredClone(input)))
      .catch(() => undefined);
    const call = service.calls.find((each) => each.connector === connector);
    expect(JSON.parse(JSON.stringify(call?.payload))).toEqual(expected);
  },
);
