import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { ScriptedTmux } from '../testing/scripted-tmux.js'
import { TmuxSource } from './tmux-source.js'

/* §10 tmux and §14 "a scripted control-mode server": pause, death and return, ids given again, sockets by name. Real clients, a server that is played. */
describe('panes of a tmux that is played', () => {
  let tmux: ScriptedTmux
  let clock: SimulatedClock
  let source: TmuxSource
  let told: string[]
  beforeEach(async () => {
    tmux = await ScriptedTmux.open()
    clock = new SimulatedClock()
    told = []
    const short = (key: string) => key.slice(key.lastIndexOf(':') + 1)
    source = new TmuxSource({
      clock,
      env: tmux.env,
      described: (key, _socket, { pid, window }) => told.push(`${short(key)} is ${pid} in ${window}`),
      output: (key, bytes) => told.push(`${short(key)} prints ${Buffer.from(bytes).toString()}`),
      content: (key, { lines }) => told.push(`${short(key)} shows ${lines.join('/')}`),
      gone: key => told.push(`${short(key)} is gone`),
      onError: error => told.push(`error ${String(error)}`),
    })
  })
  afterEach(() => {
    source.close()
    tmux.close()
  })
  /** What is told from now on, until this is among it. */
  const until = (line: string) => vi.waitFor(() => expect(told).toContain(line), { timeout: 30_000, interval: 5 })

  it('tells of every pane, then of its content, then of what it prints; nothing printed before counts twice', async () => {
    tmux.panes = [{ id: 1, pid: 11, rows: ['one', '$'] }]
    await source.watch({ directories: [tmux.sockets] })
    expect(told).toEqual(['%1 is 11 in w', '%1 shows one/$'])
    tmux.say('%output %1 a\\033b')
    await until('%1 prints a\u001bb')
  })

  it('takes the content whole after a pause, and lets the pane go on', async () => {
    tmux.panes = [{ id: 1, pid: 11, rows: ['old'] }]
    await source.watch({ directories: [tmux.sockets] })
    tmux.panes[0]!.rows = ['flood', 'end']
    tmux.say('%pause %1')
    await until('%1 shows flood/end')
    await vi.waitFor(() => expect(tmux.asked).toContain('refresh-client -A "%1:continue"'))
  })

  it('an id that was given to another process is told with its new process and its new content', async () => {
    tmux.panes = [{ id: 1, pid: 11, rows: ['old'] }]
    await source.watch({ directories: [tmux.sockets] })
    tmux.panes = [{ id: 1, pid: 99, rows: ['new'] }]
    tmux.say('%layout-change @0 x x *')
    await until('%1 is 99 in w')
    await until('%1 shows new')
  })

  it('a window that is renamed is told without its content being taken again', async () => {
    tmux.panes = [{ id: 1, pid: 11, rows: ['old'] }]
    await source.watch({ directories: [tmux.sockets] })
    tmux.panes = [{ id: 1, pid: 11, rows: ['old'], window: 'other' }]
    tmux.say('%window-renamed @0 other')
    await until('%1 is 11 in other')
    expect(told.filter(line => line.startsWith('%1 shows'))).toEqual(['%1 shows old'])
  })

  it('a server that dies takes its panes along, is looked for after 1, then 2 seconds, and is found again', async () => {
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
    told.length = 0
    clock.advance(4_000)
    await until('%1 shows old')
    expect(told[0]).toBe('%1 is 11 in w')
  })

  it('a session that comes while the list of sessions is read is joined all the same', async () => {
    tmux.panes = [{ id: 1, pid: 11, rows: ['x'] }]
    await source.watch({ directories: [tmux.sockets] })
    let release = () => {}
    tmux.holdsLists = new Promise(resolve => {
      release = resolve
    })
    const lists = tmux.asked.filter(line => line === 'list-sessions').length
    tmux.say('%sessions-changed')
    await vi.waitFor(() => expect(tmux.asked.filter(line => line === 'list-sessions')).toHaveLength(lists + 1))
    tmux.sessions = ['$0', '$1']
    tmux.say('%sessions-changed')
    tmux.say('%output %1 after')
    await until('%1 prints after')
    release()
    await vi.waitFor(() => expect(tmux.asked).toContain('attach $1'), { timeout: 30_000, interval: 5 })
  })

  it('knob panes.tmux_socket: a socket by its name is watched without its neighbours', async () => {
    tmux.panes = [{ id: 1, pid: 11, rows: ['x'] }]
    await source.watch({ sockets: [`${tmux.socket}-other`] })
    expect([told, source.servers.length]).toEqual([[], 0])
    await source.watch({ sockets: [tmux.socket] })
    expect([told[0], source.servers.map(({ socket }) => socket)]).toEqual(['%1 is 11 in w', [tmux.socket]])
  })

  it('content that somebody has missed is taken once more when it is asked for', async () => {
    tmux.panes = [{ id: 1, pid: 11, rows: ['x'] }]
    await source.watch({ directories: [tmux.sockets] })
    tmux.panes[0]!.rows = ['y']
    source.resync(`tmux:${tmux.socket}:%1`)
    await until('%1 shows y')
  })
})
