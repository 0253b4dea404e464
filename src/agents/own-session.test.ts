import { describe, expect, it } from 'vitest'
import { isUuid, sessionArguments } from './own-session.js'

const ID = '00000000-0000-4000-8000-000000000001'
const NEW = '00000000-0000-4000-8000-000000000002'
const names = {
  begin: (id: string) => ['--session-id', id],
  resume: (id: string) => ['--resume', id],
  options: ['--resume', '-r', '--continue'],
  subcommands: ['login'],
  isId: isUuid,
}
const start = (args: string[], resume: string | null = null) => ({ args, resume, newSessionId: NEW, wiring: null })

describe('the arguments that select a conversation', () => {
  it('give a new conversation our id, and continue an old one', () => {
    expect(sessionArguments(start(['-x']), names)).toEqual({ args: ['--session-id', NEW], id: NEW, isOwn: false })
    expect(sessionArguments(start([], ID), names)).toEqual({ args: ['--resume', ID], id: ID, isOwn: false })
  })

  it('give no id to a program that chooses its own, and claim no id', () => {
    expect(sessionArguments(start([]), { ...names, begin: null })).toEqual({ args: [], id: null, isOwn: false })
  })

  it.each([
    [['--resume', ID], ID],
    [[`--resume=${ID}`], ID],
    [['-r', 'latest'], null],
    [['--continue'], null],
    [['login'], null],
  ])('are empty for %j, with which the person selects the conversation', (args, id) => {
    expect(sessionArguments(start(args, ID), names)).toEqual({ args: [], id, isOwn: true })
  })
})
