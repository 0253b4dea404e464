import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadPack } from '../agents/packs/index.js'
import { loadConfig } from '../config/index.js'
import { PACKAGE_ROOT } from '../process/index.js'
import type { Pack } from '../screen/index.js'
import { readWholeRecording } from '../terminal/recording/index.js'
import { Counters } from './counters.js'
import { Pane } from './pane.js'
import type { ReplayEvent } from './replay.js'
import { SupervisedReplay } from './supervised-replay.js'
import { Supervisor } from './supervisor.js'

const SETTINGS = loadConfig({ environment: {} }).config

interface Seen {
  status: string
  view: string
  awaiting: string | null
}

/** The same events as a daemon reads them: a clock that ticks each second from another start. */
function live(events: readonly ReplayEvent[], pack: Pack, size: { cols: number; rows: number }, phase: number): Seen[] {
  const pane = new Pane(pack, size)
  const supervisor = new Supervisor(pane, {
    settings: SETTINGS,
    agentPrograms: [],
    counters: new Counters(),
    onError: error => {
      throw error
    },
  })
  let second = phase
  const until = (t: number) => {
    for (;;) {
      const dues = [pane.nextDeadline(), supervisor.nextDeadline(), second].filter(due => due !== null)
      const due = Math.min(...dues)
      if (due > t) return
      supervisor.applySteps(pane.tick(due), due)
      supervisor.tick(due)
      if (due === second) second += 1
      else if (supervisor.nextDeadline() === due && pane.nextDeadline() !== due) return
    }
  }
  return events.map(event => {
    until(event.t)
    if (event.kind === 'output') supervisor.applySteps(pane.feed(event.bytes, event.t, { live: true }), event.t)
    if (event.kind === 'resize') supervisor.applySteps(pane.resize(event.cols, event.rows, event.t), event.t)
    if (event.kind === 'input') pane.recordInput(event.t, event.bytes)
    if (event.kind === 'exit') supervisor.exited(event.exit, event.t)
    const { view, awaiting } = pane.state(event.t)
    return { status: supervisor.status, view, awaiting }
  })
}

function replayed(events: readonly ReplayEvent[], pack: Pack, size: { cols: number; rows: number }): Seen[] {
  const replay = new SupervisedReplay({ pack, ...size, settings: SETTINGS })
  return events.map(event => {
    replay.apply(event)
    const { view, awaiting } = replay.replay.pane.state(event.t)
    return { status: replay.supervisor.status, view, awaiting }
  })
}

describe('a replayed recording', () => {
  test.each([
    ['claude', 'bash-always-80-full.cast'],
    ['gemini', 'interrupt-tool.120x40.cast'],
    ['qwen', 'shell-approve.80x24.cast'],
    ['demo', 'views.80x24.cast'],
  ])('has the status of the live session at every byte: %s', async (agent, name) => {
    const { header, events } = await readWholeRecording(join(PACKAGE_ROOT, 'packs', agent, 'fixtures', name))
    const pack = await loadPack(agent, null)
    const again = replayed(events, pack, header)
    for (const phase of [0.13, 0.71]) expect(live(events, pack, header, phase)).toEqual(again)
  })
})
