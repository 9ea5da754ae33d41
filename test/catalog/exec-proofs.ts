import type { Proof } from './proof.ts';

const call = 'runtime/src/connectors/exec/call.test.ts';
const local = 'runtime/src/connectors/exec/local/connector.test.ts';
const remote = 'runtime/src/connectors/exec/ssh/connector.test.ts';
const used = 'test/scenarios/programs/scenario.test.ts';
const named: Proof = [call, 'a named operation has a command, arguments and formats of its own'];
const order: Proof = [call, 'come in the order: block, operation, target, call, fields'];
const given: Proof = [call, 'is what `stdin` gives: texts, bytes and files as they are, else JSON'];
const inEnrichment: Proof = [used, 'by a step without an operation, and an enrichment with arguments'];
const inDestination: Proof = [used, 'by a destination and an action with arguments and input of their own'];
const file: Proof = [call, 'as a file, which is kept until its message has ended'];
const turns: Proof = [
  local,
  'A-03: further calls wait for their turn, and too many fail at once; one that failed makes room',
];
const failing: Proof = [local, 'a status other than 0 tells it with the end of standard error'];

/** What is written of programs, whatever machine they run on; operations and words among it. */
const everywhere: Readonly<Record<string, Proof>> = {
  command: [
    local,
    'a name is looked for in PATH, a path is taken from the configuration directory, in which programs run',
  ],
  args: order,
  shell: [local, 'is %s'],
  timeout: failing,
  kill_after: [local, 'the time between the signals is kill_after'],
  input_format: [call, 'is the fields as JSON; without any, it is empty'],
  output_format: [call, 'as text, untrimmed, and as lines with their numbers'],
  content_type: file,
  max_output: [call, 'A-06: a program that writes without end is ended at max_output'],
  max_stderr: failing,
  max_processes: turns,
  max_waiting: turns,
  'operation.command': named,
  'operation.args': named,
  'operation.input_format': named,
  'operation.output_format': named,
  'operation.content_type': named,
  'to.args': inDestination,
  'to.stdin': inDestination,
  'step.args': order,
  'step.stdin': given,
  'action.args': inDestination,
  'action.stdin': inDestination,
  'enrich.args': inEnrichment,
  'enrich.stdin': inEnrichment,
};

/** What is written of programs of this machine. */
export const localPrograms: Readonly<Record<string, Proof>> = {
  ...everywhere,
  inherit_env: [
    local,
    'are few of the service, those that are named, and those of the block; A-11: its secrets are not among them',
  ],
  working_dir: [
    local,
    'a name is looked for in PATH, a path is taken from the configuration directory, in which programs run',
  ],
};

const reached: Proof = [remote, 'R-79: what cannot work is reported at start: the host, the key, files, programs'];

/** What is written of programs of another machine. */
export const remotePrograms: Readonly<Record<string, Proof>> = {
  ...everywhere,
  working_dir: [remote, 'input, folder and variables reach the program; variables are in no list of processes'],
  'ssh.host': reached,
  'ssh.port': reached,
  'ssh.user': [remote, 'a user that the other machine does not know is refused'],
  'ssh.key_file': reached,
  'ssh.known_hosts': reached,
  'ssh.password': ['runtime/src/connectors/exec/ssh/spec.test.ts', 'a password needs a key, and is not used'],
};
