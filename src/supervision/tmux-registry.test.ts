import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LivePacks } from '../agents/index.js'
import { SimulatedClock } from '../clock/index.js'
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
  const open = (panes: Partial<typeof config.panes>) => {
    registry = new TmuxRegistry({
      clock,
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
      left: () => undefined,
      onError: error => errors.push(error),
    })
    return registry.join({ directories: [tmux.sockets] })
  }
  const names = () => registry.panes.map(({ info }) => info.pane)

  it('are supervised up to panes.max_total; when one goes, the next is added with its content', async () => {
    tmux.panes = [1, 2, 3, 4].map(pane)
    await open({ max_total: 3 })
    expect(names()).toEqual(['%1', '%2', '%3'])
    expect(errors).toMatchObject([{ code: 'E_LIMIT', next: 'raise panes.max_total' }])
    expect(counters.total('pane.left_out', { reason: 'max_total' })).toBe(1)
    tmux.panes = [1, 3, 4].map(pane)
    tmux.say('%layout-change @0 x x *')
    await vi.waitFor(() => expect(names()).toEqual(['%1', '%3', '%4']), { timeout: 30_000 })
    const last = registry.panes.at(-1)!
    await vi.waitFor(
      () => {
        clock.advance(100)
        expect(last.supervisor.pane.screen.last?.frame.lines[0]?.text).toBe('row of 4')
      },
      { timeout: 30_000 },
    )
  })

  it('keep their id while their process lives, even if the connection is lost; another process is another pane', async () => {
    tmux.panes = [pane(1)]
    await open({})
    const { id } = registry.panes[0]!
    tmux.die()
    await vi.waitFor(() => expect(names()).toEqual([]), { timeout: 30_000 })
    tmux.isUp = true
    const found = async () => {
      await vi.waitFor(
        () => {
          clock.advance(1_000)
          expect(names()).toEqual(['%1'])
        },
        { timeout: 30_000 },
      )
      return registry.panes[0]!.id
    }
    expect(await found()).toBe(id)
    expect(registry.pane(id)?.info.pane).toBe('%1')
    tmux.panes = [{ ...pane(1), pid: 4_100_000 }]
    tmux.say('%layout-change @0 x x *')
    await vi.waitFor(() => expect(registry.panes[0]?.info.pid).toBe(4_100_000), { timeout: 30_000 })
    expect(registry.panes[0]!.id).not.toBe(id)
    expect(registry.pane(id)).toBeNull()
  })
})
