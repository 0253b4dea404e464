import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../clock/index.js'
import { getRun, isEnded, listRuns, runStream } from '../../engine/index.js'
import { openHome } from '../../host/home/index.js'
import { openHomeStore } from '../../host/index.js'
import type { EventStore } from '../../store/index.js'
import { cancelRun } from '../cancel-run.js'
import { daemonContext, type StartContext } from '../start-context.js'
import { readPipeline } from './pipeline-runs.js'
import { startPipeline } from './start-pipeline.js'
import { startReview } from './start-review.js'

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-start-pipeline-')))
const cwd = join(directory, 'work')
const env = { SIGNALBOX_HOME: join(directory, 'home'), HOME: directory, PATH: process.env.PATH }
const home = openHome({ env })
let store: EventStore

beforeAll(async () => {
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'a.txt'), 'one\n')
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    ['-c', 'user.email=a@b', '-c', 'user.name=a', 'commit', '-q', '-m', 'first'],
  ])
    spawnSync('git', args, { cwd })
  const { dataDirectory } = home.settings
  store = await openHomeStore({ dataDirectory, clock: systemClock, onError: () => undefined })
})
afterAll(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

const context = (): StartContext => daemonContext({ store, home, env, clock: systemClock, person: 'ada' }, cwd)

test.each([
  ['implementation', { title: 'A lamp', agent: 'demo' }, 'A lamp'],
  ['review', { agent: 'demo' }, 'Review of uncommitted changes in work'],
])('%s keeps labels, limits and person, and the daemon drives it', async (name, input, title) => {
  const options = { labels: { team: 'x', priority: '3' }, limits: { costUsd: 2.5 } }
  const { id, driver } = await startPipeline(context(), name, input, options)
  expect(driver).toBe('daemon')
  expect(await getRun(store, id)).toMatchObject({
    title,
    status: 'queued',
    person: 'ada',
    labels: { team: 'x', priority: '3', pipeline: name, host: 'daemon' },
  })
  const [created] = await store.readStream(runStream(id), { limit: 1 })
  expect(created!.data).toMatchObject({ limits: { costUsd: 2.5 } })
  expect(existsSync(join(directory, 'home', 'run', 'signalbox.sock'))).toBe(false)
})

test.each([
  ['nothing', {}, 'E_UNKNOWN', 'there is no pipeline "nothing"'],
  ['implementation', { title: 'x', agent: 'demo', plan: '/etc/passwd' }, 'E_INPUT', 'the plan is not valid'],
  ['implementation', { issue: '../secret.md' }, 'E_INPUT', 'must be an issue of the tracker'],
  ['review', { range: '--output=x' }, 'E_INPUT', 'must not start with a dash'],
])('%s with the input %j is refused', async (name, input, code, message) => {
  const starting = startPipeline(context(), name, input, {})
  await expect(starting).rejects.toMatchObject({ code, message: expect.stringContaining(message) })
})

test('implementation accepts the text of a plan and of a design', async () => {
  const filler = 'A lamp that shines on the table, with words that say nothing more. '.repeat(5)
  const plan = `# Lamp Implementation Plan\n\n**Goal:** A lamp\n\n${filler}\n\n### Task 1: Lamp\n\nCreate: \`lamp.txt\`\n`
  const input = { title: 'A lamp', agent: 'demo', plan, design: 'It is red.' }
  const { id } = await startPipeline(context(), 'implementation', input, {})
  const { args } = await readPipeline(store, home.settings.dataDirectory, await getRun(store, id))
  expect(args).toMatchObject({ plan, design: { content: 'It is red.' } })
})

test('a project that is not a directory is refused', () => {
  const base = { store, home, env, clock: systemClock, person: 'ada' }
  for (const project of [join(directory, 'nowhere'), 'work', join(cwd, 'a.txt')])
    expect(() => daemonContext(base, project)).toThrow('is not a directory')
})

test.each([
  ['with a person at the terminal', true, 'review_fix'],
  ['without one', false, 'review_only'],
])('a review asks nothing before there are items: %s', async (_, hasPerson, mode) => {
  const unasked = () => Promise.reject(new Error('asked before there is a review'))
  const asker = hasPerson ? { trust: unasked, confirm: unasked } : null
  writeFileSync(join(cwd, 'a.txt'), 'two\n')
  // Fixes need a directory in which no other run works.
  for (const other of (await listRuns(store)).filter(({ status }) => !isEnded(status)))
    await cancelRun({ store, clock: systemClock }, other.id, { by: 'ada', reason: 'another test' })
  const { id } = await startReview({ ...context(), asker }, { isLocal: true, isUnattended: !hasPerson, agent: 'demo' })
  const { args } = await readPipeline(store, home.settings.dataDirectory, await getRun(store, id))
  expect(args.reviewMode).toBe(mode)
})
