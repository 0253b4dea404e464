import { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import { type Host, PANE_ACTIONS, type PaneExplanation } from '../../host/index.js'
import { readBody } from '../body.js'

const HEARTBEAT_MS = 20_000
/** A watcher that reads too slowly is given the whole list again instead of every step. */
const WAITING_MAX = 2_000

const tmuxBody = z.strictObject({
  directories: z.array(z.string().startsWith('/')).max(20).default([]),
  sockets: z.array(z.string().startsWith('/')).max(100).default([]),
})
const actBody = z.strictObject({ action: z.enum(PANE_ACTIONS) })
const switchBody = z.strictObject({ switch: z.string(), isOn: z.boolean() })
const presenceBody = z.strictObject({ surface: z.enum(['watch']) })

export function paneRoutes(host: Host): Hono {
  const app = new Hono()

  app.get('/panes', context => context.json({ items: boardOf(host).list() }))

  app.get('/panes/stats', context => context.json(boardOf(host).stats()))

  app.post('/panes/sources/tmux', async context => {
    const isJoined = await boardOf(host).joinTmux(await readBody(context, tmuxBody))
    return context.json({ joined: isJoined })
  })

  app.get('/panes/stream', context =>
    streamSSE(context, async stream => {
      const board = boardOf(host)
      const queue: { event: string; data: string }[] = []
      let wake: () => void = () => undefined
      const all = () => ({ event: 'panes', data: JSON.stringify({ items: board.list(), at: host.clock.now() }) })
      const push = (event: string, value: unknown) => {
        if (queue.length >= WAITING_MAX) queue.splice(0, queue.length, all())
        else queue.push({ event, data: JSON.stringify(value) })
        wake()
      }
      queue.push(all())
      const unlisten = board.listen(change => push(change.type, { pane: change.pane }))
      const unnotice = host.notices?.listen(notice => push('notice', notice)) ?? (() => undefined)
      let timer = host.clock.setTimer(HEARTBEAT_MS, beat)
      function beat() {
        push('heartbeat', {})
        timer = host.clock.setTimer(HEARTBEAT_MS, beat)
      }
      stream.onAbort(() => wake())
      while (!stream.aborted && !stream.closed) {
        const message = queue.shift()
        if (message) await stream.writeSSE(message)
        else
          await new Promise<void>(resolve => {
            wake = resolve
          })
      }
      timer.cancel()
      unlisten()
      unnotice()
    }),
  )

  /** Keys were pressed on a surface: somebody is there. */
  app.post('/panes/presence', async context => {
    await readBody(context, presenceBody)
    host.notices?.present('terminal')
    return context.json({ ok: true })
  })

  app.get('/panes/switches', context => context.json({ items: host.switches.list() }))

  app.post('/panes/switches', async context => {
    const { switch: name, isOn } = await readBody(context, switchBody)
    host.switches.set(name, isOn)
    return context.json({ items: host.switches.list() })
  })

  app.get('/panes/:id', context => context.json(boardOf(host).find(context.req.param('id'))))

  app.post('/panes/:id/act', async context => {
    const { action } = await readBody(context, actBody)
    const board = boardOf(host)
    return context.json(board.act(board.find(context.req.param('id')).id, action))
  })

  app.get('/panes/:id/explain', async context => {
    const word = context.req.param('id')
    const asked = context.req.query('at')
    const at = asked === undefined ? null : Number(asked)
    if (at !== null && !(at >= 0))
      throw new SignalboxError('E_INPUT', `"${asked}" is no time`, { next: 'seconds since the session began' })
    const supervised = explainPane(host, word)
    if (supervised && supervised.pane.source !== 'session') return context.json({ supervision: supervised })
    const record = await host.find(word)
    const explanation = await host.explain(record, at)
    return context.json(supervised && at === null ? { ...explanation, supervision: supervised } : explanation)
  })

  app.get('/packs/problems', context => context.json({ items: host.packs.problems() }))

  return app
}

function boardOf(host: Host): NonNullable<Host['board']> {
  if (!host.board) throw new SignalboxError('E_UNKNOWN', 'this host supervises no panes')
  return host.board
}

/** Null: no pane of this name is supervised now; a session that ended still has its recording. */
function explainPane(host: Host, word: string): PaneExplanation | null {
  if (!host.board) return null
  try {
    return host.board.explain(host.board.find(word).id)
  } catch (error) {
    if (error instanceof SignalboxError && error.code === 'E_UNKNOWN') return null
    throw error
  }
}
