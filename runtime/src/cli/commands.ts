import { addCommand } from './add/described.ts';
import type { Command } from './command.ts';
import { messageOptions } from './message-options.ts';
import { pluginCommand } from './plugin/described.ts';
import { queueCommand } from './queue/described.ts';

/** Every command, in the order help shows them. Nothing of a command is imported before it is called. */
export const commands: readonly Command[] = [
  {
    name: 'start',
    summary: 'Run the service until a signal stops it.',
    positionals: '[DIR]',
    most: 1,
    options: {
      workers: { kind: 'text', placeholder: 'N', doc: 'Processes that serve requests. Default: SVC_WORKERS, else 1.' },
      'hot-reload': { kind: 'flag', doc: 'Reload when files change. Default: on, except in production.' },
      'no-hot-reload': { kind: 'flag', doc: 'Reload only on SIGHUP.' },
      debug: {
        kind: 'flag',
        doc: 'Serve /debug on the admin port outside development too; needs SVC_DEBUG_TOKEN there.',
      },
      'debug-suspend': {
        kind: 'flag',
        doc: 'Hold queues and streams until a debugger is ready (one process). Default: SVC_DEBUG_SUSPEND.',
      },
      mock: {
        kind: 'list',
        placeholder: 'NAMES',
        doc: 'Connectors that answer from mocks/ and are not opened: a,b or all. May be repeated.',
      },
      'no-mock': { kind: 'list', placeholder: 'NAMES', doc: 'Connectors that are never mocked: a,b or all.' },
      frozen: { kind: 'flag', doc: 'Install only plugins that plugins.lock names, and leave it as it is.' },
      'verbose-flow': { kind: 'flag', doc: 'Log one debug line for every stage (development only).' },
    },
    details: `
SIGTERM and SIGINT stop the service after what is under way is done; a second one stops it at once.
SIGHUP reloads the configuration. A configuration with errors is never loaded: the old one keeps serving.`,
    load: () => import('./commands/start.ts'),
  },
  {
    name: 'validate',
    summary: 'Check a configuration and show every problem; opens no connection.',
    positionals: '[DIR]',
    most: 1,
    options: {
      format: {
        kind: 'text',
        placeholder: 'FORMAT',
        doc: 'How problems are written.',
        choices: ['text', 'json', 'sarif'],
      },
      strict: { kind: 'flag', doc: 'Fail on warnings too.' },
      contract: {
        kind: 'texts',
        placeholder: 'FILE',
        doc: 'Also compare it with this contract (OpenAPI, GraphQL, .proto or .wsdl); may be repeated.',
      },
      workers: {
        kind: 'text',
        placeholder: 'N',
        doc: 'Check for this number of workers. Default: SVC_WORKERS, else 1.',
      },
    },
    details: `
What differs from a contract is an error where callers notice it, such as an operation that is not served, and a warning
elsewhere. Exit status: 0 valid, 1 invalid, 2 wrong usage. The result goes to standard output.

  svc validate --contract openapi.yaml`,
    load: () => import('./commands/validate.ts'),
  },
  {
    name: 'test',
    summary: 'Run the tests below tests/; opens no connection.',
    positionals: '[DIR]',
    most: 1,
    options: {
      filter: { kind: 'text', placeholder: 'TEXT', doc: 'Run only tests whose name or file contains this.' },
      at: {
        kind: 'texts',
        placeholder: 'FILE[:LINE]',
        doc: 'Run only the tests of this file, or the one that is written at this line. May be repeated.',
      },
      debug: { kind: 'flag', doc: 'Run one test when a debugger is ready, which can stop it. Needs --at FILE:LINE.' },
      watch: { kind: 'flag', doc: 'Run again when files change, until a signal ends it.' },
      format: {
        kind: 'text',
        placeholder: 'FORMAT',
        doc: 'How the report is written.',
        choices: ['text', 'json', 'json-lines', 'junit'],
      },
      output: { short: 'o', kind: 'text', placeholder: 'FILE', doc: 'File for the report. Default: standard output.' },
      coverage: { kind: 'flag', doc: 'Report which flows, stages, rules and sides of conditions no test reached.' },
    },
    details: `
A test runs one message through one flow; connectors are recorded, not opened. docs/testing.md shows how to write one.
Exit status: 0 all passed, 1 one failed or the configuration is invalid, 2 wrong usage.`,
    load: () => import('./commands/test.ts'),
  },
  {
    name: 'fmt',
    summary: 'Write files in the canonical layout.',
    positionals: '[PATH …]',
    most: Number.POSITIVE_INFINITY,
    options: { check: { kind: 'flag', doc: 'Change nothing; fail when a file is not in the canonical layout.' } },
    details: `
PATH is a file or a directory; default: the configuration directory. Files with syntax errors are left alone.`,
    load: () => import('./commands/fmt.ts'),
  },
  {
    name: 'check',
    summary: 'Connect to everything the configuration names and report what cannot be reached.',
    positionals: '[DIR]',
    most: 1,
    options: {
      timeout: { kind: 'text', placeholder: 'DURATION', doc: 'Longest wait for each connector. Default: 10s.' },
      'create-queues': { kind: 'flag', doc: 'First declare the queues that are taken from and do not exist, durable.' },
    },
    load: () => import('./commands/check.ts'),
  },
  {
    name: 'trace',
    summary: 'Run one flow for one message and show what each of its stages does.',
    positionals: 'FLOW [DIR]',
    most: 2,
    options: {
      ...messageOptions,
      'dry-run': { kind: 'flag', doc: 'Read, but write and send nothing: show what would be sent.' },
      list: { kind: 'flag', doc: 'Show the flows.' },
      format: { kind: 'text', placeholder: 'FORMAT', doc: 'Default: text.', choices: ['text', 'json'] },
      dap: {
        kind: 'text',
        placeholder: 'PORT',
        doc: 'Wait there for one editor that speaks the Debug Adapter Protocol (development only).',
      },
      breakpoints: { kind: 'flag', doc: 'Stop before the first stage and ask how to continue (development only).' },
      'break-at': {
        kind: 'text',
        placeholder: 'STAGE,…',
        doc: 'Stop before these, which are STAGE, STAGE:NAME or STAGE#RULE, and ask (development only).',
      },
    },
    details: `
Opens the connectors that the flow uses; no server listens and nothing is taken from a queue.
Exit status: 0 when the flow answered or dropped the message, 1 when it failed, 2 wrong usage.
A place of --break-at may be followed by "if CONDITION".

  svc trace create_order --dry-run --input '{"total": 3}'
  svc trace create_order --break-at transform,"write if output.total > 100" --input @order.json`,
    load: () => import('./commands/trace.ts'),
  },
  {
    name: 'preview',
    summary: 'Show the notifications that a flow would send for one message.',
    positionals: 'KIND FLOW [DIR]',
    most: 3,
    options: {
      ...messageOptions,
      output: {
        short: 'o',
        kind: 'text',
        placeholder: 'DIR',
        doc: 'Folder for files: .json of each, .eml and .html of mails.',
      },
      format: { kind: 'text', placeholder: 'FORMAT', doc: 'Default: text.', choices: ['text', 'json'] },
    },
    details: `
KIND is email, sms, push, webhook, the type of another connector that sends notifications, or all. The flow reads, but
writes and sends nothing; no account with a provider is needed.
Exit status: 0 something would be sent, 1 nothing would be, or the flow failed, 2 wrong usage.

  svc preview email welcome --input @person.json
  svc preview email welcome --input @person.json -o preview/`,
    load: () => import('./commands/preview.ts'),
  },
  {
    name: 'migrate',
    summary: 'Apply the SQL files under migrations/ that have not been applied yet.',
    positionals: '[status]',
    most: 1,
    options: {
      connector: { kind: 'text', placeholder: 'NAME', doc: 'Database connector; needed when there are several.' },
    },
    details: `
Files are taken from migrations/<connector>/, else migrations/, in the order of their names; each runs in a transaction
unless its first line is "-- svc: no-transaction". "svc migrate status" shows what is applied and what is not.`,
    load: () => import('./commands/migrate.ts'),
  },
  {
    name: 'workflows',
    summary: 'Look at sagas that wait, signal and cancel them, in the database that keeps them.',
    positionals: '[list | show ID | signal ID EVENT | cancel ID]',
    most: 3,
    options: {
      format: { kind: 'text', placeholder: 'FORMAT', doc: 'How the result is written.', choices: ['text', 'json'] },
      status: { kind: 'text', placeholder: 'STATUS', doc: 'list: only those of this status.' },
      saga: { kind: 'text', placeholder: 'NAME', doc: 'list: only those of this saga.' },
      limit: { kind: 'text', placeholder: 'N', doc: 'list: at most this many. Default: 50.' },
      after: { kind: 'text', placeholder: 'CURSOR', doc: 'list: continues where the list before ended.' },
      data: { kind: 'text', placeholder: 'JSON', doc: 'signal: what the event brings, a JSON object.' },
    },
    details: `
Without an action it lists, the newest first. No running service is needed; one that runs takes up a signal or a
cancellation at its next look into the database, within five seconds.
Exit status: 0 done, 1 the workflow does not exist or cannot take what was asked, 2 wrong usage.`,
    load: () => import('./commands/workflows.ts'),
  },
  {
    name: 'users',
    summary: 'Look at accounts of the sign-in system and change them, in the database that keeps them.',
    positionals: '[ACTION [EMAIL | FILE]]',
    most: 2,
    options: {
      format: { kind: 'text', placeholder: 'FORMAT', doc: 'How the result is written.', choices: ['text', 'json'] },
      role: { kind: 'texts', placeholder: 'NAME', doc: 'add, roles: a role that it has then; may be repeated.' },
      none: { kind: 'flag', doc: 'roles: it has no roles then.' },
      'password-stdin': { kind: 'flag', doc: 'add: its password is standard input. Default: a link that sets one.' },
      end: { kind: 'flag', doc: 'sessions: end them.' },
      remove: {
        kind: 'text',
        placeholder: 'FACTOR',
        doc: 'factors: remove what the person has lost.',
        choices: ['totp', 'passkeys', 'recovery-codes'],
      },
      yes: { kind: 'flag', doc: 'delete, sessions --end, factors --remove: do not ask.' },
      limit: { kind: 'text', placeholder: 'N', doc: 'list: at most this many. Default: 50.' },
      after: { kind: 'text', placeholder: 'EMAIL', doc: 'list: continues where the list before ended.' },
    },
    details: `
ACTION is list, show EMAIL, add EMAIL, lock EMAIL, unlock EMAIL, roles EMAIL, reset EMAIL, sessions EMAIL,
factors EMAIL, delete EMAIL or import FILE; without one it lists. No running service is needed. Whatever takes a
right away, or a factor, ends the sessions of the account.
FILE is CSV with a header, a JSON list, or JSON lines (.csv, .json, .jsonl) of email, password_hash, roles, metadata,
created_at, password_changed_at, locked. Accounts that are there already stay as they are.
Exit status: 0 done, 1 there is no such account or something was refused, 2 wrong usage.

  svc users add ana@example.test --role admin
  svc users factors ana@example.test --remove totp
  svc users import users.csv`,
    load: () => import('./commands/users.ts'),
  },
  {
    name: 'keys',
    summary: 'Replace the key that the sign-in system made for its tokens.',
    positionals: 'rotate',
    most: 1,
    options: {
      format: { kind: 'text', placeholder: 'FORMAT', doc: 'How the result is written.', choices: ['text', 'json'] },
    },
    details: `
Every process signs with the new key within a minute; tokens of the key before stay valid until they end.
Exit status: 0 done, 1 the keys are configured or cannot be kept, 2 wrong usage.`,
    load: () => import('./commands/keys.ts'),
  },
  queueCommand,
  pluginCommand,
  {
    name: 'init',
    summary: 'Write a first service into a directory.',
    positionals: '[NAME]',
    most: 1,
    options: {
      template: { kind: 'text', placeholder: 'TEMPLATE', doc: 'Write this template; --list shows them.' },
      list: { kind: 'flag', doc: 'Show the templates.' },
    },
    details: `
Writes a service, a REST connector on port 3000 and one flow into ./NAME, or into the current directory.
With --template it writes a service of that kind with requests, tests and a README, which runs as it is.
When one of the files exists already, nothing is written.

  svc init shop --template sign-in`,
    load: () => import('./commands/init.ts'),
  },
  addCommand,
  {
    name: 'export',
    summary: 'Write what callers of the service may ask: OpenAPI, AsyncAPI or a GraphQL schema.',
    positionals: 'openapi|asyncapi|graphql|wsdl|proto',
    most: 1,
    options: {
      output: { short: 'o', kind: 'text', placeholder: 'FILE', doc: 'File to write. Default: standard output.' },
      format: { short: 'f', kind: 'text', placeholder: 'FORMAT', doc: 'Default: yaml.', choices: ['yaml', 'json'] },
      'base-url': { kind: 'text', placeholder: 'URL', doc: 'Address of the service in the OpenAPI description.' },
      'openapi-version': {
        kind: 'text',
        placeholder: 'VERSION',
        doc: 'Version of OpenAPI; 3.2 where a flow takes QUERY. Default: 3.0.',
        choices: ['3.0', '3.1'],
      },
      connector: {
        kind: 'text',
        placeholder: 'NAME',
        doc: 'graphql, wsdl, proto: which server, where there are several.',
      },
    },
    details: `
  svc export openapi       what REST connectors serve
  svc export asyncapi      the messages that flows take and send
  svc export graphql       the schema of a GraphQL server
  svc export wsdl, proto   the WSDL of a SOAP server, the definitions of a gRPC server`,
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'docs',
    summary: 'Explain a block, a connector, an attribute or a function.',
    positionals: '[WORD …]',
    most: 4,
    options: {},
    details: `
  svc docs flow            a block
  svc docs rest            a connector
  svc docs flow to when    an attribute
  svc docs format_date     a function of the expression language

What plugins and modules of a configuration add is explained too, in its directory or with --config.`,
    load: () => import('./commands/docs.ts'),
  },
  {
    name: 'studio',
    summary: 'Serve the studio to a browser of this machine: write, run and debug a service.',
    positionals: '[DIR]',
    most: 1,
    options: {
      port: { kind: 'text', placeholder: 'PORT', doc: 'Port of 127.0.0.1. Default: a free one.' },
      open: { kind: 'flag', doc: 'Open the address in a browser.' },
      attach: {
        kind: 'text',
        placeholder: 'HOST:PORT',
        doc: 'Admin port of a service that runs already, instead of starting one.',
      },
      address: { kind: 'text', placeholder: 'URL', doc: 'Where the attached service answers requests.' },
    },
    details: `
Prints an address with a token that lets in one browser, once. Without DIR it opens the current directory when a
configuration is in it, and asks for one otherwise. Nothing of DIR runs before you say so in the studio.
A signal ends the studio and the service that it started. docs/studio.md tells what is safe.`,
    load: () => import('./commands/studio.ts'),
  },
  {
    name: 'lsp',
    summary: 'Serve an editor: problems, completion, hover, rename over standard input and output.',
    options: {},
    details: `
The editor starts it and speaks the Language Server Protocol. Each of its folders is taken for one configuration;
-c DIR names the directory below the folder that holds the configuration. docs/editors.md shows how to set it up.`,
    load: () => import('./commands/lsp.ts'),
  },
  {
    name: 'completion',
    summary: 'Print the completion script of a shell.',
    positionals: 'bash|zsh|fish',
    most: 1,
    options: {},
    details: `
  source <(svc completion bash)`,
    load: async () => ({ run: (await import('./commands/completion.ts')).scriptsOf(commands) }),
  },
  {
    name: 'version',
    summary: 'Print the version.',
    options: {},
    load: () => import('./commands/version.ts'),
  },
];
