import { Socket } from 'node:net';
import { FTPContext } from 'basic-ftp';
import { afterEach, expect, test } from 'vitest';
import { passWholeLines } from './whole-lines.ts';

const open: FTPContext[] = [];
afterEach(() => {
  for (const context of open.splice(0)) context.close();
});

/** A control connection that nothing is at the end of: a test says what comes. */
function control() {
  const context = new FTPContext();
  open.push(context);
  passWholeLines(context);
  const connected = () => {
    context.socket = new Socket();
  };
  connected();
  const answers: string[] = [];
  const ended = context
    .handle(undefined, (answer, task) => {
      if (answer instanceof Error && !('code' in answer && typeof answer.code === 'number')) task.reject(answer);
      else answers.push(answer.message);
    })
    .catch((error: Error) => error.message);
  const come = (...pieces: readonly string[]) => {
    for (const piece of pieces) context.socket.emit('data', piece);
  };
  return { answers, come, connected, ended };
}

test('a line in pieces is one answer, and several lines of a piece are several', () => {
  const { answers, come } = control();
  come('257 "/ware', 'house/in" is', ' it\r', '\n200 one\r\n200 two\r\n2', '00 three\r\n');
  expect(answers).toEqual(['257 "/warehouse/in" is it', '200 one', '200 two', '200 three']);
});

test('an answer of several lines that is cut within a line is whole', () => {
  const { answers, come } = control();
  come('211-Featu', 'res\r\n MLST ty', 'pe*;\r\n211', ' End\r\n');
  expect(answers).toEqual(['211-Features\n MLST type*;\n211 End']);
});

test('what came before another socket, as that of TLS is, begins no line of it', () => {
  const { answers, come, connected } = control();
  come('220 wel');
  connected();
  come('230 in\r\n');
  expect(answers).toEqual(['230 in']);
});

test('a line that does not end closes the connection', async () => {
  const { answers, come, ended } = control();
  come('200 ', ...Array.from({ length: 9 }, () => 'a'.repeat(8 * 1024)));
  expect(await ended).toBe('a line of an answer does not end');
  expect(answers).toEqual([]);
});
