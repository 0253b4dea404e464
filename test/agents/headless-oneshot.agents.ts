import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentHome } from './agent-home.js'
import { FakeModel } from './fake-models/fake-model.js'
import { AGENTS } from './table/index.js'
import { isWanted } from './wanted.js'

interface Shown {
  reason: string | null
  oneshot: { state: string }
  stepList: { step: string; status: string; reason: string | null }[]
}

/**
 * These get structured output through a tool call, which the scripted model does not make: another
 * agent audits their work.
 */
const JUDGED_BY_DEMO = ['claude', 'qwen']

/** The real CLIs without a terminal, as worker and if possible as auditor of one run. */
describe.each(AGENTS.filter(isWanted))('$name without a terminal', agent => {
  const model = new FakeModel()
  let home: AgentHome

  beforeAll(async () => {
    home = new AgentHome(agent, await model.listen())
  })

  afterAll(async () => {
    await home?.close()
    await model.close()
  })

  test('works, uses a tool, is audited and completes the run', async () => {
    const command = `node -e "require('fs').appendFileSync('made.txt','x')"`
    // Both prompts contain the task; the required answer distinguishes auditor and worker.
    model.when('"verdict"', { text: '{"verdict":"DONE","feedback":"It is made.","findings":[]}' })
    model.when(
      'final message is the result',
      { text: 'I make it.', tool: agent.shellUnasked?.(command) ?? agent.shell(command, home.place) },
      { text: 'It has been made.' },
    )
    const auditor = JUDGED_BY_DEMO.includes(agent.name) ? 'demo' : agent.name
    const roles = ['--worker', agent.name, '--auditor', auditor]
    const args = ['oneshot', 'Make the file made.txt', ...roles, '--permissions', 'all', '--json']
    const done = await home.run(args, { timeoutMs: 150_000, env: { IS_SANDBOX: '1' } })
    const shown = await home.json<Shown>(['show', 'latest', '--json'])
    expect({ code: done.code, steps: shown.stepList, state: shown.oneshot.state, err: done.stderr }).toMatchObject({
      code: 0,
      state: 'COMPLETED',
      steps: [
        { step: 'worker@1#1', status: 'ok' },
        { step: 'auditor@1#1', status: 'ok' },
      ],
    })
    const results = model.served.flatMap(({ request }) => request.results)
    expect(home.file('made.txt'), JSON.stringify(results)).toBe('x')
    expect(done.stdout).toContain('It has been made.')
    expect(home.processes().others).toEqual([])
  })
})
