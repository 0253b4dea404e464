import { expect } from 'vitest'
import { waitFor } from '../e2e/harness.js'
import type { AgentHome, Approval } from './agent-home.js'
import type { FakeModel } from './fake-models/fake-model.js'
import type { ModelRequest } from './fake-models/wire.js'

/* Turns that every agent must get through, in a terminal and over the Agent Client Protocol. */

interface Turns {
  home: AgentHome
  model: FakeModel
  session: string
}

/** The model asks for a command that needs a permission. @returns the request. */
export async function asked({ home, model, session }: Turns, key: string, file: string): Promise<Approval> {
  const command = `node -e "require('fs').appendFileSync('${file}','x')"`
  model.when(key, { text: 'I run it.', tool: home.agent.shell(command, home.place) }, { text: 'That was it.' })
  expect((await home.send(session, `Please do the ${key} thing`)).code).toBe(4)
  return home.onePending(session)
}

/** A request that is allowed runs the tool once. */
export async function allows(turns: Turns, check?: (request: Approval) => Promise<void>): Promise<Approval> {
  const { home, session } = turns
  const request = await asked(turns, 'ALLOWED', 'allowed.txt')
  await check?.(request)
  expect(home.file('allowed.txt')).toBeNull()
  const words = ['approve', request.id, '--fingerprint', request.fingerprint, '--json']
  expect((await home.json<{ state: string }>(words)).state).toBe('applied')
  await home.waitUntil(session, 'idle')
  expect(await waitFor('the tool to have run', () => home.file('allowed.txt'))).toBe('x')
  expect(await home.pending()).toEqual([])
  return request
}

/** A request that is denied never runs the tool. */
export async function denies(turns: Turns): Promise<Approval> {
  const { home, session } = turns
  const request = await asked(turns, 'REFUSED', 'refused.txt')
  expect((await home.json<{ state: string }>(['deny', request.id, '--json'])).state).toBe('applied')
  await home.waitUntil(session, 'idle')
  expect(home.file('refused.txt')).toBeNull()
  expect(await home.pending()).toEqual([])
  return request
}

/** An interruption ends the turn, and the next one works. */
export async function interrupts({ home, model, session }: Turns): Promise<void> {
  model.when('ENDLESS', { text: 'I begin with a few words.', hold: 'endless' })
  const answer = home.send(session, 'Please do the ENDLESS thing')
  let early: unknown
  void answer.then(result => (early = result))
  await waitFor('the model to be in the middle of its answer', () => {
    if (early) throw new Error(`the turn ended before: ${JSON.stringify(early)}`)
    return model.hasReached('endless')
  })
  const interrupted = home.ok(['interrupt', session])
  if (home.agent.cancelsLate) {
    await waitFor('the cancellation', () => JSON.stringify(home.recording(session)).includes('session/cancel'))
    model.release('endless')
  }
  await interrupted
  expect((await answer).code).toBe(130)
  await home.waitUntil(session, 'idle')
  model.when('AFTERWARDS', { text: 'Here again.' })
  expect(plainWords((await home.send(session, 'Are you there AFTERWARDS ?')).stdout)).toEqual(['Here', 'again.'])
}

/** A resumed session continues its conversation. @returns what the model was asked with. */
export async function resumes({ home, model, session }: Turns): Promise<ModelRequest> {
  await home.ok(['stop', session])
  const resumed = await home.json<{ id: string; resumedFrom?: string }>(['resume', session, '--json'])
  expect(resumed.resumedFrom).toBe(session)
  await home.waitUntil(resumed.id, 'idle')
  model.when('REMEMBER', { text: 'Of course I remember.' })
  const next = await home.send(resumed.id, 'Do you REMEMBER ?')
  expect(plainWords(next.stdout)).toEqual(['Of', 'course', 'I', 'remember.'])
  const { request } = model.served.find(({ key }) => key === 'REMEMBER')!
  expect(request.prompts.join('\n')).toContain('Please do the ALLOWED thing')
  expect(request.answers.join('\n')).toContain('Step number 24')
  await home.ok(['stop', resumed.id])
  return request
}

/** Words without the marks that renderers change. */
export function plainWords(text: string): string[] {
  return text
    .replace(/[`*•-]/g, '')
    .split(/\s+/)
    .filter(Boolean)
}
