import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { waitFor } from './harness.js'
import { inside } from './inside.js'
import { env, home, oneshot, scenario, show, useOneshotHome } from './oneshot-home.js'

useOneshotHome()

const HANG = { hang: {} }
const verdict = (word: string) => ({ say: { markdown: JSON.stringify({ verdict: word, feedback: 'look again' }) } })

test.each([
  ['worker', { worker: [HANG] }, 'step_timeout'],
  ['auditor', { auditor: [HANG] }, 'auditor_step_timeout'],
])('the %s that takes longer than --timeout ends the command with exit code 5', async (_, steps, reason) => {
  const { code, stdout } = await oneshot('x', ['--timeout', '1s'], scenario(steps))
  expect([code, (await show()).reason]).toEqual([5, reason])
  expect(stdout).toContain('the step took longer than its limit')
})

test('a run that Ctrl-C stopped in its only iteration can be resumed', async () => {
  const write = { tool: { name: 'Write', kind: 'write', write: { path: 'part.txt', text: 'part\n' } } }
  const args = ['oneshot', 'x', '--agent', 'demo', '--permissions', 'all', '--max-iterations', '1']
  const file = scenario({ worker: [write, HANG] })
  const driver = home.start(args, { env: env(file) })
  const done = home.finish(driver)
  await waitFor('some work', () => existsSync(join(home.work, 'part.txt')), 30_000)
  driver.kill('SIGINT')
  expect((await done).code).toBe(130)
  const { id } = await show()
  writeFileSync(file, readFileSync(scenario({ worker: [{ say: { markdown: 'The rest is done.' } }] })))
  const resumed = await inside(home, ['resume', id], { env: env(file) })
  expect(resumed.code, resumed.stdout).toBe(0)
})

test('the hint after the iteration limit is a command that works', async () => {
  const failed = await oneshot('x', ['--max-iterations', '1'], scenario({ auditor: [verdict('RETRY')] }))
  expect(failed.code).toBe(1)
  expect(failed.stdout).toContain('the work is not done yet, and all 1 iterations are used up')
  const [, hint = ''] = /resume with: signalbox (.*)/.exec(failed.stderr) ?? []
  const resumed = await inside(home, hint.split(' '), { env: env(scenario({ auditor: [verdict('DONE')] })) })
  expect(resumed.code, resumed.stderr).toBe(0)
})

test('the reason of a failed run is the same sentence in run, runs and show', async () => {
  const edges = 'start -> a; a -> exit [condition="outcome=fail"]'
  const nodes = 'start [shape=Mdiamond]; exit [shape=Msquare]; a [shape=parallelogram, tool_command="true"]'
  writeFileSync(join(home.work, 'flow.dot'), `digraph g { graph [worktree=none]; ${nodes}; ${edges} }`)
  const { stdout: checked } = await inside(home, ['run', 'flow.dot', '--json'])
  const { stderr } = await inside(home, ['run', 'flow.dot'])
  const [hash = ''] = /[0-9a-f]{64}/.exec(`${stderr}${checked}`) ?? []
  const failed = await inside(home, ['run', 'flow.dot', '--trust', hash])
  expect(failed.code).toBe(1)
  const sentence = 'no edge of a can be followed'
  expect(failed.stdout).toContain(`failed (${sentence}`)
  const { id } = await show()
  expect((await inside(home, ['show', id])).stdout).toContain(`failed (${sentence}`)
  expect((await inside(home, ['runs'])).stdout).toContain(sentence)
  expect(failed.stderr).toContain(`signalbox resume ${id} --graph`)
})
