import { type FunctionDocumentation, functionDocumentation } from '@svc/protocol/cel';
import { configurationFunctions } from '@svc/protocol/model';
import {
  type ConnectorSpec,
  describeAttribute,
  describeBlock,
  describeConnector,
  type Vocabulary,
} from '@svc/protocol/schema';
import { type FailureKind, failures } from '../../foundation/errors/failures.ts';
import { metricSpecs } from '../../foundation/observe/metric-table.ts';
import { buckets } from '../../foundation/observe/registry.ts';
import { debugProtocolPage } from './debug-protocol.ts';

/**
 * Every reference page by its path below `docs/reference/`, made from the same data that checks configurations.
 * `commands` holds the help of each command of the program by its name.
 */
export function referencePages(
  vocabulary: Vocabulary,
  commands: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const pages = new Map<string, string>();
  const blocks = Object.entries(vocabulary.blocks).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [word, spec] of blocks) pages.set(`blocks/${word}.md`, `${describeBlock([word], spec)}\n`);
  for (const spec of vocabulary.connectors) pages.set(`connectors/${pageName(spec)}.md`, describeConnector(spec));
  pages.set('connectors/profiles.md', profilesPage(vocabulary));
  pages.set('functions.md', functionsPage());
  pages.set('configuration-functions.md', configurationFunctionsPage());
  pages.set('commands.md', commandsPage(commands));
  pages.set('failures.md', failuresPage());
  pages.set('metrics.md', metricsPage());
  pages.set('debug-protocol.md', debugProtocolPage());
  pages.set('README.md', indexPage(pages, vocabulary));
  return pages;
}

function pageName(spec: ConnectorSpec): string {
  return spec.driver === undefined ? spec.type : `${spec.type}-${spec.driver}`;
}

function profilesPage(vocabulary: Vocabulary): string {
  const { attributes, doc } = vocabulary.profiled;
  const lines = Object.entries(attributes).map(([name, spec]) => describeAttribute(name, spec));
  return `# Connector profiles\n\n${doc}\n\n${lines.join('\n')}\n\n${describeBlock(['profile'], vocabulary.everyProfile, 2)}\n`;
}

function functionsPage(): string {
  const groups = Map.groupBy(functionDocumentation, ({ group }) => group);
  const sections = [...groups].map(
    ([group, functions]) =>
      `## ${group[0]?.toUpperCase()}${group.slice(1)}\n\n${functions.map(functionText).join('\n')}`,
  );
  return `# Functions of the expression language\n\nExpressions are CEL. Besides its standard library, these exist.\n\n${sections.join('\n\n')}\n`;
}

/** One function in one item of Markdown. */
export function functionText({ signatures, doc, example }: FunctionDocumentation): string {
  return `- ${signatures.map((signature) => `\`${signature}\``).join(', ')}: ${doc} Example: \`${example}\`.`;
}

function configurationFunctionsPage(): string {
  const lines = configurationFunctions.map(({ signature, doc }) => `- \`${signature}\`: ${doc}`);
  return `# Functions while files are read\n\nThese are evaluated once, when the configuration is read; \`constants\` is the only variable.\n\n${lines.join('\n')}\n`;
}

function commandsPage(commands: ReadonlyMap<string, string>): string {
  const sections = [...commands].map(([name, help]) => `## svc ${name}\n\n\`\`\`text\n${help.trim()}\n\`\`\``);
  return `# Commands\n\n${sections.join('\n\n')}\n`;
}

function metricsPage(): string {
  const rows = metricSpecs.map(({ name, kind, labels, help }) => {
    const words = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${kind === 'mean' ? 'gauge' : kind} | ${words} | ${help} |`;
  });
  return `# Metrics

\`GET /metrics\` answers with them on the admin port and on the port of every REST connector. Label values come from the
configuration (\`path\` is the route pattern, or \`unmatched\`), never from messages, so their number is bounded.
Histograms have the buckets ${buckets.join(', ')} seconds. With several workers the values are those of all of them.

| Metric | Type | Labels | Meaning |
|---|---|---|---|
${rows.join('\n')}
`;
}

function failuresPage(): string {
  const rows = Object.entries(failures).map(([code, kind]) => {
    const { type, status, callers, retriable, passes } = kind as FailureKind;
    return `| \`${code}\` | ${type} | ${status} | ${callers ? 'yes' : 'no'} | ${retriable ? 'yes' : 'no'} | ${passes} |`;
  });
  return `# Failures

The code of a failure decides its HTTP status, whether trying again may help, and whether production tells its text.
*Passes* says whether the same message of a queue may be handled later. A failure may know better than its code, as that
of an expression does ([What never passes](../queues.md#what-never-passes)).

| Code | \`error.type\` | Status | Shown in production | Retried | Passes |
|---|---|---|---|---|---|
${rows.join('\n')}
`;
}

function indexPage(pages: ReadonlyMap<string, string>, vocabulary: Vocabulary): string {
  const links = [...pages.keys()].sort().map((path) => `- [${path.replace(/\.md$/, '')}](${path})`);
  const { blocks, connectors } = vocabulary.unavailable;
  return `# Reference

Made by \`npm run docs\` from the specifications that the program itself checks configurations with.

${links.join('\n')}

## Not available in this version

These words are known and refused by name, never ignored.

Blocks: ${blocks.map((word) => `\`${word}\``).join(', ')}.

Connectors: ${connectors.map((word) => `\`${word}\``).join(', ')}.
`;
}
