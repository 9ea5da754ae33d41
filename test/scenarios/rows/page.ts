/** One write or read as it was run. */
export interface Cell {
  readonly source: string;
  readonly target: string;
  readonly verb: string;
  /** The state of its row afterwards. */
  readonly row: string;
  /** What the sender was answered. */
  readonly answered: string;
}

const rules = `# Rows

Which row a flow writes, and what its sender is answered. The tables are written by
\`test/scenarios/rows/rows.test.ts\`, which runs all of them on the engines.

## What names a row

- An INSERT and an UPSERT have their key in what they write; an UPSERT finds its row by \`conflict\`.
- An UPDATE and a DELETE are for the row that is named by columns of the key: the primary key of a table, \`id\` where it
  lacks one; \`_id\` and \`id\` of documents. Path parameters and \`query_filter\` are filters, whatever column they name.
- The fields of \`transform\` and \`params\` name it first. Then the caller does: by path parameters, by arguments over GraphQL,
  gRPC, SOAP and TCP, by the body and the query of a request. Where the flow builds nothing, the message is what it
  writes, and its fields are those of the flow.
- Where the flow and a path parameter, \`query_filter\` or an argument name one column with different values, it is 400
  \`value_refused\`, and nothing is written. A key of the flow that is null is 400 too. Over GraphQL so are an argument and
  a field of \`input\` with one name, whatever they mean.
- What a source says of its message names no row: the variables that its page lists, such as \`id\` of a webhook or of a
  change. An expression of the flow may name it.
- Of a flow that an aspect runs, the caller is the aspect: the fields of its \`transform\`, else the message of the flow that
  it watches, without what the source says of that one. An \`action\` on a connector names its row in the same way.
- What names the row is not written.
- A key that is a list names several rows of a table. Of documents it is for \`UPDATE_MANY\` and \`DELETE_MANY\`, else 400.
- The row of a step is the one that its \`params\` name. A column of the key that is null there, in \`query_filter\` or in a
  list of keys is 400 too: nothing is changed.
- A flow or a step in which nothing names a row is a warning of \`svc validate\`; a message that names none fails with
  \`filter_missing\` (500).
- \`affected\` counts the rows that were found, also those that had the values already. An UPDATE or DELETE that finds none
  succeeds: \`affected\` is 0, and \`svc_writes_unmatched_total\` counts it, in a transaction each statement. A document that
  a search engine does not have is a failure, 404 \`not_found\`.
- A source whose caller reads a record (GraphQL, gRPC, SOAP) is answered the row that was made, whatever its key is
  called. MySQL does not tell a key that a default of the table made, other than a number: there it is null.

The key is \`order_id\` in tables and \`id\` in documents. Messages of webhooks, brokers, sockets and files have an \`id\` of
their own beside it, which is that of no row.
`;

/** The page: a table for each source. What is the same for several targets is one line. */
export function page(cells: readonly Cell[]): string {
  const sources = [...new Set(cells.map(({ source }) => source))];
  return `${rules}${sources
    .map((source) =>
      section(
        source,
        cells.filter((each) => each.source === source),
      ),
    )
    .join('')}`;
}

function section(source: string, cells: readonly Cell[]): string {
  const lines = new Map<string, string[]>();
  for (const { verb, row, answered, target } of cells) {
    const line = `${row === 'none' ? 'none' : `\`${row}\``} | ${answered === '' ? 'nothing' : answered === 'a failure' ? answered : `\`${answered.replaceAll('|', '\\|').replace(/[0-9a-f]{24}/g, '…')}\``}`;
    const key = `${verb}\n${line}`;
    lines.set(key, [...(lines.get(key) ?? []), target]);
  }
  const verbs = [...new Set(cells.map(({ verb }) => verb))];
  const rows = verbs.flatMap((verb) =>
    [...lines]
      .filter(([key]) => key.startsWith(`${verb}\n`))
      .map(([key, targets]) => `| ${verb} | ${targets.join(', ')} | ${key.slice(verb.length + 1)} |\n`),
  );
  return `\n## ${source}\n\n| Verb | Into | State of the row afterwards | The sender is answered |\n|---|---|---|---|\n${rows.join('')}`;
}
