// Which sources are mutated, and which tests should notice. `isBarred`: fewer than 10 % may
// survive.
export const GROUPS = {
  decisions: {
    isBarred: true,
    sources: ['src/approvals/decide.ts', 'src/approvals/approval-table.ts', 'src/approvals/record.ts'],
    tests: ['src/approvals/*.test.ts', 'test/approvals/one-policy.test.ts'],
  },
  risk: {
    isBarred: true,
    sources: ['src/approvals/risk/*-rules.ts'],
    tests: ['src/approvals/risk*.test.ts', 'src/approvals/risk/*.test.ts', 'test/approvals/risk-corpus.test.ts'],
  },
  runs: {
    isBarred: true,
    sources: [
      'src/engine/graph/graph-decide.ts',
      'src/engine/graph/decide-*.ts',
      'src/engine/graph/*evolve*.ts',
      'src/engine/run-status-table.ts',
      'src/engine/runs-projection.ts',
    ],
    tests: ['src/engine/**/*.test.ts'],
  },
  oneshot: {
    isBarred: true,
    sources: ['src/oneshot/oneshot-table.ts', 'src/oneshot/decide*.ts', 'src/oneshot/*evolve*.ts'],
    tests: ['src/oneshot/**/*.test.ts'],
  },
  phases: {
    isBarred: true,
    sources: ['src/sessions/live/phase-table.ts', 'src/sessions/live/session-record.ts'],
    tests: ['src/sessions/live/*.test.ts', 'src/sessions/*.test.ts'],
  },
  statuses: {
    isBarred: true,
    sources: ['src/panes/status-table.ts', 'src/worktrees/worktree-fate-table.ts', 'src/graph/attribute-table.ts'],
    tests: ['src/panes/*.test.ts', 'src/worktrees/*.test.ts', 'src/graph/**/*.test.ts'],
  },
  approvals: {
    isBarred: false,
    sources: ['src/approvals/*.ts', 'src/approvals/risk/*.ts', 'src/sessions/requests/apply-menu*.ts'],
    tests: [
      'src/approvals/**/*.test.ts',
      'src/sessions/requests/apply-menu*.test.ts',
      'test/approvals/one-policy.test.ts',
      'test/approvals/risk-corpus.test.ts',
    ],
  },
  screen: {
    isBarred: false,
    sources: ['src/screen/**/*.ts'],
    tests: ['src/screen/**/*.test.ts', 'test/screen/*.test.ts', 'test/packs/*.test.ts', 'test/blocks/*.test.ts'],
  },
}
