import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LivePacks } from '../agents/index.js'
import { type Clock, SimulatedClock } from '../clock/index.js'
import { loadConfig } from '../config/index.js'
import { Counters } from '../panes/index.js'
import { ScriptedTmux } from '../panes/testing/scripted-tmux.js'
import { PACKAGE_ROOT } from '../process/index.js'
import { createRedactor } from '../text/index.js'
import { TmuxRegistry } from './tmux-registry.js'

const { config } = loadConfig({ environment: {}, userFile: '/nonexistent/config.toml' })
const clock = new SimulatedClock()
const pane = (id: number) => ({ id, pid: 4_000_000 + id, rows: [`row of ${id}`] })

describe('the panes of all tmux servers', () => {
  let tmux: ScriptedTmux
  let registry: TmuxRegistry
  const counters = new Counters()
  let errors: unknown[]
  beforeEach(async () => {
    tmux = await ScriptedTmux.open()
    errors = []
  })
  afterEach(() => {
    registry.close()
    tmux.close()
  })
  const open = (panes: Partial<typeof config.panes>, time: Clock = clock) => {
    registry = new TmuxRegistry({
      clock: time,
      settings: { ...config, panes: { ...config.panes, ...panes } },
      packs: new LivePacks({
        directories: { user: null, shipped: join(PACKAGE_ROOT, 'packs') },
        clock,
        onFailed: () => undefined,
        onReloaded: () => undefined,
      }),
      redactor: createRedactor(),
      env: tmux.env,
      counters,
      changed: () => undefined,
      removed: () => undefined,
      onError: error => errors.push(error),
    })
    return registry.join({ directories: [tmux.sockets] })
  }
  // In no order: panes are read at the same time.
  const names = () => registry.panes.map(({ info }) => info.pane).sort()

  it('are supervised up to panes.max_total, and the next is added when one disappears', async () => {
    tmux.panes = [1, 2, 3, 4].map(pane)
    await open({ max_total: 3 })
    expect(names()).toEqual(['%1', '%2', '%3'])
    expect(errors).toMatchObject([{ code: 'E_LIMIT', next: 'raise panes.max_total' }])
    expect(counters.total('pane.left_out', { reason: 'max_total' })).toBe(1)
    tmux.panes = [1, 3, 4].map(pane)
    tmux.say('%layout-change @0 x x *')
    await expect.poll(names).toEqual(['%1', '%3', '%4'])
    const last = registry.panes.find(({ info }) => info.pane === '%4')!
    await expect
      .poll(() => {
        clock.advance(100)
        return last.supervisor.pane.screen.last?.frame.lines[0]?.text
      })
      .toBe('row of 4')
  })

  it('are read even if the machine was too busy to read them in time', async () => {
    let late = 0
    const busy: Clock = {
      now: () => clock.now() + late,
      monotonic: () => clock.monotonic() + late,
      setTimer: (ms, run) => clock.setTimer(ms, run),
    }
    tmux.panes = [pane(1)]
    await open({}, busy)
    await expect.poll(() => tmux.asked.some(line => line.startsWith('capture-pane'))).toBe(true)
    const [one] = registry.panes
    await expect.poll(() => one!.supervisor.pane.nextDeadline()).not.toBeNull()
    late = 5_000
    one!.tick()
    clock.advance(1)
    expect(one!.supervisor.pane.screen.last?.frame.lines[0]?.text).toBe('row of 1')
  })

  it('keep their id while their process lives; another process is another pane', async () => {
    tmux.panes = [pane(1)]
    await open({})
    const { id } = registry.panes[0]!
    tmux.die()
    await expect.poll(names).toEqual([])
    tmux.isUp = true
    const found = async () => {
      await expect
        .poll(() => {
          clock.advance(1_000)
          return names()
        })
        .toEqual(['%1'])
      return registry.panes[0]!.id
    }
    expect(await found()).toBe(id)
    expect(registry.pane(id)?.info.pane).toBe('%1')
    tmux.panes = [{ ...pane(1), pid: 4_100_000 }]
    tmux.say('%layout-change @0 x x *')
    await expect.poll(() => registry.panes[0]?.info.pid).toBe(4_100_000)
    expect(registry.panes[0]!.id).not.toBe(id)
    expect(registry.pane(id)).toBeNull()
  })
})
