import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { describeNeeding } from '../support/requirements.js'
import { errorLines, recordedOutput, type SessionInfo, waitFor } from './harness.js'
import { InsideHome } from './inside.js'
import { TmuxTerminal } from './tmux.js'

let home: InsideHome
let terminals: TmuxTerminal[]
beforeAll(() => {
  home = new InsideHome()
})
beforeEach(() => {
  terminals = []
})
afterEach(async () => {
  for (const terminal of terminals) terminal.close()
  await home.clear()
})
afterAll(() => home.close())

function terminal(options: { name?: string; cols?: number; rows?: number } = {}): TmuxTerminal {
  const made = new TmuxTerminal(home, options)
  terminals.push(made)
  return made
}

it('attach without a terminal fails and suggests an alternative', async () => {
  const result = await home.run(['attach', '1'])
  expect(result.code).toBe(4)
  expect(errorLines(result.stderr)).toEqual([expect.stringContaining('read <id> --screen')])
})

describeNeeding('tmux', 'attach', () => {
  it('shows the screen, forwards keys, and restores the terminal', async () => {
    const session = await home.startDemo(['--scenario', 'chat'])
    const person = terminal()
    person.type('printf "\\033[1;32mgreen\\033[0m and plain\\n"; echo marker-$((40+2))')
    person.key('Enter')
    await person.see('marker-42')
    person.type('clear; printf "\\033[1;32mstays\\033[0m\\n"')
    person.key('Enter')
    await person.see(/^stays\n\$$/m)

    person.run('attach', String(session.number))
    await person.see('Signalbox demo agent')
    await person.see('enter to send')
    expect(person.format('#{alternate_on}')).toBe('1')
    person.type('hello from tmux')
    await person.see(/▷ hello from tmux/)
    person.key('Enter')
    await person.see('Finished in')
    await waitFor('the answer to be in the log', async () =>
      (await home.ok(['read', session.id])).stdout.includes('scripted agent'),
    )
    person.key('C-]')
    await person.see(/^stays\n\$ .*attach.*\n\[detached\]\n\$$/s)
    expect(person.format('#{alternate_on} #{mouse_any_flag} #{cursor_flag} #{keypad_flag} #{wrap_flag}')).toBe(
      '0 0 1 0 1',
    )
    expect(person.picture().split('\n')[0]).toContain('stays')
    person.type('echo $((1+1))-typed; stty -a | tr ";" "\\n" | grep -w -- "-\\?icanon\\|-\\?echo " ')
    person.key('Enter')
    await person.see('2-typed')
    expect(await home.session(session.id)).toMatchObject({ state: 'live' })
  })

  it('a resize reaches the program, and the session has the size of the terminal', async () => {
    const script = join(home.work, 'size.sh')
    writeFileSync(script, 'trap "stty size" WINCH; stty size; while :; do sleep 0.05; done\n')
    const session = await home.startProgram('bash', script)
    const person = terminal({ cols: 90, rows: 20 })
    person.run('attach', session.id)
    await person.see('20 90')
    person.resize(70, 25)
    await person.see('25 70')
    person.key('C-]')
    await person.see('[detached]')
    const { events } = recordedOutput(session.recording)
    expect(events.filter(([, code]) => code === 'r').map(([, , size]) => size)).toEqual(['90x20', '70x25'])
  })

  it('lets one of several terminals type, while the others watch until they take over', async () => {
    const session = await home.startDemo(['--scenario', 'chat'])
    const first = terminal({ name: 'a', cols: 90, rows: 24 })
    const second = terminal({ name: 'b', cols: 80, rows: 24 })
    const third = terminal({ name: 'c', cols: 90, rows: 24 })
    first.run('attach', session.id)
    await first.see('enter to send')
    second.run('attach', session.id)
    await second.see(/watching · .* is typing · ctrl-t takes over/)
    // Narrower than the session: rows are cut, not wrapped.
    await second.see(/^─{80}\n▷[^\n]*\n─{80}\n {2}enter to send/mu)
    third.run('attach', session.id, '--view')
    await third.see(/watching · .* is typing · ctrl-] detaches/)
    first.type('one ')
    await first.see('▷ one')
    second.type('unheard')
    third.type('unheard')
    second.key('C-t')
    await first.see(/watching · .* takes over/)
    await second.see('enter to send')
    second.type('two')
    await second.see('▷ one two')
    third.key('C-t')
    third.key('C-]')
    await third.see('[detached]')
    second.key('C-]')
    await second.see('[detached]')
    await first.see('enter to send')
    first.type(' three')
    const screen = await first.see('▷ one two three')
    expect(screen).not.toContain('unheard')
    const { events } = recordedOutput(session.recording)
    expect(events.filter(([, code]) => code === 'r').map(([, , size]) => size)).toEqual(['90x24', '80x24', '90x24'])
  })

  it('refuses the keys of all terminals while Signalbox types, and all show it', async () => {
    const session = await home.startDemo(['--scenario', 'chat'])
    const person = terminal()
    person.run('attach', session.id)
    await person.see('enter to send')
    const sending = home.run(['send', session.id, 'hello from elsewhere', '--wait', '--timeout', '60'])
    await person.see('hello from elsewhere')
    expect((await sending).code).toBe(0)
    await person.see('enter to send')
    person.type('mine again')
    await person.see('▷ mine again')
  })

  it('a terminal that joins late sends keys in the mode that the program set earlier', async () => {
    const session = await home.startProgram(
      'sh',
      '-c',
      String.raw`stty -echo -icanon; printf '\033[?1h\033[?2004h'; echo up; cat -v`,
    )
    const person = terminal()
    person.run('attach', session.id)
    await person.see('up')
    person.key('Up')
    person.key('Enter')
    await person.see('^[OA')
    person.paste('two words')
    person.key('Enter')
    await person.see('^[[200~two words^[[201~')
  })

  it('ends with the session and prints how it ended', async () => {
    const session = await home.startProgram('sh', '-c', 'echo up; read x; exit 5')
    await waitFor('it to run', async () => (await home.session(session.id)).state === 'live')
    const person = terminal()
    person.run('attach', session.id)
    await person.see('up')
    person.key('Enter')
    await person.see('[the session ended (exit 5)]')
    expect(person.format('#{alternate_on}')).toBe('0')
  })

  it('restores the terminal when it is killed and when the daemon dies', async () => {
    const session = await home.startDemo(['--scenario', 'chat'])
    const person = terminal()
    person.run('attach', session.id)
    await person.see('enter to send')
    const attached = home.processes().others.find(pid => pid !== session.pid && commandOf(pid).includes('attach'))
    process.kill(attached!, 'SIGTERM')
    await person.see('[detached]')
    expect(person.format('#{alternate_on}')).toBe('0')
    person.run('attach', session.id)
    await person.see('enter to send')
    await home.kill(home.daemon)
    await waitFor('the terminal to be restored', () => person.format('#{alternate_on}') === '0')
    // It reattaches through the next daemon.
    await home.ok(['sessions'])
    await waitFor('the session again', () => person.format('#{alternate_on}') === '1')
    person.type('still here')
    await person.see('▷ still here')
    person.key('C-]')
    await person.see(/\[detached\]\n.*\[detached\]/s)
    expect(person.format('#{alternate_on}')).toBe('0')
  })

  it('start --attach attaches to the new session', async () => {
    const person = terminal()
    person.run('start', 'demo', '--attach', '--', '--scenario', 'chat', '--speed', '5')
    await person.see('enter to send')
    person.key('C-]')
    await person.see('[detached]')
    expect((await home.json<SessionInfo[]>(['sessions', '--json']))[0]?.size).toEqual({ cols: 100, rows: 30 })
  })
})

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
}
