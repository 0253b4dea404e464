import { expect, it } from 'vitest'
import type { SessionRecord } from '../sessions/index.js'
import { resumeRequest } from './resume-session.js'

const record = (fields: Partial<SessionRecord> = {}) =>
  ({
    id: 'ses_a',
    state: 'ended',
    agent: 'claude',
    agentSessionId: 'c',
    args: [],
    cwd: '/p',
    ...fields,
  }) as SessionRecord
const options = { terminal: null, size: null, person: 'local' }

it('a conversation is resumed in the sandbox in which it was started', () => {
  const sandbox = { backend: 'bubblewrap', network: 'off' as const, hosts: [] }
  expect(resumeRequest(record({ sandbox }), options).sandbox).toEqual({ use: 'bubblewrap', network: 'off' })
  expect(resumeRequest(record(), options).sandbox).toBeUndefined()
})

it('a program that is not a known agent is started again with the same arguments', () => {
  const program = { agent: 'generic', args: ['goose', 'acp'], channel: 'acp' as const }
  expect(resumeRequest(record(program), options)).toMatchObject({ agent: null, args: ['goose', 'acp'], resume: 'c' })
})
