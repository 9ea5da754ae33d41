/** One way in which a flow fails. */
export interface Way {
  /** The name of its operations; its first letter is small. */
  readonly name: string;
  /** What the page calls it. */
  readonly title: string;
  /** Blocks of the flow behind `from`. */
  readonly body: string;
  /** Steps of a saga in place of a flow. */
  readonly saga?: true;
  /** The type of the field of GraphQL. Default: an object. */
  readonly field?: string;
  /** Root blocks beside the flows. */
  readonly beside?: string;
  /** One flow of it has to have failed, or to be under way, before it fails so everywhere. */
  readonly before?: 'asked' | 'asking';
  /** It is asked of servers with a time for an answer, which know their callers. */
  readonly limits?: 'callers' | 'time';
  /** The reason is known to operators alone: production tells an id, and logs it with these words. */
  readonly hidden?: RegExp;
}

/** What begins the flows of each way. */
export const places = [
  'rest',
  'mutation',
  'subscription',
  'grpc',
  'stream',
  'soap11',
  'soap12',
  'json',
  'msgpack',
  'nestjs',
  'live',
  'word',
] as const;

const missing = `step "x" {
    connector = "db"
    query     = "SELECT * FROM secret_table"
  }`;
const shaped = (status: number) => `response {
    http_status_code = "${status}"
    code             = "'SOLD_OUT'"
    message          = "'that is sold out'"
  }`;
const written = (
  status: number,
  body = 'body {\n        code    = "\'SOLD_OUT\'"\n        message = "\'that is sold out\'"\n      }',
) => `${missing}
  error_handling {
    error_response {
      status = ${status}
      ${body}
    }
  }`;

export const ways: readonly Way[] = [
  { name: 'refused', title: 'The message does not fit its type', body: 'validate {\n    input = "numbered"\n  }' },
  {
    name: 'long',
    title: 'The message is larger than the limit of its flow',
    body: 'response {\n    a = "input.n"\n  }',
    beside: `security {\n${places.map((place) => `  flow "long_${place}" {\n    max_input_length = 1\n  }\n`).join('')}}\n`,
  },
  {
    name: 'frequent',
    title: 'More messages than a rate limit lets through',
    body: 'response {\n    a = "input.n"\n  }',
    before: 'asked',
    beside:
      'aspect "rate" {\n  on = ["frequent_*"]\n  when = "before"\n  rate_limit {\n    key = "\'all\'"\n    requests_per_second = 0.001\n    burst = 1\n  }\n}\n',
  },
  {
    name: 'tripped',
    title: 'A circuit breaker is open',
    body: missing,
    before: 'asked',
    hidden: /circuit|breaker/,
    beside:
      'aspect "breaker" {\n  on = ["tripped_*"]\n  when = "around"\n  circuit_breaker {\n    name = "broken"\n    failure_threshold = 1\n    timeout = "1h"\n  }\n}\n',
  },
  {
    name: 'crowded',
    title: 'No permit of a semaphore comes in time',
    body: `semaphore {
    key         = "'all'"
    max_permits = 1
    timeout     = "100ms"
  }
  step "x" {
    connector = "endless"
    operation = "GET /"
  }`,
    before: 'asking',
    hidden: /wait_timeout/,
  },
  {
    name: 'denied',
    title: '`require`, of a caller without the permission',
    body: 'require {\n    permissions = ["write"]\n  }',
    limits: 'callers',
  },
  {
    name: 'endless',
    title: 'The flow takes longer than its server waits',
    body: 'step "x" {\n    connector = "endless"\n    operation = "GET /"\n  }',
    limits: 'time',
  },
  { name: 'anonymous', title: '`require`, without a caller', body: 'require { }' },
  {
    name: 'computed',
    title: 'An expression fails',
    body: 'response {\n    a = "[1][5]"\n  }',
    hidden: /expression_failed/,
  },
  { name: 'asked', title: 'A connector fails', body: missing, hidden: /secret_table/ },
  {
    name: 'late',
    title: 'A connector does not answer in time',
    body: 'step "x" {\n    connector = "slow"\n    operation = "GET /"\n  }',
    hidden: /connector_timeout/,
  },
  {
    name: 'unfit',
    title: 'The answer does not fit its type',
    body: 'validate {\n    output = "numbered"\n  }\n  response {\n    m = "1"\n  }',
    hidden: /output_invalid/,
  },
  {
    name: 'undone',
    title: 'A saga is undone',
    saga: true,
    body: 'step "a" {\n    action {\n      connector = "db"\n      query     = "SELECT * FROM secret_table"\n    }\n  }',
  },
  { name: 'handled', title: '`error_response` with a body', body: written(409) },
  { name: 'bare', title: '`error_response` without a body', body: written(503, ''), hidden: /secret_table/ },
  { name: 'mild', title: '`error_response` with a status below 400', body: written(200) },
  { name: 'bad', title: '`http_status_code` of 400', body: shaped(400) },
  { name: 'gone', title: '`http_status_code` of 404', body: shaped(404) },
  { name: 'broken', title: '`http_status_code` of 500', body: shaped(500) },
  {
    name: 'chosen',
    title: '`http_status_code` of 409 beside a `grpc_status_code` of 6',
    body: shaped(409).replace('code             =', 'grpc_status_code = "6"\n    code             ='),
  },
];
