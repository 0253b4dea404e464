import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openHome } from '../../host/home/index.js'
import { promptHash } from '../../pipelines/index.js'
import { readProfile } from './read-profile.js'

let directory: string
let env: NodeJS.ProcessEnv

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-profile-'))
  env = { SIGNALBOX_HOME: directory, HOME: directory, PATH: process.env.PATH }
  mkdirSync(join(directory, 'config', 'prompts', 'careful'), { recursive: true })
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const settings = (text: string) => writeFileSync(join(directory, 'config', 'config.toml'), text)
const read = (options: object = {}) =>
  readProfile({ env, home: openHome({ env }), cwd: directory }, { agent: 'demo', isUnattended: true, ...options })

test('one agent has every role without settings, and reviewer and evaluator only read', async () => {
  const { profile } = await read()
  expect(profile).toMatchObject({
    name: 'default',
    maxTaskReviews: 5,
    onUnapproved: 'ask',
    reviewTypes: ['general'],
    prompts: {},
  })
  expect(Object.entries(profile.roles).map(([role, player]) => [role, player?.agent, player?.permissions])).toEqual([
    ['architect', 'demo', 'edits'],
    ['developer', 'demo', 'edits'],
    ['reviewer', 'demo', 'read'],
    ['evaluator', 'demo', 'read'],
  ])
})

test('the task reviewer of a profile has the reviewer’s settings, except for its own', async () => {
  settings(`[profiles.careful.agents.reviewer]
effort = "high"
[profiles.careful.agents.task_reviewer]
effort = "low"
`)
  const { roles } = (await read({ profile: 'careful' })).profile
  expect([roles.reviewer, roles.task_reviewer]).toMatchObject([
    { agent: 'demo', effort: 'high', permissions: 'read' },
    { agent: 'demo', effort: 'low', permissions: 'read' },
  ])
})

test('a profile sets roles, limits, checks and budgets; pipelines.profile names the default one', async () => {
  settings(`[pipelines]
profile = "careful"
[profiles.careful]
checks = ["npm test -- --run 'a b'"]
max_task_reviews = 2
on_unapproved = "stop"
plan_path_pattern = "plans/{run}.md"
[profiles.careful.agents.developer]
agent = "demo"
permissions = "all"
[profiles.careful.budget]
task_usd = 1.5
run_usd = 4
`)
  const { profile, settings: own } = await read()
  expect(profile).toMatchObject({
    name: 'careful',
    checks: [['npm', 'test', '--', '--run', 'a b']],
    maxTaskReviews: 2,
    onUnapproved: 'stop',
    planPathPattern: 'plans/{run}.md',
    taskUsd: 1.5,
    roles: { developer: { permissions: 'all' } },
  })
  expect(own?.budget.run_usd).toBe(4)
  await expect(read({ profile: 'nobody' })).rejects.toThrow('there is no profile "nobody"')
})

test('a person’s prompts replace shipped ones, profile first; a custom review type needs guidelines', async () => {
  settings('[profiles.careful]\ncommit_plan = false\n')
  const prompts = join(directory, 'config', 'prompts')
  writeFileSync(join(prompts, 'architect.plan.md'), 'Plan it.\n')
  writeFileSync(join(prompts, 'evaluator.md'), 'Judge it.\n')
  writeFileSync(join(prompts, 'careful', 'evaluator.md'), 'Judge it twice.\n')
  writeFileSync(join(prompts, 'reviewer.colour.md'), 'Look at colours.\n')
  const { profile } = await read({ profile: 'careful', reviewTypes: ['general', 'colour'] })
  expect(profile.prompts).toEqual({
    'architect.plan': { text: 'Plan it.', hash: promptHash('Plan it.') },
    evaluator: { text: 'Judge it twice.', hash: promptHash('Judge it twice.') },
  })
  expect(profile.guidelines).toEqual({ colour: 'Look at colours.' })
  await expect(read({ reviewTypes: ['sound'] })).rejects.toThrow('there are no guidelines for the review type "sound"')
})
