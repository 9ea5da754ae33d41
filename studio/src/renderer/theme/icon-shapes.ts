/** Every icon: what is inside a 16 by 16 drawing, stroked unless it says otherwise. */
export const iconShapes = {
  api: '<circle cx="8" cy="8" r="6.25"/><path d="M1.75 8h12.5M8 1.75c2 1.9 2.75 4 2.75 6.25S10 12.35 8 14.25C6 12.35 5.25 10.25 5.25 8S6 3.65 8 1.75z"/>',
  bell: '<path d="M4 7a4 4 0 0 1 8 0c0 3 1.25 4 1.25 4H2.75S4 10 4 7zM6.75 13.25a1.3 1.3 0 0 0 2.5 0"/>',
  breakpoint: '<circle cx="8" cy="8" r="5" fill="var(--bp)"/>',
  'breakpoint-conditional':
    '<circle cx="8" cy="8" r="5.5" fill="var(--bp)"/><path d="M5.75 6.75h4.5M5.75 9.25h4.5" stroke="var(--bp-glyph)" stroke-width="1.5" stroke-linecap="butt"/>',
  'breakpoint-here':
    '<circle cx="8" cy="8" r="3.25" fill="var(--bp)"/><path d="M1.5 2.75h7.2a1.5 1.5 0 0 1 1.15.55L13.6 8l-3.75 4.7a1.5 1.5 0 0 1-1.15.55H1.5" fill="none" stroke="var(--paused)" stroke-width="1.5" stroke-linejoin="round" stroke-linecap="round"/>',
  'breakpoint-unverified': '<circle cx="8" cy="8" r="4.5" fill="none" stroke="var(--bp-off)" stroke-width="1.5"/>',
  bug: '<path d="M5.25 6.5a2.75 2.75 0 0 1 5.5 0v3.75a2.75 2.75 0 0 1-5.5 0z"/><path d="M5.25 8h-3M13.75 8h-3M5.5 5.5 3.25 3.75M10.5 5.5l2.25-1.75M5.5 11l-2.25 1.75M10.5 11l2.25 1.75M5.25 7.5h5.5"/>',
  bulb: '<path d="M5.75 11.25C5.5 9.75 3.5 8.9 3.5 6.25a4.5 4.5 0 0 1 9 0c0 2.65-2 3.5-2.25 5zM6 13.75h4"/>',
  check: '<path d="m3 8.5 3.25 3.25L13 4.75"/>',
  'chevron-down': '<path d="m4 6 4 4 4-4"/>',
  'chevron-right': '<path d="m6 4 4 4-4 4"/>',
  clock: '<circle cx="8" cy="8" r="6.25"/><path d="M8 4.5V8l2.5 1.5"/>',
  close: '<path d="m4 4 8 8M12 4l-8 8"/>',
  code: '<path d="M5.5 4.25 2 8l3.5 3.75M10.5 4.25 14 8l-3.5 3.75"/>',
  collapse: '<path d="M4 2.5 8 6l4-3.5M4 13.5 8 10l4 3.5"/>',
  copy: '<rect x="5.25" y="5.25" width="8.5" height="8.5" rx="1.25"/><path d="M10.75 5.25v-2a1 1 0 0 0-1-1h-6.5a1 1 0 0 0-1 1v6.5a1 1 0 0 0 1 1h2"/>',
  database:
    '<ellipse cx="8" cy="3.75" rx="5.25" ry="2"/><path d="M2.75 3.75v8.5c0 1.1 2.35 2 5.25 2s5.25-.9 5.25-2v-8.5M2.75 8c0 1.1 2.35 2 5.25 2s5.25-.9 5.25-2"/>',
  deliver:
    '<path d="M6.5 2.75H4.25a1.5 1.5 0 0 0-1.5 1.5v7.5a1.5 1.5 0 0 0 1.5 1.5H6.5"/><path d="M6.5 8h7.25M10.5 4.75 13.75 8l-3.25 3.25"/>',
  download: '<path d="M8 2v8M4.75 7 8 10.25 11.25 7M2.75 13.5h10.5"/>',
  error: '<circle cx="8" cy="8" r="6.25"/><path d="m5.75 5.75 4.5 4.5M10.25 5.75l-4.5 4.5"/>',
  eye: '<path d="M1.5 8S3.75 3.75 8 3.75 14.5 8 14.5 8 12.25 12.25 8 12.25 1.5 8 1.5 8z"/><circle cx="8" cy="8" r="1.75"/>',
  field: '<rect x="2" y="5" width="12" height="6" rx="1.25"/><path d="M4.75 8h3.5"/>',
  files: '<path d="M9.5 1.75H4.25a1 1 0 0 0-1 1v10.5a1 1 0 0 0 1 1h7.5a1 1 0 0 0 1-1V5z"/><path d="M9.5 1.75V5h3.25"/>',
  filter: '<path d="M2 3.25h12L9.5 8.5v4l-3 1.25V8.5z"/>',
  fit: '<path d="M2.25 5.5V3.25a1 1 0 0 1 1-1H5.5M10.5 2.25h2.25a1 1 0 0 1 1 1V5.5M13.75 10.5v2.25a1 1 0 0 1-1 1H10.5M5.5 13.75H3.25a1 1 0 0 1-1-1V10.5"/>',
  flow: '<circle cx="3.25" cy="8" r="1.5"/><path d="M4.75 8h3"/><rect x="7.75" y="5.75" width="4.5" height="4.5" rx="1"/><path d="M12.25 8h2"/>',
  flows:
    '<circle cx="3.5" cy="4" r="1.75"/><circle cx="12.5" cy="12" r="1.75"/><path d="M5.25 4H8a2 2 0 0 1 2 2v.5M10.75 12H8a2 2 0 0 1-2-2v-.5M6 9.5 10 6.5"/>',
  fn: '<path d="M10.75 3.25c-1.75-.75-2.5.25-2.75 1.75l-1 6c-.25 1.5-1 2.5-2.75 1.75M5.5 7h5"/>',
  folder: '<path d="M1.75 4.25a1 1 0 0 1 1-1h3.1l1.5 1.75h5.9a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H2.75a1 1 0 0 1-1-1z"/>',
  gate: '<path d="M8 1.75 13 3.5v4.25c0 3.1-2.1 5.4-5 6.5-2.9-1.1-5-3.4-5-6.5V3.5z"/><path d="m5.75 7.9 1.6 1.6 2.9-3.1"/>',
  gather:
    '<path d="M8 2v6.75M5 6l3 3 3-3"/><path d="M2.25 9.5v2.75a1.5 1.5 0 0 0 1.5 1.5h8.5a1.5 1.5 0 0 0 1.5-1.5V9.5"/>',
  gear: '<circle cx="8" cy="8" r="2"/><path d="M8 1.75v2M8 12.25v2M1.75 8h2M12.25 8h2M3.6 3.6 5 5M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4"/>',
  git: '<circle cx="4.5" cy="3.5" r="1.5"/><circle cx="4.5" cy="12.5" r="1.5"/><circle cx="11.5" cy="5.5" r="1.5"/><path d="M4.5 5v6M11.5 7c0 2.25-2 3-4.25 3.25-1.5.15-2.5.5-2.75 1"/>',
  graph:
    '<rect x="1.75" y="6" width="4" height="4" rx="1"/><rect x="10.25" y="2" width="4" height="4" rx="1"/><rect x="10.25" y="10" width="4" height="4" rx="1"/><path d="M5.75 8H8M10.25 4H9a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h1.25"/>',
  hand: '<path d="M5 8.25V4a1 1 0 0 1 2 0v3.25M7 7V2.75a1 1 0 0 1 2 0V7M9 7.25V3.5a1 1 0 0 1 2 0v4M11 7.75V5.5a1 1 0 0 1 2 0v4.25a4.5 4.5 0 0 1-4.5 4.5H8c-1.5 0-2.5-.6-3.4-1.85L2.5 9.5a1 1 0 0 1 1.6-1.15L5 9.25"/>',
  help: '<circle cx="8" cy="8" r="6.25"/><path d="M6.25 6.25a1.8 1.8 0 1 1 2.6 1.6c-.55.3-.85.65-.85 1.15v.25M8 11.25v.1"/>',
  hourglass:
    '<path d="M4 1.75h8M4 14.25h8M5 1.75v2.5C5 6 8 7 8 8s-3 2-3 3.75v2.5M11 1.75v2.5C11 6 8 7 8 8s3 2 3 3.75v2.5"/>',
  http: '<path d="M9.25 2.75h4v4M13.25 2.75 7.5 8.5"/><path d="M11.75 9.25v3a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1h3"/>',
  info: '<circle cx="8" cy="8" r="6.25"/><path d="M8 7.25v4M8 4.75v.1"/>',
  link: '<path d="M6.75 9.25 9.25 6.75M7.25 4.75 8.9 3.1a2.8 2.8 0 0 1 4 4L11.25 8.75M8.75 11.25 7.1 12.9a2.8 2.8 0 0 1-4-4L4.75 7.25"/>',
  lock: '<rect x="3.25" y="7" width="9.5" height="7" rx="1.25"/><path d="M5.25 7V5a2.75 2.75 0 0 1 5.5 0v2"/>',
  logpoint: '<path d="M8 2.5 13.5 8 8 13.5 2.5 8z" fill="var(--bp)"/>',
  mail: '<rect x="1.75" y="3.25" width="12.5" height="9.5" rx="1.25"/><path d="m2.25 4.25 5.75 4.5 5.75-4.5"/>',
  minus: '<path d="M3 8h10"/>',
  more: '<path d="M3.5 8h.01M8 8h.01M12.5 8h.01" stroke-width="1.75"/>',
  okc: '<circle cx="8" cy="8" r="6.25"/><path d="m5.25 8.25 2 2 3.5-4"/>',
  'panel-bottom': '<rect x="2.25" y="2.75" width="11.5" height="10.5" rx="1.5"/><path d="M2.25 9.75h11.5"/>',
  'panel-left': '<rect x="2.25" y="2.75" width="11.5" height="10.5" rx="1.5"/><path d="M6.25 2.75v10.5"/>',
  'panel-right': '<rect x="2.25" y="2.75" width="11.5" height="10.5" rx="1.5"/><path d="M9.75 2.75v10.5"/>',
  pause: '<path d="M5.25 3v10M10.75 3v10" stroke-width="1.75"/>',
  pin: '<path d="M6 2.25h4l-.5 4.25 2.25 2.25H4.25L6.5 6.5zM8 8.75v5"/>',
  play: '<path d="M4.75 2.9v10.2c0 .4.43.64.77.43l8-5.1a.5.5 0 0 0 0-.86l-8-5.1a.5.5 0 0 0-.77.43z"/>',
  plug: '<path d="M6 1.75v3M10 1.75v3M4 4.75h8V7a4 4 0 0 1-8 0zM8 11v3.25"/>',
  plus: '<path d="M8 3v10M3 8h10"/>',
  product:
    '<path d="M2 4.5h12M2 11.5h5.25M11.5 11.5H14"/><circle cx="9.4" cy="11.5" r="1.6" fill="currentColor" stroke="none"/><path d="M2 8h8"/>',
  pull: '<rect x="2.25" y="2" width="11.5" height="3" rx="1"/><path d="M8 7v6.5M5 10.75l3 3 3-3"/>',
  pulse: '<path d="M1.5 8.5h2.75L6.25 3l3.5 10 2-4.5h2.75"/>',
  queue:
    '<rect x="2.25" y="3" width="11.5" height="2.75" rx="1"/><rect x="2.25" y="7.25" width="11.5" height="2.75" rx="1"/><path d="M4 13h5.5M11.5 11.75 13 13l-1.5 1.25"/>',
  'queue-kind':
    '<rect x="1.75" y="4.25" width="12.5" height="7.5" rx="1.25"/><path d="M5.25 6.5v3M8 6.5v3M10.75 6.5v3"/>',
  redo: '<path d="M2.5 12.5V10a4 4 0 0 1 4-4h7M10.5 3l3 3-3 3"/>',
  refresh: '<path d="M13.25 8A5.25 5.25 0 1 1 11.5 4.1L13.25 5.75M13.25 2.5v3.25H10"/>',
  restart: '<path d="M12.9 9.5A5.1 5.1 0 1 1 12 4.75L13.25 6M13.25 2.75V6H10"/><path d="M8 5.75V8.5l1.75 1"/>',
  search: '<circle cx="7" cy="7" r="4.25"/><path d="m10.25 10.25 3.5 3.5"/>',
  send: '<path d="M14 2 7.25 8.75M14 2 9.75 14 7.25 8.75 2 6.25z"/>',
  shape:
    '<path d="M5.75 2.5H5a1.75 1.75 0 0 0-1.75 1.75v2.1c0 .9-.5 1.65-1.25 1.65.75 0 1.25.75 1.25 1.65v2.1A1.75 1.75 0 0 0 5 13.5h.75M10.25 2.5H11a1.75 1.75 0 0 1 1.75 1.75v2.1c0 .9.5 1.65 1.25 1.65-.75 0-1.25.75-1.25 1.65v2.1A1.75 1.75 0 0 1 11 13.5h-.75"/><path d="M6.75 8h2.5"/>',
  split: '<rect x="2.25" y="2.75" width="11.5" height="10.5" rx="1.5"/><path d="M8 2.75v10.5"/>',
  'step-back':
    '<path d="M13.5 9.25A5.6 5.6 0 0 0 3.25 6.5M2.75 3.25V7H6.5"/><circle cx="8" cy="12" r="1.5" fill="currentColor" stroke="none"/>',
  'step-into':
    '<path d="M8 1.75V8.5M5 5.75l3 3 3-3"/><circle cx="8" cy="12.5" r="1.5" fill="currentColor" stroke="none"/>',
  'step-out': '<path d="M8 9V2.25M5 5l3-3 3 3"/><circle cx="8" cy="12.5" r="1.5" fill="currentColor" stroke="none"/>',
  'step-over':
    '<path d="M2.5 9.25A5.6 5.6 0 0 1 12.75 6.5M13.25 3.25V7H9.5"/><circle cx="8" cy="12" r="1.5" fill="currentColor" stroke="none"/>',
  stop: '<rect x="3.75" y="3.75" width="8.5" height="8.5" rx="1.25"/>',
  tape: '<circle cx="4.5" cy="8" r="2.75"/><circle cx="11.5" cy="8" r="2.75"/><path d="M4.5 10.75h7"/>',
  template: '<rect x="2.25" y="2.25" width="11.5" height="11.5" rx="1.5"/><path d="M2.25 6h11.5M6 6v7.75"/>',
  terminal: '<path d="m3 4.5 3.5 3.5L3 11.5M8 12h5"/>',
  test: '<path d="M6 1.75h4M6.75 1.75v4.5L3.25 12.5a1.2 1.2 0 0 0 1.05 1.75h7.4a1.2 1.2 0 0 0 1.05-1.75L9.25 6.25v-4.5M5 10h6"/>',
  trash:
    '<path d="M2.5 4.25h11M6.25 4.25v-2h3.5v2M4 4.25l.6 9a1 1 0 0 0 1 .95h4.8a1 1 0 0 0 1-.95l.6-9M6.75 7v4.5M9.25 7v4.5"/>',
  tree: '<path d="M3.25 2.5v9a1 1 0 0 0 1 1h2.5M3.25 6h3.5"/><path d="M9 6h4.5M9 12.5h4.5M5.5 2.5h8"/>',
  type: '<path d="M3 4.5V3h10v1.5M8 3v10M6 13h4"/>',
  undo: '<path d="M13.5 12.5V10a4 4 0 0 0-4-4h-7M5.5 3l-3 3 3 3"/>',
  warning:
    '<path d="M7.1 2.6 1.9 11.7a1.05 1.05 0 0 0 .9 1.55h10.4a1.05 1.05 0 0 0 .9-1.55L8.9 2.6a1.05 1.05 0 0 0-1.8 0zM8 6v3.25M8 11.25v.1"/>',
  'window-maximize': '<rect x="4" y="4" width="8" height="8" rx="1"/>',
  'window-minimize': '<path d="M3.5 8h9"/>',
} as const;

export type IconName = keyof typeof iconShapes;
