import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Real CLIs are slow to start: one at a time. `--matrix` runs the matrix of prompts only. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: [process.env.SIGNALBOX_TEST_MATRIX ? 'test/agents/**/*.matrix.ts' : 'test/agents/**/*.agents.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 180_000,
    hookTimeout: 300_000,
    sequence: { concurrent: false },
  },
})
