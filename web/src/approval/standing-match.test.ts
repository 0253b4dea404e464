import { expect, it } from 'vitest'
import type { Approval } from '../api/types'
import { suggestedMatch } from './standing-match'

const PROJECT = '/work/shop'

function asked(tool: string, label: string, text: string, more: object = {}): Approval {
  return {
    kind: 'permission',
    risk: { level: 'low', reasons: [] },
    subject: { project: PROJECT, cwd: PROJECT, agent: 'claude' },
    request: { tool, input: { [label]: text }, options: [], questions: [] },
    display: {
      blocks: [
        { kind: 'label', text: label },
        { kind: 'text', text },
      ],
      isCut: false,
      findings: [],
    },
    ...more,
  } as unknown as Approval
}

it('a standing approval for a command suggests its first two words', () => {
  expect(suggestedMatch(asked('Bash', 'command', 'npm test -- --watch'))).toEqual({
    kind: 'prefix',
    words: ['npm', 'test'],
  })
})

it('a standing approval for an edit suggests its directory, only inside the project', () => {
  const edit = (real: string) =>
    asked('Edit', 'file_path', real, {
      request: { tool: 'Edit', input: { file_path: real }, options: [], questions: [], targets: [{ real }] },
    })
  expect(suggestedMatch(edit('/work/shop/src/cart.js'))).toEqual({ kind: 'path', directory: '/work/shop/src' })
  expect(suggestedMatch(edit('/etc/hosts'))).toBeNull()
})

it.each([
  ['a high risk', { risk: { level: 'high', reasons: [] } }],
  ['a question', { kind: 'question' }],
  ['a request for a person only', { neverAuto: 'it changes settings' }],
])('%s has no standing approval', (_, more) => {
  expect(suggestedMatch(asked('Bash', 'command', 'npm test', more))).toBeNull()
})

it('a command with operators in its first words has no standing approval', () => {
  expect(suggestedMatch(asked('Bash', 'command', 'ls;rm x'))).toBeNull()
})
