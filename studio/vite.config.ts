import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The window: plain files that either host serves, with a relative base so that it does not matter from where. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react()],
  worker: { format: 'es' },
  build: {
    outDir: 'dist/renderer',
    emptyOutDir: true,
    target: 'chrome140',
    sourcemap: false,
    chunkSizeWarningLimit: 4000,
    // Strict content policies refuse inline resources other than images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
