import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCommand } from '../../../test/support/service.ts';
import { ask, copyExample } from '../../example.ts';
import { describeInBrowser, test } from '../journey.ts';
import { Debugger } from '../pages/debugger.ts';
import { pollOptions } from '../pages/poll-options.ts';

const order = { id: 7, customer: 'Ada ☃', email: 'ada@example.org', total: 30 };

/** Everything that asks another server for something, or does something, in the body of a mail. */
const hostileMail = (there: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta http-equiv="refresh" content="0; url=${there}/refresh">
    <base href="${there}/base/">
    <link rel="stylesheet" href="${there}/style.css">
    <link rel="preload" as="image" href="${there}/preload.png">
    <style>@import url("${there}/import.css"); body { background: url("${there}/background.png"); }</style>
    <script src="${there}/script.js"></script>
    <script>parent.document.title = 'taken'; top.location = '${there}/top';</script>
  </head>
  <body onload="parent.document.title = 'taken'">
    <h1>Your order {{.id}}</h1>
    <p>Dear {{.customer}},</p>
    <img src="${there}/pixel.png" alt=""><img src="x" alt="" onerror="alert(1); fetch('${there}/error')">
    <svg onload="alert(1)"><image href="${there}/image.svg" /></svg>
    <video src="${there}/film.mp4" poster="${there}/poster.png" autoplay></video>
    <iframe src="${there}/frame" title="other"></iframe><object data="${there}/object"></object>
    <form action="${there}/form" method="post"><input name="password" value="secret"><button>Send it</button></form>
    <p><a href="${there}/link" target="_top">a link</a></p>
  </body>
</html>
`;

describeInBrowser('notifications that a service keeps', () => {
  test('are listed as they come, and are shown as their receivers would see them', async ({ open }) => {
    const { directory, remove } = copyExample('alerts');
    expect(await runCommand(['migrate', '-c', directory])).toMatchObject({ code: 0 });
    const { page, workbench, service } = await open({ directory });
    await workbench.ready();
    await workbench.run('View: Outbox');
    const side = page.getByRole('complementary', { name: 'Outbox' });
    await side.getByRole('button', { name: 'Start and keep them' }).click();
    await page.getByRole('button', { name: /^Trust .+ and start it$/ }).click();
    const own = new Debugger(page);
    await own.expectState('Running');
    await side.getByText('Nothing was sent yet', { exact: false }).waitFor();
    await side.getByText(join(directory, '.svc', 'outbox'), { exact: true }).waitFor();

    const send = async () => (await ask('POST', `${service}/orders`, order)).status;
    expect([await send(), await send()]).toEqual([200, 500]);
    const chat = side.getByRole('button', { name: /rotating_light: Order 7 of Ada ☃ failed/ });
    await chat.click();
    const message = page.getByRole('article', { name: 'Message of duty' });
    await message.getByText('Orders', { exact: true }).first().waitFor();
    await message
      .getByRole('tabpanel', { name: 'Received' })
      .getByText(/^:rotating_light: Order 7/)
      .waitFor();
    await message.getByRole('tab', { name: 'Request' }).click();
    const request = message.getByRole('tree', { name: 'Request' });
    await request.getByText('POST', { exact: false }).first().waitFor();
    expect(await request.innerText()).not.toContain('T000');
    await side.getByRole('button', { name: /^order\.failed/ }).click();
    await page.getByRole('article', { name: 'Message of partner' }).getByText('{"id":7,"customer":"Ada ☃"}').waitFor();
    await side.getByRole('button', { name: /^Your order 7/ }).click();
    const mail = page.getByRole('article', { name: 'Message of mail' });
    await mail.frameLocator('iframe').getByRole('heading', { name: 'Your order 7' }).waitFor();
    await mail.getByRole('tab', { name: 'Text' }).click();
    await mail.getByText('We could not take your order, Ada ☃.').waitFor();
    expect(readdirSync(join(directory, '.svc', 'outbox')).length).toBe(5);

    // Before a message is sent, it is seen.
    const editor = await workbench.open('orders.hcl');
    await editor.goTo(71, 5);
    await page.keyboard.press('F9');
    await workbench.expectSaid('Breakpoint set at line 71.');
    const paused = ask('POST', `${service}/calls`, { who: 'Ada', what: 'the ☃ melts' });
    await own.expectAt('call_duty: before write duty');
    const preview = page.getByRole('region', { name: 'Would be sent' });
    await preview.getByText(':telephone_receiver: Ada: the ☃ melts').waitFor();
    await page.keyboard.press('F5');
    expect(await paused).toEqual({ status: 200, body: { called: true } });

    // They are there after another start, which keeps them too.
    await workbench.run('Run: Restart');
    await expect.poll(() => side.getByRole('button', { name: /Order 7/ }).count(), pollOptions).toBe(1);
    await side.getByText('Nothing was sent yet', { exact: false }).waitFor({ state: 'hidden' });
    await side.getByRole('button', { name: 'Restart and send them' }).click();
    // The mail server of the example does not exist, and it is asked for now.
    await own.expectState('Not attached');
    await side.getByRole('button', { name: 'Start and keep them' }).waitFor();
    expect(existsSync(join(directory, '.svc', '.gitignore'))).toBe(true);
    remove();
  });

  test('a mail that means harm: nothing in it runs, is sent or is fetched', async ({ open }) => {
    const asked: string[] = [];
    const outside = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
    const there = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
    const { directory, remove } = copyExample('alerts');
    writeFileSync(join(directory, 'templates', 'failed.html'), hostileMail(there));
    expect(await runCommand(['migrate', '-c', directory])).toMatchObject({ code: 0 });
    const { page, context, workbench, service, complaints } = await open({ directory });
    const opened: string[] = [];
    page.on('dialog', (dialog) => void opened.push(dialog.message()));
    context.on('page', (other) => void opened.push(other.url()));
    await workbench.ready();
    const address = page.url();
    await workbench.run('View: Outbox');
    const side = page.getByRole('complementary', { name: 'Outbox' });
    await side.getByRole('button', { name: 'Start and keep them' }).click();
    await page.getByRole('button', { name: /^Trust .+ and start it$/ }).click();
    await new Debugger(page).expectState('Running');
    const hostile = { ...order, customer: `<img src="${there}/customer" onerror="parent.document.title = 'taken'">` };
    await ask('POST', `${service}/orders`, hostile);
    expect((await ask('POST', `${service}/orders`, hostile)).status).toBe(500);
    await side.getByRole('button', { name: /^Your order 7/ }).click();
    const frame = page.getByRole('article', { name: 'Message of mail' }).frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Your order 7' }).waitFor();
    await frame.getByText(`Dear ${hostile.customer},`).waitFor();
    await frame.getByRole('button', { name: 'Send it' }).click();
    await frame.getByRole('link', { name: 'a link' }).click();
    await page.getByRole('article', { name: 'Message of mail' }).getByRole('tab', { name: 'Text' }).click();
    // Another request of the page is answered after everything that the frame could have begun.
    expect(await page.evaluate(async (url) => (await fetch(url).catch(() => undefined)) ?? 'refused', there)).toBe(
      'refused',
    );
    expect([asked, opened, page.url()]).toEqual([[], [], address]);
    expect(await page.title()).not.toBe('taken');
    // The browser says what it did not let happen, and nothing else went wrong.
    const refused = /Content Security Policy|sandbox|violates|Refused|Blocked/i;
    expect(complaints.filter((each) => !refused.test(each))).toEqual([]);
    (complaints as string[]).length = 0;
    outside.close();
    remove();
  });
});
