import { defineConfig } from 'vitest/config'
import { DearestFirst } from './test/support/dearest-first.js'

export default defineConfig({
  test: {
    pool: 'forks',
    // Most tests wait for programs, not for the processor.
    maxWorkers: 3,
    // Far beyond what a test takes: it ends one that hangs, and judges no machine's speed.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Real programs, terminals and kills on a machine that somebody else loads: what fails there is tried once more. `npm test` names
    // those; SIGNALBOX_TEST_RETRY=0 is for finding out why.
    retry: Number(process.env.SIGNALBOX_TEST_RETRY ?? 1),
    sequence: { sequencer: DearestFirst },
    passWithNoTests: false,
    projects: [
      {
        extends: true,
        test: { name: 'whole', include: ['test/**/*.test.ts'], globalSetup: ['test/support/compile-children.ts'] },
      },
      {
        extends: true,
        // Files beside the code follow each other in one process: loading the same rooms anew for each of them took as long as all
        // their tests. They change nothing of the process but what they put back.
        test: { name: 'rooms', include: ['src/**/*.test.ts', 'web/src/**/*.test.ts'], isolate: false },
      },
    ],
  },
})
