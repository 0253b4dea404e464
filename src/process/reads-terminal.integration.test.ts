import nodePty from '@lydell/node-pty'
import { afterEach, describe, expect, it } from 'vitest'
import { describeNeeding } from '../../test/support/requirements.js'
import { type ForegroundProcess, judgeTerminalRead, type TerminalFacts, type ThreadWait } from './reads-terminal.js'
import { readsTerminal } from './terminal-facts.js'

const SLEEPS: ThreadWait = { in: 'elsewhere', where: 'sleeps' }
const HIDDEN: ThreadWait = { in: 'hidden' }
const program = (
  thread: ThreadWait,
  terminalFds: ForegroundProcess['terminalFds'] = [0],
  name = 'prog',
): ForegroundProcess => ({
  pid: 1,
  name,
  terminalFds,
  threads: [thread],
})
const judge = (
  process: ForegroundProcess | ForegroundProcess[],
  mode: TerminalFacts['mode'] = 'lines',
  isComplete = true,
) => judgeTerminalRead({ processes: [process].flat(), mode, isComplete }).reads

describe('the judgement whether a program reads its terminal', () => {
  it.each(['read', 'poll', 'epoll', 'ring'] as const)(
    'is yes for %s of the terminal, and no for another file',
    call => {
      expect(judge(program({ in: call, fds: [0] }))).toBe('yes')
      expect(judge(program({ in: call, fds: [3, 0] }, [0, 5]))).toBe('yes')
      expect(judge(program({ in: call, fds: [3] }))).toBe('no')
      expect(judge(program({ in: call, fds: [] }))).toBe('no')
    },
  )

  it('is yes for one thread of one program; threads that compute or sleep do not count', () => {
    const reads = program({ in: 'read', fds: [0] })
    expect(judge([program(SLEEPS), { ...reads, threads: [SLEEPS, ...reads.threads] }])).toBe('yes')
    expect(judge([program(SLEEPS), program({ in: 'elsewhere', where: 'computes' })])).toBe('no')
  })

  it('is not no for a hidden program, and follows the mode of the terminal where possible', () => {
    const modes = ['lines', 'silent', 'keys', null] as const
    expect(modes.map(mode => judge(program(HIDDEN, null), mode))).toEqual(['unknown', 'yes', 'yes', 'unknown'])
    expect(modes.map(mode => judge(program({ in: 'poll', fds: null }), mode))).toEqual([
      'unknown',
      'yes',
      'yes',
      'unknown',
    ])
    // The place where it waits is visible: an echo that another program left off proves nothing.
    // Only the program that reads single keys asks for them.
    expect(modes.map(mode => judge(program(SLEEPS), mode))).toEqual(['no', 'no', 'yes', 'no'])
  })

  it('says no for a program outside the foreground, whatever the mode', () => {
    expect(judge(program(SLEEPS, []), 'keys')).toBe('no')
    expect(judge(program({ in: 'poll', fds: null }, []), 'lines')).toBe('no')
  })

  it('is unknown if the list of programs may be incomplete', () => {
    expect([judge(program(SLEEPS), 'lines', false), judge([])]).toEqual(['unknown', 'unknown'])
  })
})

describeNeeding('linux', 'real programs in real terminals', () => {
  const open: { kill(signal: string): void }[] = []
  afterEach(() => {
    // A relay that only gets a hang-up waits for its program.
    for (const terminal of open.splice(0)) terminal.kill('SIGKILL')
  })

  /**
   * Waits for the expected result: the program enters the system call in which it waits only after
   * its output. Returns the result without the system call.
   */
  const seen = async (wanted: string, file: string, args: string[]) => {
    const env = { PATH: process.env.PATH ?? '', TERM: 'xterm' }
    const terminal = nodePty.spawn(file, args, { cols: 80, rows: 24, cwd: '/', env })
    open.push(terminal)
    await new Promise<void>(resolve => {
      let text = ''
      terminal.onData(chunk => {
        text += chunk
        if (text.includes('GO?')) resolve()
      })
    })
    const look = async (isCallHidden = false) => {
      const { reads, how } = await readsTerminal(terminal.pid, process.env, { isCallHidden })
      return `${reads}: ${how}`
    }
    await expect.poll(() => look()).toMatch(new RegExp(`^${wanted}`))
    return look(true)
  }

  it.each([
    ['a shell that asks', 'yes: bash waits in read', 'bash', ['-c', 'read -p "GO? " x']],
    ['a shell that asks with a limit', 'yes: bash waits in poll', 'bash', ['-c', 'read -t 99 -p "GO? " x']],
    ['a shell behind a relay', 'yes: sh waits in read', 'script', ['-qc', 'printf GO?; read x', '/dev/null']],
    ['node that reads', 'yes: node waits in epoll', 'node', ['-e', 'console.log("GO?"); process.stdin.resume()']],
    ['a printer', 'no: sleep sleeps', 'sh', ['-c', 'printf "GO? [y/N] "; exec sleep 99']],
    ['a printer behind a relay', 'no: sleep sleeps', 'script', ['-qc', 'printf GO?; exec sleep 99', '/dev/null']],
    ['a printer of two programs', 'no: sh waits for a program', 'sh', ['-c', 'printf GO?; sleep 99; :']],
    ['node that waits', 'no: node waits in epoll', 'node', ['-e', 'console.log("GO?"); setTimeout(() => 0, 1e6)']],
  ])('%s gives "%s"', async (_what, wanted, file, args) => {
    const byPlace = await seen(wanted, file, args)
    // Without the system call a question may be unknown; a printing program is recognised all the
    // same.
    expect(byPlace).toMatch(wanted.startsWith('yes') ? /^(?:yes|unknown)/ : /^no/)
  })
})
