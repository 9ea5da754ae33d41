import { insertText, type RuntimeTables } from '../../../foundation/contracts/sql.ts';

/** The statements of one store, with `:name` parameters. */
export interface StoreTables {
  /** Fail when a table or column is missing. */
  readonly probes: readonly string[];
  readonly create: readonly string[];
  readonly insert: string;
  readonly due: string;
  readonly signalled: string;
  readonly take: string;
  readonly one: string;
  readonly save: string;
  readonly saveUnlessCancelled: string;
  readonly renew: string;
  readonly release: string;
  readonly nextWake: string;
  readonly hold: string;
  readonly pending: string;
  readonly addSignal: string;
  readonly dropSignal: string;
  readonly dropSignals: string;
  readonly requestCancel: string;
  readonly counts: string;
  list(filter: ListedBy): string;
  /** The same without input and results, which may be large. */
  brief(filter: ListedBy): string;
}

interface ListedBy {
  readonly status: boolean;
  readonly saga: boolean;
  readonly after: boolean;
}

const active = `status IN ('running', 'waiting', 'compensating')`;
const unheld = '(lease_until IS NULL OR lease_until <= :now)';

/**
 * Columns of an instance. `wake_at` is when a process has to check it next: the end of the lease while it runs, its
 * earliest time while it waits, null when only a signal resumes it or it has ended.
 */
const columns = {
  id: 'name',
  saga_name: 'name',
  status: 'name',
  current_step: 'int',
  step_name: 'name',
  input: 'json',
  step_results: 'json',
  signal_data: 'json',
  resume_at: 'time',
  await_event: 'name',
  expires_at: 'time',
  step_expires_at: 'time',
  error: 'text',
  progress: 'json',
  created_at: 'time',
  updated_at: 'time',
  owner: 'name',
  lease_until: 'time',
  wake_at: 'time',
  version: 'time',
  cancel_requested_at: 'time',
} as const;

const optional = new Set([
  'step_name',
  'signal_data',
  'resume_at',
  'await_event',
  'expires_at',
  'step_expires_at',
  'error',
  'owner',
  'lease_until',
  'wake_at',
  'cancel_requested_at',
]);

const fixed = ['id', 'saga_name', 'input', 'created_at', 'version', 'cancel_requested_at'];

export function storeTables(table: string, dialect: RuntimeTables): StoreTables {
  const signals = `${table}_signals`;
  // An index is in the schema of its table, so its name has no schema.
  const plain = table.slice(table.lastIndexOf('.') + 1);
  const types = { name: dialect.name, int: 'INTEGER', json: dialect.json, time: 'BIGINT', text: dialect.text };
  const names = Object.keys(columns);
  const selected = Object.entries(columns).map(([name, type]) => (type === 'json' ? dialect.asText(name) : name));
  const definitions = Object.entries(columns).map(
    ([name, type]) => `${name} ${types[type]}${optional.has(name) ? '' : ' NOT NULL'}`,
  );
  const set = names.filter((name) => !fixed.includes(name)).map((name) => `${name} = :${name}`);
  const save = `UPDATE ${table} SET ${set.join(', ')}, version = version + 1 WHERE id = :id AND owner = :mine AND version = :version`;
  const inserted = names.filter((name) => name !== 'cancel_requested_at');
  const select = `SELECT ${selected.join(', ')} FROM ${table}`;
  const plainColumns = Object.entries(columns).filter(([, type]) => type !== 'json');
  const selectBrief = `SELECT ${plainColumns.map(([name]) => name).join(', ')} FROM ${table}`;
  return {
    probes: [`${select} WHERE 1 = 0`, `SELECT workflow, event, body, arrived FROM ${signals} WHERE 1 = 0`],
    create: [
      ...dialect.make(table, [...definitions, 'PRIMARY KEY (id)'], {
        [`${plain}_status_resume_at`]: 'status, resume_at',
        [`${plain}_await_event`]: 'await_event',
        [`${plain}_wake_at`]: 'wake_at',
        [`${plain}_created_at`]: 'created_at, id',
      }),
      ...dialect.make(signals, [
        `workflow ${types.name} NOT NULL`,
        `event ${types.name} NOT NULL`,
        `body ${types.json} NOT NULL`,
        'arrived BIGINT NOT NULL',
        'PRIMARY KEY (workflow, event)',
      ]),
    ],
    insert: insertText(table, inserted),
    due: `SELECT id, version FROM ${table} WHERE wake_at <= :now AND ${active} AND ${unheld} AND saga_name IN (:sagas) ORDER BY wake_at LIMIT :limit`,
    signalled: `SELECT w.id, w.version FROM ${signals} s JOIN ${table} w ON w.id = s.workflow AND w.await_event = s.event WHERE w.status = 'waiting' AND ${unheld} AND (w.wake_at IS NULL OR w.wake_at > :now) AND w.saga_name IN (:sagas) LIMIT :limit`,
    take: `UPDATE ${table} SET owner = :owner, lease_until = :until, wake_at = :until, version = version + 1 WHERE id = :id AND version = :version AND ${active} AND ${unheld}`,
    one: `${select} WHERE id = :id`,
    save,
    saveUnlessCancelled: `${save} AND cancel_requested_at IS NULL`,
    renew: `UPDATE ${table} SET lease_until = :until, wake_at = :until WHERE id IN (:ids) AND owner = :owner`,
    release: `UPDATE ${table} SET owner = NULL, lease_until = NULL, wake_at = :now WHERE id = :id AND owner = :owner AND version = :version`,
    nextWake: `SELECT MIN(wake_at) AS wake_at FROM ${table} WHERE status = 'waiting' AND saga_name IN (:sagas)`,
    hold: `UPDATE ${table} SET updated_at = :now WHERE id = :id AND status IN ('running', 'waiting')`,
    pending: `SELECT ${dialect.asText('body')} FROM ${signals} WHERE workflow = :id AND event = :event`,
    addSignal: `INSERT INTO ${signals} (workflow, event, body, arrived) VALUES (:id, :event, :body, :now)`,
    dropSignal: `DELETE FROM ${signals} WHERE workflow = :id AND event = :event`,
    dropSignals: `DELETE FROM ${signals} WHERE workflow = :id`,
    requestCancel: `UPDATE ${table} SET cancel_requested_at = :now, updated_at = :now, wake_at = CASE WHEN status = 'waiting' THEN :now ELSE wake_at END WHERE id = :id AND status IN ('running', 'waiting') AND step_name IS NOT NULL AND cancel_requested_at IS NULL`,
    counts: `SELECT saga_name, status, COUNT(*) AS number FROM ${table} WHERE ${active} GROUP BY saga_name, status`,
    list: (filter) => `${select}${listedBy(filter)}`,
    brief: (filter) => `${selectBrief}${listedBy(filter)}`,
  };
}

function listedBy({ status, saga, after }: ListedBy): string {
  const conditions = [
    ...(status ? ['status = :status'] : []),
    ...(saga ? ['saga_name = :saga'] : []),
    ...(after ? ['(created_at < :at OR (created_at = :at AND id < :id))'] : []),
  ];
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  return `${where} ORDER BY created_at DESC, id DESC LIMIT :limit`;
}
