/** Keys of the JetBrains keymap, by id of the command; what it does not name keeps its default. */
export const jetbrainsKeys: Readonly<Record<string, string>> = {
  'debug.continue': 'f9',
  'debug.stop': 'mod+f2',
  'debug.toggleBreakpoint': 'mod+f8',
  'debug.stepOver': 'f8',
  'debug.stepInto': 'f7',
  'debug.stepOut': 'shift+f8',
  'debug.runToHere': 'alt+f9',
  'debug.evaluate': 'alt+f8',
};

/** Keys that a browser keeps for itself, and what the studio listens to besides while it is shown in one. */
export const browserKeys: Readonly<Record<string, string>> = {
  'mod+w': 'alt+w',
  'mod+n': 'alt+n',
  'mod+t': 'alt+t',
  'mod+tab': 'alt+pagedown',
  'mod+shift+tab': 'alt+pageup',
  'mod+pagedown': 'alt+pagedown',
  'mod+pageup': 'alt+pageup',
  'mod+shift+w': 'alt+shift+w',
  'mod+shift+n': 'alt+shift+n',
  'mod+shift+t': 'alt+shift+t',
};
