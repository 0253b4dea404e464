import { expect, it } from 'vitest'
import { agentWord, sessionName } from './session-name'

const program = { agent: 'generic', cwd: '/work/shop', args: ['/usr/bin/top', '-d', '2'] }

it('a session that runs a program is named after its command', () => {
  expect(sessionName(program)).toBe('top -d 2')
  expect(sessionName({ ...program, label: 'load' })).toBe('load')
  expect(sessionName({ ...program, args: [] })).toBe('generic in shop')
  expect(agentWord(program)).toBe('program')
})

it('a session of an agent is named after its label, its first prompt, or agent and project', () => {
  const session = { agent: 'claude', cwd: '/work/shop/', args: ['--model', 'opus'] }
  expect(sessionName(session)).toBe('claude in shop')
  expect(sessionName({ ...session, title: 'Fix the cart' })).toBe('Fix the cart')
  expect(agentWord(session)).toBe('claude')
})
