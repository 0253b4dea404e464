import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, connect } from '../../src/client/index.js'
import { waitFor } from '../e2e/harness.js'
import { AgentHome } from './agent-home.js'
import { allows, asked, denies, interrupts, plainWords, resumes } from './agent-turns.js'
import { FakeModel } from './fake-models/fake-model.js'
import { AGENTS, PROTOCOL_AGENTS } from './table/index.js'
import { wantedOf } from './wanted.js'

/* Real agents over the Agent Client Protocol, with the scripted model. */

const ANSWER = [
  'The project has two parts, and both are small.',
  ...Array.from({ length: 24 }, (_, index) => `- Step number ${index + 1} is done.`),
].join('\n')

const SPEAKERS = [...AGENTS.filter(({ acp }) => acp !== undefined), ...PROTOCOL_AGENTS]

describe.each(wantedOf(SPEAKERS))('$name over ACP', agent => {
  const model = new FakeModel()
  const following = new AbortController()
  const seen: { type: string; text: string }[] = []
  let home: AgentHome
  let client: Client
  let session: string

  beforeAll(async () => {
    home = new AgentHome(agent, await model.listen())
    session = await home.beginAcp()
    client = connect({ socket: home.path('run', 'signalbox.sock') })
    void follow().catch(() => undefined)
  })
  afterAll(async () => {
    following.abort()
    await home?.close()
    await model.close()
  })

  async function follow(): Promise<void> {
    const filter = { types: ['message.update', 'message.final'], signal: following.signal }
    for await (const event of client.events(filter)) seen.push({ type: event.type, text: JSON.stringify(event) })
  }

  const turns = () => ({ home, model, session })

  test('streams its answer, which equals the message of the model', async () => {
    model.when('PARTS', { text: ANSWER })
    const { code, stdout, stderr } = await home.send(session, 'Tell me about the PARTS of this project')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(plainWords(stdout)).toEqual(plainWords(ANSWER))
    const updates = seen.filter(({ type }) => type === 'message.update')
    expect(updates.some(({ text }) => text.includes('Step number 3') && !text.includes('Step number 24'))).toBe(true)
  })

  test('its permission call is one request; allowing that runs the tool once', async () => {
    await allows(turns(), async ({ id }) => {
      const { source } = (await client.call('approvals.get', { id })) as unknown as { source: { channel: string } }
      expect(source.channel).toBe('acp')
    })
  })

  test.runIf(agent.clientTerminals)('its command runs in a terminal of Signalbox, which is released afterwards', () => {
    const recorded = JSON.stringify(home.recording(session))
    for (const method of ['create', 'output', 'release']) expect(recorded).toContain(`terminal/${method}`)
  })

  test.runIf(agent.write)('it writes a file through Signalbox after the request is allowed', async () => {
    const tool = agent.write!(join(home.work, 'lamp.txt'), 'red')
    model.when('WRITTEN', { text: 'I write it.', tool }, { text: 'It is there.' })
    expect((await home.send(session, 'Please do the WRITTEN thing')).code).toBe(4)
    const { id, fingerprint } = await home.onePending(session)
    expect(home.file('lamp.txt')).toBeNull()
    await home.ok(['approve', id, '--fingerprint', fingerprint])
    await home.waitUntil(session, 'idle')
    expect(home.file('lamp.txt')).toContain('red')
    expect(JSON.stringify(home.recording(session))).toContain('fs/write_text_file')
  })

  test('a denied call never runs the tool', async () => {
    await denies(turns())
  })

  test('a request survives a kill of the daemon, and its decision is delivered', async () => {
    const { id } = await asked(turns(), 'KILLED', 'killed.txt')
    await home.kill(home.daemon)
    await home.run(['sessions'])
    const again = await home.onePending(session)
    expect(again.id).toBe(id)
    await home.ok(['approve', id, '--fingerprint', again.fingerprint])
    expect(await waitFor('the tool to have run', () => home.file('killed.txt'))).toBe('x')
    await home.waitUntil(session, 'idle')
  })

  test('an interruption ends the turn, and the next one works', async () => {
    await interrupts(turns())
  })

  test('a resumed session continues its conversation', async () => {
    await resumes(turns())
  })
})
