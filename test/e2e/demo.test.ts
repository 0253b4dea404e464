import { existsSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeNeeding } from '../support/requirements.js'
import { errorLines, parseLines, recordedOutput, type SessionInfo, waitFor } from './harness.js'
import { InsideHome } from './inside.js'
import { TmuxTerminal } from './tmux.js'

interface Summary {
  type: 'summary'
  outcome: string
  events: Record<string, number>
  diff: string
  recording: string
  project: string
}

let home: InsideHome
beforeEach(() => {
  home = new InsideHome()
})
afterEach(() => home.close())

/** With an input it is a separate process: the demo sets the environment of its process. */
const AS_PROCESS = { input: '' }

function demoDirectories(): string[] {
  return readdirSync(home.directory).filter(name => name.startsWith('signalbox-demo-'))
}

describe('demo', () => {
  it('plays a complete supervised turn without a terminal and reports what happened', async () => {
    const result = await home.run(['demo', '--yes', '--speed', '5', '--json'], AS_PROCESS)
    expect(result.stderr).toBe('')
    expect(result.code).toBe(0)
    const events = parseLines<{ type: string; data: Record<string, unknown> }>(result.stdout)
    const summary = events.at(-1) as unknown as Summary
    expect(summary).toMatchObject({ type: 'summary', outcome: 'done' })
    expect(summary.diff).toContain('+  return sum - Math.round((sum * discountPercent) / 100)')
    for (const type of [
      'session.started',
      'approval.requested',
      'approval.decided',
      'approval.applied',
      'turn.closed',
      'session.ended',
    ]) {
      expect(summary.events[type], type).toBe(1)
    }
    const { header, output, events: cast } = recordedOutput(summary.recording)
    expect(header).toMatchObject({ version: 2, height: 40 })
    expect(output).toContain('Signalbox demo agent')
    expect(cast.some(([, code]) => code === 'i')).toBe(true)
    expect(cast.at(-1)?.slice(1)).toEqual(['x', '0'])
    expect(home.processes()).toEqual({ daemons: [], keepers: [], others: [] })
  })

  it('prints the conversation and a summary for a person', async () => {
    const { stdout } = await home.ok(['demo', '--yes', '--speed', '0'], AS_PROCESS)
    for (const part of ['What is wrong', '▸ Edit src/cart.js', 'What happened', 'What changed', 'Where it is'])
      expect(stdout).toContain(part)
    expect(stdout).not.toContain('\u001b')
    expect(stdout.split('I will look at the code first').length - 1).toBe(1)
  })

  it('demo --terminal needs a terminal or --yes, and creates nothing without either', async () => {
    const result = await home.run(['demo', '--terminal'], AS_PROCESS)
    expect(result.code).toBe(4)
    expect(result.stdout).toBe('')
    expect(errorLines(result.stderr)).toEqual([expect.stringContaining('--yes')])
    expect(demoDirectories()).toEqual([])
  })

  it('refuses an invalid speed', async () => {
    const result = await home.run(['demo', '--yes', '--speed', 'fast'], AS_PROCESS)
    expect(result.code).toBe(2)
    expect(errorLines(result.stderr)).toHaveLength(1)
    expect(demoDirectories()).toEqual([])
  })
})

describe('the demo with a dashboard', () => {
  interface Living {
    address: string
    directory: string
    pid: number
  }

  async function open(...args: string[]): Promise<Living> {
    const child = home.start(['demo', '--dashboard', '--json', ...args])
    let text = ''
    child.stdout!.on('data', chunk => {
      text += chunk
    })
    await waitFor('the line with the address', () => text.includes('\n'))
    return JSON.parse(text) as Living
  }
  const inside = ({ directory }: Living) => ({ env: { SIGNALBOX_HOME: `${directory}/home` } })
  const sessions = async (demo: Living) =>
    (await home.json<(SessionInfo & { label: string })[]>(['sessions', '--all', '--json'], inside(demo))).map(
      ({ id, label }) => `${id} ${label}`,
    )
  const runs = async (demo: Living) =>
    (await home.json<{ id: string; title: string }[]>(['runs', '--json'], inside(demo))).map(
      ({ id, title }) => `${id} ${title}`,
    )

  it('continues after a kill at the same address with the same agents and runs; --fresh starts anew', async () => {
    const first = await open('--speed', '10')
    const started = await waitFor('all its runs', async () => {
      const found = await runs(first)
      return found.length === 4 ? found : null
    })
    const before = await sessions(first)
    await home.kill(first.pid)
    const second = await open('--speed', '10')
    expect(second).toMatchObject({ address: first.address, directory: first.directory })
    expect((await sessions(second)).sort()).toEqual(before.sort())
    expect((await runs(second)).sort()).toEqual(started.sort())
    await home.kill(second.pid)
    const third = await open('--fresh')
    expect(third.directory).not.toBe(first.directory)
    // However often it is asked to end, it ends after its agents.
    await waitFor('its end', () => {
      if (!existsSync(`/proc/${third.pid}`)) return true
      process.kill(third.pid, 'SIGTERM')
      return false
    })
    expect(existsSync(`${third.directory}/alive.json`)).toBe(false)
  })
})

describeNeeding('tmux', 'demo in a terminal', () => {
  let terminal: TmuxTerminal
  beforeEach(() => {
    terminal = new TmuxTerminal(home, { rows: 60 })
  })
  afterEach(() => terminal.close())

  it('asks the person, and y lets the agent continue', async () => {
    terminal.run('demo', '--terminal', '--speed', '5')
    await terminal.see('allow once? [y/n]')
    terminal.type('what?')
    terminal.key('Enter')
    await terminal.see(/allow once\? \[y\/n\] what\?\n.*allow once\? \[y\/n\]$/s)
    terminal.type('y')
    terminal.key('Enter')
    const screen = await terminal.see('Next: signalbox start demo')
    expect(screen).toContain('+  return sum - Math.round')
    expect(screen).toContain('1 request, applied')
    terminal.type('echo "code $?"')
    terminal.key('Enter')
    await terminal.see(/^code 0$/m)
  })

  it('n denies: nothing is changed, and the exit code is that of a denial', async () => {
    terminal.run('demo', '--terminal', '--speed', '5')
    await terminal.see('allow once? [y/n]')
    terminal.type('n')
    terminal.key('Enter')
    const screen = await terminal.see('Next: signalbox start demo')
    expect(screen).not.toContain('+  return sum - Math.round')
    const project = /project\s+(\S+)/.exec(screen)?.[1] ?? ''
    expect(existsSync(dirname(project))).toBe(true)
    terminal.type('echo "code $?"')
    terminal.key('Enter')
    await terminal.see(/^code 3$/m)
  })
})
