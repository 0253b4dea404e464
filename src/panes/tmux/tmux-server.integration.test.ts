import { renameSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { ScriptedTmux } from '../testing/scripted-tmux.js'
import { TmuxSource } from './tmux-source.js'

/* Pause, death and return, reused ids, sockets by name. Real clients, a scripted server. */
describe('panes of a scripted tmux server', () => {
  let tmux: ScriptedTmux
  let clock: SimulatedClock
  let source: TmuxSource
  let reported: string[]
  beforeEach(async () => {
    tmux = await ScriptedTmux.open()
    clock = new SimulatedClock()
    reported = []
    const short = (key: string) => key.slice(key.lastIndexOf(':') + 1)
    source = new TmuxSource({
      clock,
      env: tmux.env,
      described: (key, _socket, { pid, window }) => reported.push(`${short(key)} is ${pid} in ${window}`),
      output: (key, bytes) => reported.push(`${short(key)} prints ${Buffer.from(bytes).toString()}`),
      content: (key, { lines }) => reported.push(`${short(key)} shows ${lines.join('/')}`),
      paneClosed: key => reported.push(`${short(key)} is gone`),
      onError: error => reported.push(`error ${String(error)}`),
    })
  })
  afterEach(() => {
    source.close()
    tmux.close()
  })
  /** Waits until this line was reported. */
  const until = (line: string) => expect.poll(() => reported, { interval: 5 }).toContain(line)

  it('are reported with description, content and then output; earlier output does not count twice', async () => {
    tmux.panes = [{ id: 1, pid: 11, rows: ['one', '$'] }]
    await source.watch({ directories: [tmux.sockets] })
    expect(reported).toEqual(['%1 is 11 in w', '%1 shows one/$'])
    tmux.say('%output %1 a\\033b')
    await until('%1 prints a\u001bb')
  })

  it('are captured completely after a pause, and continue', async () => {
    tmux.panes = [{ id: 1, pid: 11, rows: ['old'] }]
    await source.watch({ directories: [tmux.sockets] })
    tmux.panes[0]!.rows = ['flood', 'end']
    tmux.say('%pause %1')
    await until('%1 shows flood/end')
    await expect.poll(() => tmux.asked).toContain('refresh-client -A "%1:continue"')
  })

  it('are reported with their new process and content if their id is reused', async () => {
    tmux.panes = [{ id: 1, pid: 11, rows: ['old'] }]
    await source.watch({ directories: [tmux.sockets] })
    tmux.panes = [{ id: 1, pid: 99, rows: ['new'] }]
    tmux.say('%layout-change @0 x x *')
    await until('%1 is 99 in w')
    await until('%1 shows new')
  })

  it('are described again without capturing their content if their window is renamed', async () => {
    tmux.panes = [{ id: 1, pid: 11, rows: ['old'] }]
    await source.watch({ directories: [tmux.sockets] })
    tmux.panes = [{ id: 1, pid: 11, rows: ['old'], window: 'other' }]
    tmux.say('%window-renamed @0 other')
    await until('%1 is 11 in other')
    expect(reported.filter(line => line.startsWith('%1 shows'))).toEqual(['%1 shows old'])
  })

  it('are described every second, because a slow subscription crashes tmux up to 3.3a', async () => {
    tmux.panes = [{ id: 1, pid: 11, rows: ['old'] }]
    await source.watch({ directories: [tmux.sockets] })
    for (const window of ['second', 'third']) {
      tmux.panes = [{ id: 1, pid: 11, rows: ['old'], window }]
      clock.advance(1_000)
      await until(`%1 is 11 in ${window}`)
    }
    expect(tmux.asked.filter(line => line.startsWith('refresh-client -B'))).toEqual([])
  })

  it('disappear when the server dies, which is searched after 1 and 2 seconds and found again', async () => {
    tmux.panes = [{ id: 1, pid: 11, rows: ['old'] }]
    await source.watch({ directories: [tmux.sockets] })
    tmux.die()
    await until('%1 is gone')
    const server = source.servers[0]!
    const looks = () => tmux.asked.filter(line => line === 'list-sessions').length
    const before = looks()
    for (const waitMs of [1_000, 2_000]) {
      const count = looks()
      clock.advance(waitMs - 1)
      expect(looks()).toBe(count)
      clock.advance(1)
      await server.found()
      expect([waitMs, looks()]).toEqual([waitMs, count + 1])
    }
    expect([looks() - before, server.isUp]).toEqual([2, false])
    tmux.isUp = true
    reported.length = 0
    clock.advance(4_000)
    await until('%1 shows old')
    expect(reported[0]).toBe('%1 is 11 in w')
  })

  it('are found if their session appears while the list of sessions is read', async () => {
    tmux.panes = [{ id: 1, pid: 11, rows: ['x'] }]
    await source.watch({ directories: [tmux.sockets] })
    let release = () => {}
    tmux.holdsLists = new Promise(resolve => {
      release = resolve
    })
    const lists = tmux.asked.filter(line => line === 'list-sessions').length
    tmux.say('%sessions-changed')
    await expect.poll(() => tmux.asked.filter(line => line === 'list-sessions')).toHaveLength(lists + 1)
    tmux.sessions = ['$0', '$1']
    tmux.say('%sessions-changed')
    tmux.say('%output %1 after')
    await until('%1 prints after')
    release()
    await expect.poll(() => tmux.asked).toContain('attach $1')
  })

  it('are found by panes.tmux_socket, without the other sockets of the directory', async () => {
    tmux.panes = [{ id: 1, pid: 11, rows: ['x'] }]
    await source.watch({ sockets: [`${tmux.socket}-other`] })
    expect([reported, source.servers.length]).toEqual([[], 0])
    await source.watch({ sockets: [tmux.socket] })
    expect([reported[0], source.servers.map(({ socket }) => socket)]).toEqual(['%1 is 11 in w', [tmux.socket]])
  })

  it('are not searched at the socket of a server that has ended', async () => {
    const name = createServer()
    await new Promise<void>(resolve => name.listen(join(tmux.directory, 'name'), resolve))
    const ended = join(tmux.sockets, 'ended')
    renameSync(join(tmux.directory, 'name'), ended)
    await new Promise(resolve => name.close(resolve))
    await source.watch({ sockets: [ended] })
    expect([source.servers.map(({ socket }) => socket), tmux.asked]).toEqual([[ended], []])
  })

  it('are captured again on request', async () => {
    tmux.panes = [{ id: 1, pid: 11, rows: ['x'] }]
    await source.watch({ directories: [tmux.sockets] })
    tmux.panes[0]!.rows = ['y']
    source.resync(`tmux:${tmux.socket}:%1`)
    await until('%1 shows y')
  })
})
