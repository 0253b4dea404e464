import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SessionInfo, waitFor } from './harness.js'
import { InsideHome } from './inside.js'

// The full test is `MANY_APPROVALS=1000 MANY_SESSIONS=20`; by default a small one runs.
const APPROVALS = Number(process.env.MANY_APPROVALS ?? 40)
const SESSIONS = Number(process.env.MANY_SESSIONS ?? 4)
const EACH = APPROVALS / SESSIONS

interface Approval {
  id: string
  state: string
  request: { text: string | null; input: { command?: string } | null }
  decision?: { option: string; actor: { id: string } }
  delivery: { step: string }[]
  outcome?: { reason?: string }
}

let home: InsideHome
beforeAll(() => {
  home = new InsideHome()
  mkdirSync(home.path('config'), { recursive: true })
  // Through the menu, where an answer could reach the wrong request.
  writeFileSync(home.path('config', 'config.toml'), '[agents.demo]\nhooks = false\n')
})
afterAll(() => home.close())

test(`two processes decide ${APPROVALS} requests of ${SESSIONS} sessions, each applied once to its own`, async () => {
  const sessions: SessionInfo[] = []
  for (let index = 0; index < SESSIONS; index++) sessions.push(await startAsking(index))
  const deciders = ['ada', 'ben'].map(startDecider)
  const startedAt = Date.now()
  await Promise.all(sessions.map(({ id }) => home.ok(['send', id, 'go'])))
  const limitMs = 200_000 + APPROVALS * 500
  await waitFor(
    'every request to be decided',
    () => sum(deciders.map(({ counts }) => counts().won)) >= APPROVALS,
    limitMs,
  )
  const all = await waitFor(
    'every request to be settled',
    async () => {
      const list = await home.json<Approval[]>(['approvals', '--all', '--json'])
      const isOver = list.filter(isApplied).length >= APPROVALS && list.every(approval => !isOpen(approval))
      return isOver ? list : null
    },
    limitMs,
  )
  const seconds = (Date.now() - startedAt) / 1000
  await Promise.all(deciders.map(({ end }) => end()))
  const counts = deciders.map(decider => decider.counts())

  // On a busy machine a moved selection may be seen too late: then nothing is confirmed, and the
  // agent asks again.
  for (const approval of all) expect(confirms(approval)).toBe(isApplied(approval) ? 1 : 0)
  expect(all.filter(isApplied)).toHaveLength(APPROVALS)
  expect(sum(counts.map(({ won }) => won))).toBe(all.length)
  expect(counts.flatMap(({ other }) => other)).toEqual([])
  // Every even number ran once, in order, and no odd one.
  const even = Array.from({ length: EACH }, (_, number) => number).filter(number => number % 2 === 0)
  for (const index of sessions.keys()) expect(ran(index)).toEqual(even)
  if (process.env.MANY_APPROVALS) console.log(`${APPROVALS} decided and applied in ${seconds.toFixed(0)} s`, counts)
}, 600_000)

const isApplied = ({ state }: Approval) => state === 'applied'
const isOpen = ({ state }: Approval) => state === 'pending' || state === 'decided'
const confirms = ({ delivery }: Approval) => delivery.filter(({ step }) => step === 'confirm').length

async function startAsking(index: number): Promise<SessionInfo> {
  const file = join(home.work, `ask-${index}.json`)
  const steps = Array.from({ length: EACH }, (_, number) => ({
    tool: {
      name: 'Shell',
      kind: 'shell',
      command: `echo ${number} >> ran-${index}`,
      permission: true,
      onDeny: 'continue',
    },
  }))
  writeFileSync(file, JSON.stringify({ name: 'ask', turns: [], otherwise: { steps } }))
  return home.startDemo(['--scenario', file], { env: { SIGNALBOX_DEMO_HOME: join(home.directory, `demo-${index}`) } })
}

function ran(index: number): number[] {
  const file = join(home.work, `ran-${index}`)
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []
}

interface Counts {
  won: number
  late: number
  other: string[]
}

const NONE = JSON.stringify({ won: 0, late: 0, other: [] })
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

function startDecider(name: string) {
  const script = fileURLToPath(new URL('../../bench/decider.mjs', import.meta.url))
  const child = spawn(process.execPath, [script, home.path('run', 'signalbox.sock'), name], {
    env: home.env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout!.on('data', chunk => (text += String(chunk)))
  const ended = new Promise<void>(resolve => child.on('close', () => resolve()))
  const end = () => {
    child.stdin!.end()
    return ended
  }
  const counts = (): Counts => JSON.parse(text.trimEnd().split('\n').at(-1) || NONE) as Counts
  return { counts, end }
}
