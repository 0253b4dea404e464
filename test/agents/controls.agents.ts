import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitFor } from '../e2e/harness.js'
import { AgentHome } from './agent-home.js'
import { FakeModel } from './fake-models/fake-model.js'
import { AGENTS } from './table/index.js'
import { wantedOf } from './wanted.js'

/** Agents whose conversations on disk can be adopted. */
const CONTROLLED = AGENTS.filter(({ name }) => ['claude', 'codex'].includes(name))

describe.each(wantedOf(CONTROLLED))('$name', agent => {
  const model = new FakeModel()
  let home: AgentHome
  let session: string

  beforeAll(async () => {
    home = new AgentHome(agent, await model.listen())
    session = (await home.begin()).id
    model.when('FIRST', { text: 'This is the first answer.' })
    expect((await home.send(session, 'Please say the FIRST thing')).code).toBe(0)
  })

  afterAll(async () => {
    await home?.close()
    await model.close()
  })

  test.runIf(agent.name === 'claude')('its permission mode is switched by its own key', async () => {
    const mode = async () => (await home.json<{ mode: string | null }>(['mode', session, '--json'])).mode
    const before = await mode()
    await home.ok(['mode', session, '--next'])
    await waitFor('another mode', async () => (await mode()) !== before)
  })

  test.runIf(agent.name === 'claude')('its model is switched by its own command', async () => {
    // Claude Code asks before it reads the conversation again with another model.
    expect((await home.ok(['model', session, 'haiku'])).stdout).toContain('asks you to confirm')
    const { id, fingerprint, request } = await home.onePending(session)
    await home.ok(['answer', id, request.options[0]!.key, '--fingerprint', fingerprint])
    await home.waitUntil(session, 'idle')
    model.when('SECOND', { text: 'This is the second answer.' })
    expect((await home.send(session, 'Please say the SECOND thing')).code).toBe(0)
    await waitFor(`a report of the model; screen:\n${await home.screen(session)}`, async () => {
      const { model: shown } = await home.json<{ model: string | null }>(['model', session, '--json'])
      return shown?.includes('haiku')
    })
  })

  test.runIf(agent.name === 'codex')('its model is chosen in its own menu', async () => {
    const refused = await home.run(['model', session, 'other'])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('chooses its model in a menu')])
  })

  test('its conversation on disk is adopted with its name and continues', async () => {
    const id = await home.agentSession(session)
    await home.ok(['stop', session])
    const stored = await waitFor('the conversation on disk', async () => {
      const { stdout } = await home.ok(['adopt', '--json'])
      const found = stdout
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line) as { id: string; prompt: string })
      return found.find(conversation => conversation.id === id)
    })
    expect(stored.prompt).toContain('Please say the FIRST thing')
    const adopted = await home.json<{ id: string; label?: string }>(['adopt', id, '--json'])
    expect(adopted.label).toBe('Please say the FIRST thing')
    await home.waitUntil(adopted.id, 'idle')
    model.when('AGAIN', { text: 'Here again.' })
    expect((await home.send(adopted.id, 'Are you there AGAIN ?')).code).toBe(0)
    const asked = model.served.find(({ key }) => key === 'AGAIN')!.request
    expect(asked.prompts.join('\n')).toContain('Please say the FIRST thing')
    await home.ok(['stop', adopted.id])
  })
})
