import { resolve } from 'node:path';
import { decodeProject } from '@svc/protocol/model';
import { vocabulary } from '../../checks/vocabulary.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import { Places } from '../../tools/harness/places.ts';
import { jsonReport } from '../../tools/harness/reports/json-report.ts';
import { textReport } from '../../tools/harness/reports/text-report.ts';
import type { TestReport } from '../../tools/harness/run-tests.ts';
import { testEngine } from '../../tools/harness/surroundings.ts';
import { reportText } from '../report.ts';
import type { RunAction } from './action.ts';
import { describedPlugin } from './cases/described-plugin.ts';
import { readCases } from './cases/read.ts';
import { demandModules, runCases } from './cases/run.ts';

/** `svc plugin test`: calls the functions of the plugin in a folder as its cases say, where a service would call them. */
export const run: RunAction = async ({ options, workingDirectory, streams }, subject) => {
  const began = systemClock.reading();
  const parent = typeof options['config'] === 'string' ? options['config'] : '.';
  const folder = resolve(workingDirectory, parent, subject ?? '.');
  const { plugin, diagnostics, texts: manifest } = describedPlugin(folder);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0 || plugin === undefined) {
    streams.error.write(`${reportText({ diagnostics: errors, texts: manifest }, streams.error.colour)}\n`);
    return 1;
  }
  const { cases, texts } = readCases(folder);
  if (cases.length === 0) {
    streams.error.write(
      `svc plugin: there is no case in ${resolve(folder, 'tests')}; docs/write-a-plugin.md shows how to write one\n`,
    );
    return 1;
  }
  demandModules(plugin, folder);
  const filter = typeof options['filter'] === 'string' ? options['filter'].toLowerCase() : undefined;
  const wanted = cases.filter(
    ({ name, origin }) =>
      filter === undefined || name.toLowerCase().includes(filter) || origin.file.toLowerCase().includes(filter),
  );
  if (wanted.length === 0) {
    streams.error.write(`svc plugin: no case of ${cases.length} has this in its name or file\n`);
    return 1;
  }
  const results = await runCases(wanted, plugin, folder);
  const host = { env: () => undefined, readFile: () => '', absolutePath: (path: string) => path };
  const nothing = decodeProject([], { vocabulary, host, expressionFunctions: [] }, []);
  const report: TestReport = {
    diagnostics: [],
    texts,
    results,
    total: cases.length,
    coverage: undefined,
    places: new Places(nothing, testEngine()),
    milliseconds: systemClock.since(began),
  };
  streams.out.write(options['format'] === 'json' ? jsonReport(report) : textReport(report, streams.out.colour));
  return results.every(({ problems }) => problems.length === 0) ? 0 : 1;
};
