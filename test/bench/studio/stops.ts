import type { StudioWindow } from '../../support/studio-window.ts';
import { until } from '../../support/until.ts';
import { print } from './figures.ts';
import { goTo, openFile, timed } from './timed.ts';

const runs = 30;
const rules = 30;

/** A flow of so many rules, and nothing else. */
export const stoppingService = {
  'service.hcl': `service {
  name       = "stops"
  admin_port = env("ADMIN_PORT", "0")
}
connector "api" {
  type = "rest"
  port = env("PORT", "0")
}
`,
  'flows/count.hcl': `flow "count" {
  from {
    connector = "api"
    operation = "GET /count/:word"
  }
  response {
${Array.from({ length: rules }, (_, index) => `    rule_${index} = "input.word + '${index}'"`).join('\n')}
  }
}
`,
};

/** From a request that reaches a breakpoint to its variables on the screen; from a step to where it leads. */
export async function measureStops({ page }: StudioWindow, address: string): Promise<void> {
  await openFile(page, 'count.hcl');
  await goTo(page, 7, 8);
  await page.keyboard.press('F9');
  await page.keyboard.press('F5');
  await page.getByRole('button', { name: /^Trust .+ and start it$/ }).click();
  await page.getByRole('button', { name: /^Service: Running/ }).waitFor();
  await page.getByRole('toolbar', { name: 'Debug' }).getByText('Running', { exact: true }).waitFor();
  const stops: number[] = [];
  const steps: number[] = [];
  const readings: number[] = [];
  for (let run = 0; run < runs; run++) {
    const word = `word${run}x`;
    const shown = `probe.painted(() => probe.says('[role=tree][aria-label=Variables]', '${word}')).then((at) => performance.timeOrigin + at)`;
    let began = 0;
    let answer: Promise<unknown> | undefined;
    const painted = await timed(page, shown, async () => {
      began = performance.timeOrigin + performance.now();
      answer = fetch(`${address}/count/${word}`).then((response) => response.text());
    });
    stops.push(painted - began);
    // A person reads before the next key.
    await page.evaluate('probe.rest()');
    const next = `probe.sinceUntil('keydown', () => probe.says('footer', 'rule_1'))`;
    steps.push(await timed(page, next, () => page.keyboard.press('F10')));
    await page.evaluate('probe.rest()');
    // A rule further, until the parts of its expression are below it.
    const read = `probe.sinceUntil('keydown', () => probe.says('.reading', '${word}2'))`;
    readings.push(await timed(page, read, () => page.keyboard.press('F10')));
    await page.keyboard.press('F5');
    await answer;
    await until(async () => (await page.evaluate("probe.says('footer', 'rule_')")) === false);
  }
  const keys: number[] = [];
  for (let run = 0; run < runs; run++)
    keys.push(await timed(page, 'probe.keyToPaint()', () => page.keyboard.press('Shift')));
  print('request to the variables of its stop', stops, '100 ms', ['a key that does nothing to its paint', keys]);
  print('F10 to the next reading', readings, '60 ms', ['a key that does nothing to its paint', keys]);
  print('step to the next place', steps, '20 ms', ['a key that does nothing to its paint', keys]);
}
