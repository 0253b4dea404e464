import { mkdirSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseLines, waitFor } from '../e2e/harness.js'
import { AgentHome } from './agent-home.js'
import { FakeModel } from './fake-models/fake-model.js'
import { AGENTS } from './table/index.js'
import { wantedOf } from './wanted.js'

interface Shown {
  status: string
  stepList: { step: string; status: string; usage?: { input: number; output: number; costUsd?: number } }[]
}

interface LoggedActivity {
  type: string
  tool?: string
  ok?: boolean
  text?: string
}

const MODEL = 'claude-sonnet-4-5'

/** A real CLI as a worker in a session: it asks there, and the run's log has its actions. */
describe.each(wantedOf(AGENTS.filter(({ name }) => name === 'claude')))('$name in a terminal of a run', agent => {
  const model = new FakeModel()
  let home: AgentHome

  beforeAll(async () => {
    home = new AgentHome(agent, await model.listen())
    mkdirSync(home.path('config'), { recursive: true })
    const list = (words: readonly string[]) => `[${words.map(word => JSON.stringify(word)).join(', ')}]`
    const settings = [
      `[env]\npass = ${list(Object.keys(agent.env(home.place)))}`,
      `[agents.${agent.name}]\nargs = ${list(agent.args ?? [])}`,
      `[prices.${MODEL}]\ninput = 1000\noutput = 1000`,
    ]
    writeFileSync(home.path('config', 'config.toml'), `${settings.join('\n')}\n`)
  })

  afterAll(async () => {
    await home?.close()
    await model.close()
  })

  test('asks in the terminal, and the log has its tools, answer and cost', async () => {
    const command = `node -e "require('fs').appendFileSync('made.txt','x')"`
    model.when(
      'final message is the result',
      { text: 'I make it.', tool: agent.shell(command, home.place) },
      { text: 'It has been made.' },
    )
    const roles = ['--worker', agent.name, '--worker-model', MODEL, '--auditor', 'demo']
    const begun = await home.ok(['oneshot', 'Make the file made.txt', ...roles, '--live', '--detach', '--json'])
    const { run } = JSON.parse(begun.stdout) as { run: string }
    const asked = await waitFor('the question', async () => (await home.pending())[0] ?? null)
    expect(home.file('made.txt')).toBeNull()
    await home.ok(['approve', asked.id, '--fingerprint', asked.fingerprint])
    const followed = await home.run(['oneshot', '--follow', run], { timeoutMs: 150_000 })
    const shown = await home.json<Shown>(['show', run, '--json'])
    expect({ code: followed.code, steps: shown.stepList }, followed.stderr).toMatchObject({
      code: 0,
      steps: [
        { step: 'worker@1#1', status: 'ok' },
        { step: 'auditor@1#1', status: 'ok' },
      ],
    })
    expect(home.file('made.txt')).toBe('x')
    const logged = (await home.ok(['logs', run, 'worker@1#1', '--json'])).stdout
    const lines = parseLines<{ type: string; data: LoggedActivity }>(logged)
    const told = lines.flatMap(({ type, data }) => (type === 'activity' ? [data] : []))
    const of = (type: string) => told.filter(activity => activity.type === type)
    expect([of('tool_call'), of('tool_result')]).toMatchObject([[{ tool: 'Bash' }], [{ ok: true }]])
    expect(of('text').map(({ text }) => text)).toEqual(['I make it.', 'It has been made.'])
    const { usage } = shown.stepList[0]!
    expect(usage?.input).toBeGreaterThan(0)
    expect(usage?.costUsd).toBeGreaterThan(0)
  })
})
