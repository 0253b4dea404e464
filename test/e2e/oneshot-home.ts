import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { firstRepository } from '../support/first-repository.js'
import { type CommandRun, parseLines } from './harness.js'
import { InsideHome, inside } from './inside.js'

export let home: InsideHome
let tests = 0

/** One home for all tests of a file, because programs start slowly; every test has a project. */
export function useOneshotHome(): void {
  beforeAll(() => {
    home = new InsideHome()
  })

  beforeEach(() => {
    tests++
    rmSync(home.work, { recursive: true, force: true })
    firstRepository(home.work)
    rmSync(join(home.home, 'config'), { recursive: true, force: true })
  })

  afterAll(() => home.close())
}

export function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: home.work, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout
}

export function env(scenario?: string): Record<string, string> {
  return {
    SIGNALBOX_DEMO_HOME: join(home.directory, `demo-${tests}`),
    SIGNALBOX_DEMO_SPEED: '0',
    ...(scenario !== undefined && { SIGNALBOX_DEMO_SCENARIO: scenario }),
  }
}

/** Another seed selects other kill points. */
export const KILLS = Number(process.env.SIGNALBOX_KILL_SEED ?? 7)

/** This many different numbers from 1 to a limit, the same for the same seed. */
export function sample(seed: number, count: number, limit: number): number[] {
  const chosen = new Set<number>()
  for (let state = seed; chosen.size < count; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    chosen.add(1 + (state % limit))
  }
  return [...chosen]
}

/** The journal events in the output of a command; the last line may be incomplete. */
export function parseEvents(text: string): object[] {
  const lines = text.split('\n').slice(0, -1)
  return lines.map(line => JSON.parse(line) as { version?: number }).filter(({ version }) => version !== undefined)
}

export const AUDIT = '/"verdict": "DONE"/'

/** Writes a scenario for worker and auditor; a missing part is the demo agent's default. */
export function scenario({ worker, auditor }: { worker?: object[]; auditor?: object[] }): string {
  const file = join(home.directory, `scenario-${readdirSync(home.directory).length}.json`)
  const turns = [
    ...(auditor ? [{ match: AUDIT, steps: auditor }] : []),
    ...(worker ? [{ match: '/Your final message is the result/', steps: worker }] : []),
  ]
  writeFileSync(file, JSON.stringify({ name: 'test', headless: { auto: true }, turns }))
  return file
}

export function oneshot(task: string, args: string[] = [], of?: string): Promise<CommandRun> {
  return inside(home, ['oneshot', task, '--agent', 'demo', ...args], { env: env(of) })
}

export const resume = (...args: string[]) => inside(home, ['oneshot', '--resume', ...args], { env: env() })

export interface Shown {
  id: string
  status: string
  reason: string | null
  oneshot: { state: string; iteration: number; history: { state: string; reason?: string }[] }
  stepList: {
    step: string
    status: string
    reason: string | null
    pid: number | null
    recovery: { verdict: string } | null
  }[]
}

export const show = async () => JSON.parse((await inside(home, ['show', 'latest', '--json'])).stdout) as Shown
export const states = ({ oneshot: { history } }: Shown) => history.map(({ state }) => state)
export const workers = ({ stepList }: Shown) => stepList.filter(({ step }) => step.startsWith('worker'))
export const runFile = (id: string, ...parts: string[]) => join(home.home, 'data', 'runs', id, ...parts)

/** The files of the newest run, with its state and only complete lines in its log. */
export function files(id: string): {
  state: Record<string, unknown>
  log: { type: string; to?: string; data?: object }[]
} {
  return {
    state: JSON.parse(readFileSync(runFile(id, 'oneshot.json'), 'utf8')),
    log: parseLines(readFileSync(runFile(id, 'oneshot-log.json'), 'utf8')),
  }
}

/** Writes a Node script as a program of this name. */
export function program(name: string, script: string): Record<string, string> {
  const directory = join(home.directory, 'bin')
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, name), `#!${process.execPath}\n${script}`)
  chmodSync(join(directory, name), 0o755)
  return { PATH: `${directory}:${process.env.PATH}` }
}

export const RESULT = { type: 'result', subtype: 'success', is_error: false, result: 'All is done.' }
export const claude = (lines: (object | string)[], exit = 0) =>
  program(
    'claude',
    `${lines.map(line => (typeof line === 'string' ? line : `console.log(${JSON.stringify(JSON.stringify(line))})`)).join('\n')}\nprocess.exitCode = ${exit}\n`,
  )
