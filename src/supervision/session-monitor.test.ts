import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LivePacks } from '../agents/index.js'
import { SimulatedClock } from '../clock/index.js'
import { PaneScreen } from '../panes/index.js'
import { createRedactor } from '../text/index.js'
import { DriftFiles } from './drift/index.js'
import { SessionMonitor } from './session-monitor.js'

const BOX = `${'─'.repeat(40)}\r\n> \r\n${'─'.repeat(40)}`
const PACK = `pack = 1
agent = "x"
versions = ">=1 <2"
detect = { banner = 'Agent X v(?<version>[0-9.]+)' }
region = [{ name = "composer", kind = "box", top = '^─+$', body = '^>( |$)', bottom = '^─+$' }]
`

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'signalbox-watch-'))
  mkdirSync(join(root, 'shipped/x'), { recursive: true })
  writeFileSync(join(root, 'shipped/x/x.toml'), PACK)
})
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }))

async function watched() {
  const clock = new SimulatedClock()
  const events: { type: string; data: object }[] = []
  const packs = new LivePacks({
    directories: { user: null, shipped: join(root, 'shipped') },
    clock,
    onFailed: () => undefined,
    onReloaded: () => undefined,
  })
  const live = await packs.acquire('x')
  const screen = new PaneScreen(live.pack, { cols: 40, rows: 10 })
  const drift = new DriftFiles(root)
  const watch = new SessionMonitor({
    screen,
    live,
    clock,
    drift,
    redactor: createRedactor(),
    record: (type, data) => events.push({ type, data }),
    onError: error => events.push({ type: 'error', data: { error } }),
  })
  const show = (text: string) => {
    const t = clock.monotonic() / 1000
    watch.outputs(screen.feed(new TextEncoder().encode(`\u001b[2J\u001b[H${text}`), t, { live: true }), t, true)
    clock.advance(1000)
    watch.outputs(screen.tick(t + 1), t + 1, true)
  }
  return { clock, events, watch, drift, show, live }
}

describe('the monitor of a live session', () => {
  it('explains the session with reading, evidence and the last changes', async () => {
    const { watch, show } = await watched()
    show(`Agent X v1.4.0\r\n${BOX}`)
    const { reading, evidence, frame, history } = watch.explain()
    expect(reading).toMatchObject({ view: 'idle_prompt', authority: 'screen', claim: 'idle', status: 'idle' })
    expect(evidence).toMatchObject([{ authority: 'screen', verdict: 'won' }])
    expect(frame.regions.map(region => region.name)).toContain('composer')
    expect(history).toHaveLength(1)
    expect(watch.version).toBe('1.4.0')
  })

  it('reports a version without a matching pack file, and lowers the confidence of the nearest one', async () => {
    const { events, show, live } = await watched()
    show(`Agent X v3.0.1\r\n${BOX}`)
    await expect
      .poll(() => events)
      .toMatchObject([{ type: 'pack.drift', data: { agent: 'x', agentVersion: '3.0.1', reason: 'version' } }])
    expect(live.pack.trust).toBe(0.9)
  })

  it('keeps an unrecognised screen that stays, without its secrets', async () => {
    const { clock, events, drift, show } = await watched()
    show('What is this?\r\ntoken ghp_abcdefghijklmnopqrstuvwxyz0123456789')
    clock.advance(8_000)
    expect(events).toEqual([])
    clock.advance(2_000)
    expect(events).toMatchObject([{ type: 'pack.drift', data: { reason: 'screen', unknown: 1 } }])
    const [version] = drift.list()
    expect(version).toMatchObject({ agent: 'x', version: 'unknown', screens: [{ firstLine: 'What is this?' }] })
    expect(JSON.stringify(version)).not.toContain('abcdefghij')
  })

  it('writes its counts at the end and releases the pack', async () => {
    const { watch, drift, show } = await watched()
    show(`Agent X v1.4.0\r\n${BOX}`)
    watch.exited({ code: 0, signal: null, t: 2 }, false)
    expect(drift.list()).toMatchObject([{ agent: 'x', version: '1.4.0', anchored: 1, structural: 0, unknown: 0 }])
    expect(watch.explain().reading).toMatchObject({ authority: 'exit', view: 'unknown', claim: 'exited' })
  })

  it('does not count the exit of a session that was stopped as a failure', async () => {
    const { watch } = await watched()
    watch.exited({ code: null, signal: 'SIGTERM', t: 2 }, true)
    expect(watch.explain().reading).not.toMatchObject({ claim: 'exited' })
  })
})
