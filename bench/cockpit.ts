// `npm run bench:cockpit`: CPU time of one redraw of the cockpit with 100 sessions, each redraw
// with every status changed, a long request and a full screen. Bar: 50 ms.
import { paintLine } from '../src/cli/cells.js'
import { clampSelection, drawCockpit, listed } from '../src/cli/cockpit/draw.js'
import { rowsOf } from '../src/cli/cockpit/rows.js'
import { INITIAL_VIEW } from '../src/cli/cockpit/view.js'

const SESSIONS = 100
const REDRAWS = 200
const BAR_MS = 50
const STATUSES = ['waiting-approval', 'running', 'done', 'failed', 'idle'] as const

const panes = (n: number) =>
  Array.from({ length: SESSIONS }, (_, i) => {
    const status = STATUSES[(i + n) % STATUSES.length]!
    return {
      id: `ses_${i}`,
      source: 'session',
      place: String(i),
      name: `Fix the failing test number ${i} 漢字`,
      agent: 'claude',
      job: null,
      command: '',
      cwd: `/work/project-${i % 7}`,
      status,
      shown: status,
      since: n * 1000 - i,
      needsYou: status === 'waiting-approval',
      doing: `step ${n} of a longer sentence about the work`,
      why: { claim: 'x', authority: 'screen', rule: 'r', confidence: 1, staleForS: null },
      stuck: null,
      background: 0,
      isFaded: false,
    }
  }) as unknown as Parameters<typeof rowsOf>[0]
const text = Array.from({ length: 200 }, (_, i) => `const value${i} = compute(${i}) // a line of an edit`)
const requests = Array.from({ length: SESSIONS / 5 }, (_, i) => ({
  id: `apr_${i}`,
  state: 'pending',
  kind: 'permission',
  fingerprint: 'f'.repeat(64),
  requestedAt: i,
  subject: { agent: 'claude', project: '/work', session: `ses_${i * 5}` },
  source: { channel: 'screen' },
  request: { tool: 'Edit', input: null, questions: [], options: [] },
  display: {
    title: 'Edit',
    hash: 'h',
    blocks: [
      { kind: 'label', text: 'old_string' },
      { kind: 'value', text: text.join('\n') },
      { kind: 'label', text: 'new_string' },
      { kind: 'value', text: text.map((line, n) => (n % 3 === 0 ? `${line}!` : line)).join('\n') },
    ],
  },
  risk: { level: 'elevated', reasons: ['writes'] },
})) as unknown as Parameters<typeof rowsOf>[1]
const style = (_: string, value: string) => `\u001b[1m${value}\u001b[0m`

for (const size of [
  { cols: 60, rows: 24 },
  { cols: 120, rows: 40 },
  { cols: 200, rows: 60 },
]) {
  const spans = Array.from({ length: size.rows }, (_, y) => [
    {
      x: 0,
      width: size.cols,
      text: `${y} `.padEnd(size.cols, 'x'),
      fg: 2,
      bg: null,
      bold: true,
      dim: false,
      italic: false,
      underline: false,
      inverse: false,
      strike: false,
    },
  ])
  const screen = { pane: 'ses_1', ...size, cursor: { x: 0, y: 0, visible: true }, lines: spans }
  for (const selected of ['ses_0', 'ses_1']) {
    const times: number[] = []
    for (let n = 0; n < REDRAWS; n++) {
      const live = panes(n)
      const start = process.cpuUsage()
      const rows = rowsOf(live, requests)
      const view = clampSelection({ ...INITIAL_VIEW, selected }, listed({ rows }, INITIAL_VIEW), size)
      const drawn = drawCockpit({ rows, screen }, view, { ...size, now: n * 1000 })
      const painted = drawn.lines.map(line => paintLine(line, { style }))
      if (painted.length !== size.rows) throw new Error('not drawn')
      const { user, system } = process.cpuUsage(start)
      times.push((user + system) / 1000)
    }
    times.sort((a, b) => a - b)
    const at = (share: number) => times[Math.floor(times.length * share)]!.toFixed(1)
    const what = selected === 'ses_0' ? 'request of 200 lines' : 'screen'
    console.log(`${size.cols}x${size.rows}  ${what}: median ${at(0.5)} ms, p95 ${at(0.95)} ms CPU`)
    if (Number(at(0.95)) > BAR_MS) process.exitCode = 1
  }
}
