import { describe, expect, test } from 'vitest';
import { failureOf } from '../../testing/opened.ts';
import { openCorrespondence } from '../testing/letters.ts';

const many = Array.from({ length: 10_000 }, (_, at) => `reader-${at}@example.org`);

describe('R-98: recipients', () => {
  test('that are refused are reported, and the others have the letter', async () => {
    const refuses = (recipient: string) =>
      recipient.startsWith('gone') ? { code: 550, says: '5.1.1 gone' } : undefined;
    const { mail, sendLetter } = await openCorrespondence({ server: { refuses } });
    const result = await sendLetter({
      to: ['ana@example.org', 'gone@example.org'],
      cc: { email: 'ben@example.org', name: 'Ben' },
      bcc: 'gone.too@example.org',
    });
    expect(result).toEqual({
      success: true,
      provider: 'smtp',
      message_id: expect.stringMatching(/^<[\w-]{36}@example\.org>$/),
      response: '250 queued as 1',
      recipients: [
        { email: 'ana@example.org', success: true },
        { email: 'gone@example.org', success: false, error: '550 5.1.1 gone' },
        { email: 'ben@example.org', success: true },
        { email: 'gone.too@example.org', success: false, error: '550 5.1.1 gone' },
      ],
    });
    expect(mail.letters.map(({ to }) => to)).toEqual([['ana@example.org', 'ben@example.org']]);
  });

  test.each([
    ['for good', [550, 553], false],
    ['for now', [450, 451], true],
    ['some for good and some for now', [550, 450], true],
  ])('that are all refused %s fail the letter', async (_, codes, retriable) => {
    const refuses = (_recipient: string, nth: number) => ({ code: codes[nth - 1] ?? 550, says: 'not here' });
    const server = { refuses: (recipient: string) => refuses(recipient, recipient.startsWith('a') ? 1 : 2) };
    const { mail, sendLetter } = await openCorrespondence({ server });
    const failure = await failureOf(sendLetter({ to: ['a@example.org', 'b@example.org'] }));
    expect([failure.code, failure.retriable, mail.letters]).toEqual(['upstream_error', retriable, []]);
    expect(failure.upstream?.body).toContain('not here');
  });

  test('S-54: ten thousand of them are one letter, each once', async () => {
    const { mail, sendLetter } = await openCorrespondence();
    const { recipients } = await sendLetter({ to: 'ana@example.org', bcc: [...many.slice(1), 'READER-1@example.org'] });
    expect(mail.letters.map(({ to }) => to.length)).toEqual([10_000]);
    expect(recipients).toHaveLength(10_000);
    expect(mail.letters[0]?.raw).not.toContain('reader-1');
  });

  test('S-54: more than ten thousand are refused, in one field and in all together', async () => {
    const { mail, sendLetter } = await openCorrespondence();
    const wrong = [{ bcc: [...many, 'one.more@example.org'] }, { bcc: many, to: 'one.more@example.org' }];
    for (const fields of wrong) expect((await failureOf(sendLetter(fields))).code).toBe('value_refused');
    expect(mail.letters).toEqual([]);
  });

  test('that a server does not take with one letter get it with further ones', async () => {
    const refuses = (_: string, nth: number) => (nth > 500 ? { code: 452, says: '4.5.3 too many' } : undefined);
    const { mail, sendLetter } = await openCorrespondence({ server: { refuses } });
    const { recipients } = await sendLetter({ bcc: many.slice(0, 1_999) });
    expect(mail.letters.map(({ to }) => to.length)).toEqual([500, 500, 500, 500]);
    expect(new Set(mail.letters.flatMap(({ to }) => to)).size).toBe(2_000);
    expect((recipients as { success: boolean }[]).every(({ success }) => success)).toBe(true);
  });

  test('A-10: whose further letter is not answered are reported, and those that have it are not sent it again', async () => {
    const refuses = (_: string, nth: number) => (nth > 1 ? { code: 452, says: 'too many' } : undefined);
    const { sendLetter } = await openCorrespondence({
      server: { refuses },
      answer: (_, nth) => (nth === 1 ? { id: '1' } : 'cut'),
    });
    const { recipients } = await sendLetter({ to: ['a@example.org', 'b@example.org'] });
    expect(recipients).toEqual([
      { email: 'a@example.org', success: true },
      { email: 'b@example.org', success: false, error: expect.stringContaining('is not known') },
    ]);
  });
});

describe('what a server says', () => {
  test.each([
    [421, true],
    [451, true],
    [550, false],
    [554, false],
  ])('%i to the text of a letter is a failure that another try may pass: %s', async (refuse, retriable) => {
    const { sendLetter, mail } = await openCorrespondence({ answer: () => ({ refuse, says: 'no' }) });
    const { code, upstream, retriable: may } = await failureOf(sendLetter());
    expect([code, upstream?.status, may]).toEqual(['upstream_error', refuse, retriable]);
    mail.answers(() => ({ id: '2' }));
    expect(await sendLetter()).toMatchObject({ success: true });
  });

  test('a letter that is larger than it takes is refused before it is sent', async () => {
    const { mail, sendLetter } = await openCorrespondence({ server: { size: 10_000 } });
    const { code } = await failureOf(sendLetter({ text: 'x'.repeat(20_000) }));
    expect([code, mail.letters]).toEqual(['value_refused', []]);
  });
});
