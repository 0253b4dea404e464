import { expect, test } from 'vitest'
import { childEnvironment } from './child-environment.js'

test('a child process gets the variables of our terminal and of no other', () => {
  const base = {
    PATH: '/bin',
    LANG: 'de_DE.UTF-8',
    TERM: 'screen',
    TMUX: '1',
    TMUX_PANE: '%1',
    STY: '1',
    TERM_PROGRAM: 'iTerm.app',
    TERM_PROGRAM_VERSION: '3',
    VTE_VERSION: '1',
    KITTY_WINDOW_ID: '1',
    WEZTERM_PANE: '1',
    ITERM_SESSION_ID: '1',
    WT_SESSION: '1',
    STYLE: 'kept',
    EMPTY: undefined,
  }
  expect(childEnvironment(base)).toEqual({
    PATH: '/bin',
    LANG: 'de_DE.UTF-8',
    STYLE: 'kept',
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    TERM_PROGRAM: 'signalbox',
  })
})

test('the locale is UTF-8 even if LC_ALL sets another encoding', () => {
  expect(childEnvironment({})).toMatchObject({ LANG: 'C.UTF-8' })
  expect(childEnvironment({ LANG: 'C', LC_ALL: 'POSIX', LC_CTYPE: 'en_US.utf8' })).toMatchObject({
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    LC_CTYPE: 'en_US.utf8',
  })
})

test('variables of the pack override all others', () => {
  const child = childEnvironment(
    { CLAUDECODE: '1', CLAUDE_CODE_X: '1', KEEP: '1' },
    { unset: ['CLAUDECODE', 'CLAUDE_CODE_*'], set: { CLAUDE_CODE_FORCE_SYNC_OUTPUT: '1', TERM: 'dumb' } },
  )
  expect(child).toMatchObject({ KEEP: '1', CLAUDE_CODE_FORCE_SYNC_OUTPUT: '1', TERM: 'dumb' })
  expect(child).not.toHaveProperty('CLAUDECODE')
  expect(child).not.toHaveProperty('CLAUDE_CODE_X')
})
