import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { compiledSource } from './test/support/compiled-source.js'
import { SlowestFirst } from './test/support/slowest-first.js'

/** Tests beside the code that start programs: git, a shell, PTYs, other Node processes. */
const STARTS_PROGRAMS = 'src/**/*.integration.test.ts'

export default defineConfig({
  plugins: [compiledSource()],
  test: {
    pool: 'forks',
    // Files run one after the other in the same process: loading the same modules again for each of them
    // took as long as the tests. A test restores what it changes of its process.
    isolate: false,
    // Ends a test that hangs. It is far beyond what a test takes on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000, interval: 50 } },
    setupFiles: ['test/support/restore-process.ts'],
    sequence: { sequencer: SlowestFirst },
    passWithNoTests: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts'],
          exclude: [STARTS_PROGRAMS],
          globalSetup: ['test/support/postgres-launcher.ts'],
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts', STARTS_PROGRAMS],
          globalSetup: ['test/support/compile-children.ts', 'test/support/postgres-launcher.ts'],
          // Most of these tests wait for programs, not for the processor.
          maxWorkers: 3 * availableParallelism(),
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
