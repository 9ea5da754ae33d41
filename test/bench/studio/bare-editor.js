// An editor with a text as long as those of the projects, and nothing around it.
import { editor } from 'monaco-editor/editor/editor.api.js';

const lines = Array.from({ length: 34 }, (_, index) => `  name_${index} = "lower(input.name)"`);
editor
  .create(document.getElementById('root'), {
    value: lines.join('\n'),
    automaticLayout: true,
    minimap: { enabled: false },
  })
  .focus();
