import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, connect } from '../../src/client/index.js'
import { waitFor } from '../e2e/harness.js'
import { AgentHome } from './agent-home.js'
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

  const asks = (key: string, file: string) => {
    const command = `node -e "require('fs').appendFileSync('${file}','x')"`
    model.when(key, { text: 'I run it.', tool: agent.shell(command, home.place) }, { text: 'That was it.' })
  }

  test('streams its answer, and the message equals that of the model', async () => {
    model.when('PARTS', { text: ANSWER })
    const { code, stdout, stderr } = await home.send(session, 'Tell me about the PARTS of this project')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(words(stdout)).toEqual(words(ANSWER))
    const updates = seen.filter(({ type }) => type === 'message.update')
    expect(updates.some(({ text }) => text.includes('Step number 3') && !text.includes('Step number 24'))).toBe(true)
  })

  test('its permission call is one request, which runs the tool once when it is allowed', async () => {
    asks('ALLOWED', 'allowed.txt')
    expect((await home.send(session, 'Please do the ALLOWED thing')).code).toBe(4)
    const { id, fingerprint } = await home.onePending(session)
    const { source } = (await client.call('approvals.get', { id })) as unknown as { source: { channel: string } }
    expect(source.channel).toBe('acp')
    expect(home.file('allowed.txt')).toBeNull()
    const decided = await home.json<{ state: string }>(['approve', id, '--fingerprint', fingerprint, '--json'])
    expect(decided.state).toBe('applied')
    await home.waitUntil(session, 'idle')
    expect(await waitFor('the tool to have run', () => home.file('allowed.txt'))).toBe('x')
    expect(await home.pending()).toEqual([])
  })

  test('a denied call never runs the tool', async () => {
    asks('REFUSED', 'refused.txt')
    expect((await home.send(session, 'Please do the REFUSED thing')).code).toBe(4)
    const { id } = await home.onePending(session)
    expect((await home.json<{ state: string }>(['deny', id, '--json'])).state).toBe('applied')
    await home.waitUntil(session, 'idle')
    expect(home.file('refused.txt')).toBeNull()
    expect(await home.pending()).toEqual([])
  })

  test('a request survives the daemon, and its decision arrives', async () => {
    asks('KILLED', 'killed.txt')
    await home.send(session, 'Please do the KILLED thing')
    const { id } = await home.onePending(session)
    await home.kill(home.daemon)
    await home.run(['sessions'])
    const again = await home.onePending(session)
    expect(again.id).toBe(id)
    await home.ok(['approve', id, '--fingerprint', again.fingerprint])
    expect(await waitFor('the tool to have run', () => home.file('killed.txt'))).toBe('x')
    await home.waitUntil(session, 'idle')
  })

  test('an interruption ends the turn, and the next one works', async () => {
    model.when('ENDLESS', { text: 'I begin with a few words.', hold: 'endless' })
    const answer = home.send(session, 'Please do the ENDLESS thing')
    await waitFor('the model to be in the middle of its answer', () => model.hasReached('endless'))
    const interrupted = home.ok(['interrupt', session])
    if (agent.cancelsLate) {
      await waitFor('the cancellation', () => JSON.stringify(home.recording(session)).includes('session/cancel'))
      model.release('endless')
    }
    await interrupted
    expect((await answer).code).toBe(130)
    await home.waitUntil(session, 'idle')
    model.when('AFTERWARDS', { text: 'Here again.' })
    expect(words((await home.send(session, 'Are you there AFTERWARDS ?')).stdout)).toEqual(['Here', 'again.'])
  })

  test('a resumed session continues its conversation', async () => {
    await home.ok(['stop', session])
    const resumed = await home.json<{ id: string; resumedFrom?: string }>(['resume', session, '--json'])
    expect(resumed.resumedFrom).toBe(session)
    await home.waitUntil(resumed.id, 'idle')
    model.when('REMEMBER', { text: 'Of course I remember.' })
    const next = await home.send(resumed.id, 'Do you REMEMBER ?')
    expect(words(next.stdout)).toEqual(['Of', 'course', 'I', 'remember.'])
    const asked = model.served.find(({ key }) => key === 'REMEMBER')!.request
    expect(asked.prompts.join('\n')).toContain('Please do the ALLOWED thing')
    expect(asked.answers.join('\n')).toContain('Step number 24')
    await home.ok(['stop', resumed.id])
  })
})

function words(text: string): string[] {
  return text
    .replace(/[`*•-]/g, '')
    .split(/\s+/)
    .filter(Boolean)
}
