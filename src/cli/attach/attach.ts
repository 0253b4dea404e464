import { userInfo } from 'node:os'
import WebSocket from 'ws'
import { delay, systemClock, type Timer } from '../../clock/index.js'
import { EXIT } from '../../errors/index.js'
import type { ClientMessage, ServerMessage, Session } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { openHome } from '../home.js'
import { FittedScreen, type Size } from './fit-screen.js'
import { OutputFilter, withoutReplies } from './output-filter.js'
import { drawStatus, type InputState, statusText } from './status-line.js'

/** The line that says who types is drawn again this long after the screen changed below it. */
const STATUS_MS = 150
/** A picture that is fitted into a terminal of another size is drawn at most so often. */
const FITTED_MS = 30
/** Modes a program may have switched on: mouse, focus, paste, keyboard, cursor, colours. Reset before the person gets the terminal back. */
const RESET =
  '\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1004l\u001b[?1006l\u001b[?2004l\u001b[?2026l\u001b[<99u\u001b[>4;0m\u001b[r\u001b[?25h\u001b[?7h\u001b[?1l\u001b>\u001b[0m'
const ENTER = '\u001b[?1049h\u001b[2J\u001b[H'
const CLEAR = '\u001b[0m\u001b[2J\u001b[H'
const LEAVE = '\u001b[?1049l'
const ACK_EVERY = 64 * 1024
/** Whatever ends this program, the person's terminal is given back first. */
const ENDINGS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const

/** A daemon that is replaced by a newer one is away for a moment; one that was stopped stays away. */
const NEXT_DAEMON_MS = 8_000
const LOOK_AGAIN_MS = 100
/** Thrown off so often in a row, each time within a moment: it will not be better the next time. */
const TRIES = 3
const MOMENT_MS = 5_000

/**
 * Puts the person's terminal on a session until they detach or it ends. The screen is left as it was found. When the daemon goes and another
 * one comes, it goes on there.
 */
export async function attachTo(
  context: CommandContext,
  client: DaemonClient,
  session: string,
  options: { isViewOnly: boolean },
): Promise<number> {
  let tries = 0
  for (let daemon: DaemonClient | null = client; ; ) {
    const begun = systemClock.monotonic()
    const end = await attachOnce(context, daemon, session, options)
    tries = systemClock.monotonic() - begun < MOMENT_MS ? tries + 1 : 0
    daemon = end.isCutOff && tries < TRIES ? await nextDaemon(context, session) : null
    if (daemon) continue
    context.out(`[${end.reason}]`)
    return EXIT.ok
  }
}

/** The daemon that has this session now; null when none comes by itself, or it is over. */
async function nextDaemon(context: CommandContext, session: string): Promise<DaemonClient | null> {
  const until = systemClock.monotonic() + NEXT_DAEMON_MS
  while (systemClock.monotonic() < until) {
    const daemon = await DaemonClient.running(context).catch(() => null)
    const found = await daemon?.get<Session>(`/sessions/${session}`).catch(() => null)
    if (daemon && found) return found.state === 'live' || found.state === 'starting' ? daemon : null
    await delay(systemClock, LOOK_AGAIN_MS)
  }
  return null
}

