import { describe, expect, it } from 'vitest'
import { requestTitle } from './request-title.js'

const title = (tool: string, input: unknown, kind = 'permission') =>
  requestTitle({
    kind,
    subject: { agent: 'claude', project: '/work/shop', cwd: '/work/shop' },
    request: { tool, input },
    display: { title: 'Deploy to production?' },
  })

describe('the title of a request', () => {
  it.each([
    ['Bash', { command: 'npm test' }, 'Claude wants to run a command'],
    ['Edit', { file_path: '/work/shop/src/cart.js' }, 'Claude wants to edit src/cart.js'],
    ['Write', { file_path: '/etc/hosts' }, 'Claude wants to write /etc/hosts'],
    ['MultiEdit', { files: ['a.ts', 'b.ts'] }, 'Claude wants to edit 2 files'],
    ['Read', { path: 'notes.md' }, 'Claude wants to read notes.md'],
    ['WebFetch', { url: 'https://example.com/x' }, 'Claude wants to open example.com'],
    ['mcp__github__create_issue', {}, 'Claude wants to use create_issue of github'],
    ['Bash command', null, 'Claude wants to run a command'],
    ['permission', null, 'Claude asks for permission'],
    ['Signal', {}, 'Claude wants to use Signal'],
  ])('names the action of %s', (tool, input, expected) => {
    expect(title(tool, input)).toBe(expected)
  })

  it('shows hidden characters of paths and tools', () => {
    expect(title('Edit', { file_path: 'src/\u202etxt.js' })).toBe('Claude wants to edit src/⟦U+202E⟧txt.js')
    expect(title('Sig\u200bnal\n', {})).toBe('Claude wants to use Sig⟦U+200B⟧nal ')
  })

  it('names an action of the run itself in the run’s words', () => {
    const asked = { subject: { agent: 'signalbox', project: '/p', cwd: '/p' }, request: { tool: 'publish', input: {} } }
    const text = requestTitle({ kind: 'permission', ...asked, display: { title: 'Push, post 2 comments (#7)' } })
    expect(text).toBe('The run wants to push, post 2 comments (#7)')
  })

  it('is the question if no permission is requested', () => {
    expect(title('question', null, 'question')).toBe('Claude has a question')
    expect(title('gate', null, 'gate')).toBe('Deploy to production?')
  })
})
