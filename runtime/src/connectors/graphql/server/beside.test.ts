import { expect, test } from 'vitest';
import { type LogLine, recordingLog } from '../../../../../test/support/connector-services.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Message } from '../../../foundation/contracts/message.ts';
import type { Binding } from '../../../foundation/contracts/source.ts';
import { answering } from '../../core/flows-beside.ts';
import { binding, reply } from '../../rest/testing/served.ts';
import { graphqlService } from '../testing/service.ts';

const flow = (name: string, value: string) => `flow "${name}" {
  returns = "Int"
  from {
    connector = "api"
    operation = "Query.count"
  }
  step "kept" {
    connector = "db"
    query     = "INSERT INTO seen (flow) VALUES ('${name}')"
  }
  response {
    count = "${value}"
  }
}
`;

test('of several flows of one field the first answers, and the others run beside it', async () => {
  const server = 'connector "api" {\n  type = "graphql"\n  port = 0\n}\ntype "t" {\n  id = id\n}\n';
  const flows = flow('first', '1') + flow('second', '2') + flow('third', '1 / 0');
  await using service = await graphqlService(server + flows, 'CREATE TABLE seen (flow TEXT)');
  expect(await service.ask('{ count }')).toEqual({ data: { count: 1 } });
  const seen = () => service.database.prepare('SELECT flow FROM seen ORDER BY flow').all();
  await until(() => seen().length === 3);
  expect(seen()).toEqual([{ flow: 'first' }, { flow: 'second' }, { flow: 'third' }]);
});

test('they have messages of their own, and their failures are logged', async () => {
  const lines: LogLine[] = [];
  const got: Message[] = [];
  const take = (message: Message) => {
    got.push(message);
    message.input['changed'] = true;
    return reply(1);
  };
  const failing = (): never => {
    throw new Error('broken');
  };
  const at = (operation: string, deliver: Binding['deliver']) => ({ ...binding('GET /', deliver), operation });
  const bindings = [at('Query.a', take), at(' Query.a', take), at('Query.a', failing), at('Query.b', take)];
  const [first, ...rest] = answering(bindings, recordingLog(lines));
  expect(rest).toEqual([bindings[3]]);
  const message = { input: { list: [1] }, signal: () => undefined, addressed: [] } as unknown as Message;
  expect(first?.deliver(message)).toEqual(reply(1));
  await until(() => lines.length > 0);
  expect(got.map(({ input }) => input)).toEqual([
    { list: [1], changed: true },
    { list: [1], changed: true },
  ]);
  expect(got[1]?.input).not.toBe(message.input);
  expect(lines).toMatchObject([{ level: 'warn', message: 'flow beside the answering one failed' }]);
});
