import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take longest, begun first: the last file of a run that is also the longest keeps one worker busy and the others waiting.
 * Without times of an earlier run vitest goes by the size of a file, which says little about one that waits for programs. What is not
 * named here comes in that order, those that start programs before those that only compute.
 */
const DEAREST = [
  'test/web/dashboard',
  'test/e2e/oneshot-regressions',
  'test/e2e/graphs',
  'test/web/actions',
  'test/web/restart',
  'test/e2e/pipeline-trouble',
  'test/e2e/pipelines',
  'test/telegram/runs',
  'test/telegram/kill-points',
  'test/e2e/kill-points',
  'test/e2e/hooks',
  'test/web/accessibility',
  'test/security/daemon',
]
const STARTS_PROGRAMS = /\/test\/(?:web|e2e|telegram|security|server|demo-agent|store)\//

export class DearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const named = DEAREST.findIndex(name => moduleId.endsWith(`/${name}.test.ts`))
  if (named >= 0) return named
  return STARTS_PROGRAMS.test(moduleId) ? DEAREST.length : DEAREST.length + 1
}
