/** What `offset` of a consumer block may be. */
export const startPositionPattern = {
  source: '^(earliest|latest|\\d{1,18}|\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?(Z|[+-]\\d\\d:\\d\\d))$',
  says: 'must be "earliest", "latest", an offset, or a time such as "2026-01-31T08:00:00Z"',
};
