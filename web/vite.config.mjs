// The build of the dashboard: `web/` → `dist/web`, which the daemon serves. No plugins, downloads
// or inline scripts.
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
    // Every asset is a file: the content security policy allows no inline scripts, and `data:` only
    // for images.
    assetsInlineLimit: 0,
    // The licence notices of the bundled packages.
    license: { fileName: 'LICENSES.txt' },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 600,
  },
})
