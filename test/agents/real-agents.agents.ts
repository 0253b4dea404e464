import { cpSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitFor } from '../e2e/harness.js'
import { AgentHome } from './agent-home.js'
import { FakeModel } from './fake-models/fake-model.js'
import { figure, measureApproval } from './figures.js'
import { AGENTS } from './table/index.js'
import { isWanted } from './wanted.js'

/** More rows than the terminal, with Markdown that renderers change: headings, lists, code. */
const ANSWER = [
  'The project has two parts, and both are small.',
  '',
  ...Array.from(
    { length: 24 },
    (_, index) => `${index + 1}. Step number ${index + 1} is done with \`tool-${index + 1}\`.`,
  ),
  '',
  'A longer paragraph comes at the end, so that the terminal has to wrap it at least once before the turn is over and we can see it.',
].join('\n')

describe.each(AGENTS.filter(isWanted))('$name', agent => {
  const model = new FakeModel()
  let home: AgentHome
  let session: string

  beforeAll(async () => {
    home = new AgentHome(agent, await model.listen())
    const begun = await home.begin()
    session = begun.id
    figure(agent.name, 'start → ready', begun.startMs)
  })

  afterAll(async () => {
    // The files of the agent and of Signalbox, for inspection.
    const keep = process.env.SIGNALBOX_TEST_KEEP
    if (keep && home) cpSync(home.directory, join(keep, agent.name), { recursive: true, filter: isFileOrDirectory })
    await home?.close()
    await model.close()
  })

  test('the printed answer equals the message of the model', async () => {
    model.when('PARTS', { text: ANSWER })
    const { code, stdout, stderr } = await home.send(session, 'Tell me about the PARTS of this project')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(words(stdout)).toEqual(words(ANSWER))
  })

  test('an allowed request runs the tool once', async () => {
    const command = `node -e "require('fs').appendFileSync('allowed.txt','x')"`
    model.when('ALLOWED', { text: 'I run it.', tool: agent.shell(command, home.place) }, { text: 'It has been run.' })
    expect((await home.send(session, 'Please do the ALLOWED thing')).code).toBe(4)
    const approval = await home.onePending(session)
    expect(home.file('allowed.txt')).toBeNull()
    const decided = await home.json<{ state: string }>([
      'approve',
      approval.id,
      '--fingerprint',
      approval.fingerprint,
      '--json',
    ])
    expect(decided.state).toBe('applied')
    await home.waitUntil(session, 'idle')
    await waitFor('the tool to have run', () => home.file('allowed.txt'))
    expect(home.file('allowed.txt')).toBe('x')
    expect(await home.pending()).toEqual([])
    const results = model.served.filter(({ key }) => key === 'ALLOWED').map(({ request }) => request.results.length)
    expect(results).toEqual([0, 1])
    await measureApproval(home, session, approval)
  })

  test('a denied request never runs the tool', async () => {
    const command = `node -e "require('fs').appendFileSync('refused.txt','x')"`
    model.when('REFUSED', { text: 'I run it.', tool: agent.shell(command, home.place) }, { text: 'It was not run.' })
    expect((await home.send(session, 'Please do the REFUSED thing')).code).toBe(4)
    const approval = await home.onePending(session)
    const decided = await home.json<{ state: string }>(['deny', approval.id, '--json'])
    expect(decided.state).toBe('applied')
    await home.waitUntil(session, 'idle')
    expect(home.file('refused.txt')).toBeNull()
    expect(await home.pending()).toEqual([])
    const asked = model.served.filter(({ key }) => key === 'REFUSED').length
    expect(asked).toBe(agent.denialContinues ? 2 : 1)
    await measureApproval(home, session, approval)
  })

  test('an interruption ends the turn, and the next one works', async () => {
    model.when('ENDLESS', { text: 'I begin with a few words.', hold: 'endless' })
    const answer = home.send(session, 'Please do the ENDLESS thing')
    let early: unknown
    void answer.then(result => (early = result))
    await waitFor('the model to be in the middle of its answer', () => {
      if (early) throw new Error(`the turn ended before: ${JSON.stringify(early)}`)
      return model.hasReached('endless')
    })
    await home.ok(['interrupt', session])
    const { code } = await answer
    expect(code).toBe(130)
    await home.waitUntil(session, 'idle')
    expect(model.served.find(({ key }) => key === 'ENDLESS')?.end).toBe('cut')
    model.when('AFTERWARDS', { text: 'Here again.' })
    const next = await home.send(session, 'Are you there AFTERWARDS ?')
    expect(words(next.stdout)).toEqual(['Here', 'again.'])
  })

  test('a resumed session continues its conversation', async () => {
    await home.agentSession(session)
    await home.ok(['stop', session])
    const resumed = await home.json<{ id: string; resumedFrom?: string }>(['resume', session, '--json'])
    expect(resumed.resumedFrom).toBe(session)
    await home.waitUntil(resumed.id, 'idle')
    model.when('REMEMBER', { text: 'Of course I remember.' })
    const next = await home.send(resumed.id, 'Do you REMEMBER ?')
    expect(words(next.stdout)).toEqual(['Of', 'course', 'I', 'remember.'])
    const asked = model.served.find(({ key }) => key === 'REMEMBER')!.request
    if (agent.forgets !== 'first prompt')
      expect(asked.prompts.join('\n')).toContain('Tell me about the PARTS of this project')
    expect(asked.prompts.join('\n')).toContain('Please do the ALLOWED thing')
    expect(asked.answers.join('\n')).toContain('Step number 24')
    await home.ok(['stop', resumed.id])
  })
})

function isFileOrDirectory(path: string): boolean {
  const found = lstatSync(path)
  return found.isFile() || found.isDirectory()
}

/** Words without the marks that renderers change. */
function words(text: string): string[] {
  return text.replaceAll('`', '').split(/\s+/).filter(Boolean)
}