/** `isCutOff`: neither the person nor the program has ended it. */
async function attachOnce(
  context: CommandContext,
  client: DaemonClient,
  session: string,
  options: { isViewOnly: boolean },
): Promise<{ reason: string; isCutOff: boolean }> {
  const socket = new WebSocket(
    `ws+unix:${client.socketPath}:/api/v1/panes/${session}/terminal`,
    'signalbox.terminal.v1',
  )
  const keys = attachKeys(context)
  return new Promise(resolve => {
    const { stdin, stdout } = process
    const filter = new OutputFilter()
    let unacknowledged = 0
    let input: InputState = { holder: 'nobody', isYours: !options.isViewOnly }
    let redraw: Timer | null = null
    /** The session's size, and its picture as it fits in here where that is another one. */
    let theirs: Size | null = null
    let fitted: FittedScreen | null = null
    /** What comes before the picture that was asked for is in that picture. */
    let isAwaiting = false
    const now = () => systemClock.monotonic() / 1000
    const size = () => ({ cols: stdout.columns || 80, rows: stdout.rows || 24 })
    const send = (message: ClientMessage) => socket.readyState === socket.OPEN && socket.send(JSON.stringify(message))
    const onResize = () => {
      send({ type: 'resize', ...size() })
      fitted?.fit(size())
      context.write(fitted ? CLEAR : '')
      if (chooseView()) askForPicture()
      later(0)
    }
    const onInput = (chunk: Buffer) => {
      const at = chunk.indexOf(keys.detach)
      if (!input.isYours && !options.isViewOnly && chunk.includes(keys.take)) send({ type: 'take' })
      const typed = withoutReplies(at < 0 ? chunk : chunk.subarray(0, at))
      if (typed.length > 0 && input.isYours && socket.readyState === socket.OPEN) socket.send(typed, { binary: true })
      if (at >= 0) finish('detached')
    }
    const onSignal = () => finish('detached')
    const showStatus = () => {
      const text = statusText(input, { isViewOnly: options.isViewOnly, ...keys.names })
      if (fitted && !isAwaiting) context.write(fitted.draw(text === null ? 0 : 1))
      if (text !== null) context.write(drawStatus(text, size()))
    }
    const later = (ms: number) => {
      redraw ??= systemClock.setTimer(ms, () => {
        redraw = null
        showStatus()
      })
    }
    /** Whoever types has the session's size. Others may not: then they are drawn what fits. True: it is the other view now. */
    const chooseView = () => {
      const { cols, rows } = size()
      const isFitted = !input.isYours && theirs !== null && (theirs.cols !== cols || theirs.rows !== rows)
      if (isFitted === (fitted !== null)) return false
      fitted = isFitted ? new FittedScreen({ cols, rows }, theirs!) : null
      context.write(`${RESET}${CLEAR}`)
      return true
    }
    const askForPicture = () => {
      isAwaiting = true
      send({ type: 'snapshot' })
    }
    const finish = (reason: string, isCutOff = false) => {
      redraw?.cancel()
      for (const signal of ENDINGS) process.off(signal, onSignal)
      stdin.off('data', onInput)
      stdout.off('resize', onResize)
      if (stdin.isTTY) stdin.setRawMode(false)
      stdin.pause()
      socket.removeAllListeners()
      socket.on('error', () => undefined)
      socket.close()
      context.write(`${RESET}${LEAVE}`)
      resolve({ reason, isCutOff })
    }
    socket.on('open', () => {
      context.write(ENTER)
      if (stdin.isTTY) stdin.setRawMode(true)
      stdin.on('data', onInput)
      stdin.resume()
      stdout.on('resize', onResize)
      for (const signal of ENDINGS) process.on(signal, onSignal)
      send({ type: 'hello', want: options.isViewOnly ? 'view' : 'input', ...size(), name: terminalName() })
    })
    socket.on('message', (data, isBinary) => {
      if (!isBinary) return message(JSON.parse(data.toString()) as ServerMessage)
      const bytes = data as Buffer
      const passed = filter.push(bytes)
      if (fitted) fitted.push(passed, now())
      else if (!isAwaiting) context.write(passed)
      if (!input.isYours) later(fitted ? FITTED_MS : STATUS_MS)
      unacknowledged += bytes.length
      if (unacknowledged < ACK_EVERY) return
      send({ type: 'ack', bytes: unacknowledged })
      unacknowledged = 0
    })
    const message = (content: ServerMessage) => {
      if (content.type === 'snapshot') {
        theirs = { cols: content.cols, rows: content.rows }
        isAwaiting = false
        chooseView()
        if (fitted) fitted.show(theirs, content.data, now())
        else context.write(`${CLEAR}${content.data}`)
        showStatus()
      } else if (content.type === 'resize') {
        theirs = { cols: content.cols, rows: content.rows }
        fitted?.resized(theirs, now())
        if (chooseView()) askForPicture()
        if (fitted) later(FITTED_MS)
      } else if (content.type === 'input') {
        const wasYours = input.isYours
        input = content
        // The line must go, and what is below it is known to the daemon only.
        if (chooseView() || (input.isYours && !wasYours)) askForPicture()
        else showStatus()
      } else if (content.type === 'exit') finish(`the session ended (${content.signal ?? `exit ${content.code}`})`)
      else if (content.type === 'error') finish(content.error.message)
    }
    socket.on('close', () => finish('the daemon went away; the session lives on: attach again', true))
    socket.on('error', () => finish('the daemon does not answer', true))
  })
}

/** The keys that are ours while a terminal is attached. The one that takes over is the program's own while this terminal types. */
function attachKeys(context: CommandContext) {
  const { detach_key: detach, take_key: take } = openHome(context).loaded.config.attach
  const code = (name: string) => name.charCodeAt(name.length - 1) & 0x1f
  return { detach: code(detach), take: code(take), names: { detach, take } }
}

/** How the others may know this terminal. */
function terminalName(): string {
  const place = process.env.SSH_TTY ?? process.env.TMUX_PANE ?? `pid ${process.pid}`
  return `${userInfo().username} (${place})`
}
