import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Starts the files that take longest first. If the longest file starts last, one worker runs it
 * while the others have nothing to do. Without the times of an earlier run vitest orders files by
 * size, which says little about files that wait for programs. Files that are not named here follow
 * in that order, those that start programs before those that only compute.
 */
const SLOWEST = [
  'test/security/red-team/red-team',
  'test/e2e/workers',
  'test/web/dashboard',
  'test/e2e/package',
  'test/web/actions',
  'test/e2e/remote-sessions',
  'test/e2e/kill-points',
  'test/e2e/demo',
  'test/e2e/one-dialog',
  'test/e2e/bad-input',
  'test/e2e/approvals',
  'test/e2e/postgres-store',
  'test/e2e/readme',
  'test/e2e/talk',
  'test/e2e/survival',
  'test/web/restart',
  'test/web/accessibility',
  'test/e2e/hooks',
  'test/screen/recordings',
  'test/e2e/oneshot-regressions',
  'test/cluster/cluster',
  'test/e2e/oneshot',
  'test/e2e/graphs',
  'test/security/approvals',
  'test/e2e/foreground',
  'test/e2e/gate-answers',
  'test/e2e/mcp',
  'test/e2e/sessions',
  'test/store/damaged-file',
  'test/e2e/pipelines',
  'test/e2e/upkeep',
]
const STARTS_PROGRAMS =
  /\.integration\.test\.ts$|\/test\/(?:web|e2e|cluster|telegram|security|server|demo-agent|store)\//

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const named = SLOWEST.findIndex(name => moduleId.endsWith(`/${name}.test.ts`))
  if (named >= 0) return named
  return STARTS_PROGRAMS.test(moduleId) ? SLOWEST.length : SLOWEST.length + 1
}
