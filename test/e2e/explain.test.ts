import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ROOT, waitFor } from './harness.js'
import { InsideHome } from './inside.js'

let shared: InsideHome
/** The shared home, or one for this test only. */
let home: InsideHome
beforeAll(() => {
  shared = new InsideHome()
})
beforeEach(() => {
  home = shared
})
afterEach(() => (home === shared ? home.clear() : home.close()))
afterAll(() => shared.close())

type Line = Record<string, unknown> & { type: string }
const rulesOf = (lines: readonly Line[]) => lines.filter(line => line.type === 'rule').map(line => line.id)

describe('a live session', () => {
  it('is explained now and at a past time, and its recording replays to the same result', async () => {
    const session = await home.startDemo()
    const lines = await waitFor('the agent to report itself', async () => {
      const told = await home.ndjson<Line>(['explain', session.id])
      return told[0]?.authority === 'osc7501' ? told : null
    })
    expect(lines[0]).toMatchObject({ type: 'reading', view: 'idle_prompt', authority: 'osc7501', claim: 'idle' })
    expect(
      lines
        .filter(line => line.type === 'evidence' && !['hook', 'transcript'].includes(line.authority as string))
        .map(line => [line.authority, line.verdict]),
    ).toEqual([
      ['osc7501', 'won'],
      ['screen', 'agrees'],
    ])
    expect(rulesOf(lines)).toContain('working.spinner')
    const before = await home.ndjson<Line>(['explain', session.id, '--at', '0'])
    expect(before[0]).toMatchObject({ view: 'unknown', claim: null })
    const [at] = await home.ndjson<Line>([
      'replay',
      home.path('data', 'recordings', `${session.id}.cast`),
      '--at',
      '999',
    ])
    expect(at).toMatchObject({ type: 'at', view: 'idle_prompt', authority: 'osc7501', status: 'idle' })
  })

  it('uses a changed personal pack immediately, and keeps the last valid one if the file is invalid', async () => {
    home = new InsideHome()
    const session = await home.startDemo()
    const folder = home.path('config', 'packs', 'demo')
    mkdirSync(folder, { recursive: true })
    const rule = '[[rule]]\nid = "mine"\nview = "idle_prompt"\nregion = "footer"\nline = "enter to send"\n'
    writeFileSync(`${folder}/mine.toml`, `pack = 1\nagent = "demo"\n${rule}`)
    await waitFor('the new rule', async () =>
      rulesOf(await home.ndjson<Line>(['explain', session.id])).includes('mine'),
    )
    writeFileSync(`${folder}/mine.toml`, `pack = 1\nagent = "demo"\n${rule}lin = 1\n`)
    const packs = await home.json<Line[]>(['packs', '--json'])
    expect(packs.find(pack => pack.source === 'own')).toMatchObject({
      problem: { line: 8, message: 'there is no field "lin" in rule mine' },
    })
    expect(rulesOf(await home.ndjson<Line>(['explain', session.id]))).toContain('mine')
  })

  it('is counted in the drift statistics when it ends', async () => {
    const session = await home.startDemo()
    await home.ok(['stop', session.id])
    const counts = await waitFor('the counts', async () => (await home.json<Line[]>(['drift', '--json']))[0])
    expect(counts).toMatchObject({ agent: 'demo', version: '1.0.0', screens: [] })
  })
})

describe('an agent without a pack', () => {
  it('gets a pack from labelled recordings, shown first and accepted with --yes', async () => {
    const folder = home.path('recordings')
    mkdirSync(folder, { recursive: true })
    const label = (t: number, view: string, ...accept: string[]) => ({ t, view, expect: { accept } })
    const labels = {
      first: [label(6.774, 'idle_prompt'), label(12.025, 'thinking', 'user_message')],
      second: [label(5.993, 'idle_prompt'), label(12.025, 'thinking', 'user_message'), label(17.124, 'idle_prompt')],
    }
    // A screen that structure alone misreads: its status row looks like the end of the answer.
    const recording = join(ROOT, 'packs', 'opencode', 'fixtures', 'hello.mini.80x24.cast')
    for (const [name, moments] of Object.entries(labels)) {
      copyFileSync(recording, join(folder, `${name}.cast`))
      writeFileSync(join(folder, `${name}.json`), JSON.stringify({ moments }))
    }
    const shown = await home.run(['packs', 'learn', 'zwarb', folder])
    expect(shown.code).toBe(4)
    expect(shown.stdout).toContain('0.0 % → 40.0 % of 5 moments in 2 recordings are read right')
    expect(shown.stdout).toContain('+ base = "structure"')
    expect(existsSync(home.path('config', 'packs', 'zwarb'))).toBe(false)
    await home.ok(['packs', 'learn', 'zwarb', folder, '--yes'])
    const [report] = await home.ndjson<{ passed: number; failed: number }>(['packs', 'check', 'zwarb', '--json'])
    expect(report).toMatchObject({ failed: 0 })
    expect(report!.passed).toBeGreaterThanOrEqual(2)
    const [at] = await home.ndjson<Line>([
      ...['replay', join(folder, 'first.cast'), '--agent', 'zwarb', '--at', '12.025'],
    ])
    expect(['thinking', 'user_message']).toContain(at?.view)
  })
})
