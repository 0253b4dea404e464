import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    pool: 'forks',
    // Most tests wait for programs, not for the processor.
    maxWorkers: 4,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    passWithNoTests: false,
  },
})
