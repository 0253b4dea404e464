// The dashboard's own build: `web/` → `dist/web`, served as it is by the daemon. No plugin, no download, no inline script.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = path => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: here('.'),
  base: '/',
  cacheDir: here('../node_modules/.vite-web'),
  clearScreen: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: here('../dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    // Every asset is a file of its own: the page's policy allows no inline script, and data: only for pictures.
    assetsInlineLimit: 0,
    // The notices that the licences of what is inside ask to be kept.
    license: { fileName: 'LICENSES.txt' },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 600,
  },
})
