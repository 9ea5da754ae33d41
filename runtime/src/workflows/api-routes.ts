/** What the HTTP interface to workflows serves. */
export const apiRoutes = {
  list: 'GET /workflows',
  get: 'GET /workflows/:id',
  signal: 'POST /workflows/:id/signal/:event',
  cancel: 'POST /workflows/:id/cancel',
} as const;
