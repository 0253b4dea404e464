import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentHome } from './agent-home.js'
import { allows, denies, interrupts, plainWords, resumes } from './agent-turns.js'
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

  const turns = () => ({ home, model, session })

  beforeAll(async () => {
    home = new AgentHome(agent, await model.listen())
    const begun = await home.begin()
    session = begun.id
    figure(agent.name, 'start → ready', begun.startMs)
  })

  afterAll(async () => {
    home?.keep()
    await home?.close()
    await model.close()
  })

  test('the printed answer equals the message of the model', async () => {
    model.when('PARTS', { text: ANSWER })
    const { code, stdout, stderr } = await home.send(session, 'Tell me about the PARTS of this project')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(plainWords(stdout)).toEqual(plainWords(ANSWER))
  })

  test.skipIf(agent.asksNothing)('an allowed request runs the tool once', async () => {
    const request = await allows(turns())
    const results = model.served.filter(({ key }) => key === 'ALLOWED').map(({ request }) => request.results.length)
    expect(results).toEqual([0, 1])
    await measureApproval(home, session, request)
  })

  test.skipIf(agent.asksNothing)('a denied request never runs the tool', async () => {
    const request = await denies(turns())
    const count = model.served.filter(({ key }) => key === 'REFUSED').length
    expect(count).toBe(agent.denialContinues ? 2 : 1)
    await measureApproval(home, session, request)
  })

  test('an interruption ends the turn, and the next one works', async () => {
    await interrupts(turns())
    expect(model.served.find(({ key }) => key === 'ENDLESS')?.end).toBe('cut')
  })

  test('a resumed session continues its conversation', async () => {
    await home.agentSession(session)
    const { prompts } = await resumes(turns())
    if (agent.forgets !== 'first prompt')
      expect(prompts.join('\n')).toContain('Tell me about the PARTS of this project')
  })
})
