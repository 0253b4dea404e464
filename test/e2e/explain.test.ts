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
    const label = (t: number, view: string) => ({ t, view, expect: { accept: [] } })
    // Screens that structure alone misreads: nothing but the word `esc` says that the agent works.
    const moments = [
      label(0.4, 'startup'),
      label(1.5, 'idle_prompt'),
      label(2.8, 'thinking'),
      label(3.8, 'tool_running'),
      label(5.5, 'tool_menu'),
      label(6.8, 'tool_result'),
      label(8.8, 'idle_prompt'),
    ]
    const recording = join(ROOT, 'packs', 'crush', 'fixtures', 'constructed-permission.80x24.cast')
    for (const name of ['first', 'second']) {
      copyFileSync(recording, join(folder, `${name}.cast`))
      writeFileSync(join(folder, `${name}.json`), JSON.stringify({ moments }))
    }
    const shown = await home.run(['packs', 'learn', 'zwarb', folder])
    expect(shown.code).toBe(4)
    expect(shown.stdout).toContain('28.6 % → 57.1 % of 14 moments in 2 recordings are read right')
    expect(shown.stdout).toContain('+ base = "structure"')
    expect(existsSync(home.path('config', 'packs', 'zwarb'))).toBe(false)
    await home.ok(['packs', 'learn', 'zwarb', folder, '--yes'])
    const [report] = await home.ndjson<{ passed: number; failed: number }>(['packs', 'check', 'zwarb', '--json'])
    expect(report).toMatchObject({ failed: 0 })
    expect(report!.passed).toBeGreaterThanOrEqual(2)
    const [at] = await home.ndjson<Line>([...['replay', join(folder, 'first.cast'), '--agent', 'zwarb', '--at', '2.8']])
    expect(at?.view).toBe('thinking')
  })
})
