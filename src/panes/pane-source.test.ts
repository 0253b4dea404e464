import { describe, expect, it } from 'vitest'
import { itermSessionId, paneOfIterm } from './pane-source.js'

describe('a session of iTerm2', () => {
  it('is a pane by its id without the place before it', () => {
    expect(itermSessionId('w0t1p0:9F2C-77')).toBe('9F2C-77')
    expect(itermSessionId('9F2C-77')).toBe('9F2C-77')
  })

  it('has no job without shell integration, and that is no error', () => {
    const pane = paneOfIterm({ 'session.id': 'w1t0p2:AB', name: 'zsh', tty: '/dev/ttys004', jobPid: null }, true)
    expect(pane).toMatchObject({
      id: 'AB',
      title: 'zsh',
      tty: '/dev/ttys004',
      cwd: null,
      isFocused: true,
      job: { name: null, pid: null, commandLine: null },
    })
  })

  it('takes job, path and size where they are told', () => {
    const told = {
      jobName: 'claude',
      jobPid: '4711',
      commandLine: 'claude --resume',
      path: '/work',
      columns: 120,
      rows: 40,
    }
    expect(paneOfIterm({ 'session.id': 'X', ...told }, false)).toMatchObject({
      cols: 120,
      rows: 40,
      cwd: '/work',
      job: { name: 'claude', pid: 4711, commandLine: 'claude --resume' },
    })
  })

  it('is none without an id', () => {
    expect(paneOfIterm({ name: 'zsh' }, false)).toBeNull()
  })
})
