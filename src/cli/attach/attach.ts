import { userInfo } from 'node:os'
import WebSocket from 'ws'
import { delay, systemClock, type Timer } from '../../clock/index.js'
import { EXIT, toSignalboxError } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import type { Session, ViewerMessage, ViewerUpdate } from '../../server/index.js'
import { displayWidth, visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { FittedScreen, type Size } from './fit-screen.js'
import { OutputFilter, withoutReplies } from './output-filter.js'

/** The status line is redrawn this long after the screen has changed. */
const STATUS_DELAY_MS = 150
/** A screen that is fitted into a terminal of another size is drawn at most this often. */
const FITTED_REDRAW_MS = 30
/** Resets the modes that a program may have set: mouse, focus, paste, keyboard, cursor, colours. */
const RESET =
  '\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1004l\u001b[?1006l\u001b[?2004l\u001b[?2026l\u001b[<99u\u001b[>4;0m\u001b[r\u001b[?25h\u001b[?7h\u001b[?1l\u001b>\u001b[0m'
const ENTER = '\u001b[?1049h\u001b[2J\u001b[H'
const CLEAR = '\u001b[0m\u001b[2J\u001b[H'
const LEAVE = '\u001b[?1049l'
/** How long the last row says how to leave, after a terminal was attached. */
const HINT_MS = 3_000
const ACK_EVERY = 64 * 1024
/** Before these signals end the program, the person's terminal is restored. */
const ENDINGS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const

/** How often to ask whether a worker that is away has come back. */
const AWAY_POLL_MS = 200
/** Gives up after this many disconnects in a row, each within a short time. */
const DISCONNECTS_MAX = 3
const SHORT_CONNECTION_MS = 5_000

/**
 * Attaches the person's terminal to a session until they detach or it ends; the screen is restored
 * afterwards. If the daemon is replaced, it reconnects to the new one. If the worker that has the
 * session goes away, it waits for it; a worker that is away from the start is an error.
 */
export async function attachTo(
  context: CommandContext,
  client: DaemonClient,
  session: string,
  options: { isViewOnly: boolean },
): Promise<number> {
  let tries = 0
  let wasAttached = false
  let wasAway = false
  for (let daemon: DaemonClient | null = client; ; ) {
    const startedAt = systemClock.monotonic()
    const end = await attachOnce(context, daemon, session, { ...options, hasHint: !wasAttached })
    wasAttached ||= end.wasAttached
    const waits = end.isAway && wasAttached
    if (waits) {
      if (!wasAway) context.note(`[${end.reason}; waiting for it, Ctrl-C stops waiting]`)
      await delay(systemClock, AWAY_POLL_MS)
    } else tries = systemClock.monotonic() - startedAt < SHORT_CONNECTION_MS ? tries + 1 : 0
    wasAway = waits
    daemon = end.isDisconnected && tries < DISCONNECTS_MAX ? await nextDaemon(context, session) : null
    if (daemon) continue
    context.out(`[${end.reason}]`)
    return end.isAway ? EXIT.timeout : EXIT.ok
  }
}

/** The daemon that has the session now; null if none starts in time, or the session has ended. */
async function nextDaemon(context: CommandContext, session: string): Promise<DaemonClient | null> {
  for (;;) {
    const daemon = await DaemonClient.next(context)
    if (!daemon) return null
    try {
      const { state } = await daemon.get<Session>(`/sessions/${session}`)
      return state === 'live' || state === 'starting' ? daemon : null
    } catch (error) {
      if (toSignalboxError(error).code !== 'E_DAEMON_GONE') return null
    }
  }
}

/**
 * `isDisconnected`: neither the person nor the program has ended it. `isAway`: the worker that has
 * the session is not connected. `wasAttached`: the screen was shown.
 */
async function attachOnce(
  context: CommandContext,
  client: DaemonClient,
  session: string,
  options: { isViewOnly: boolean; hasHint: boolean },
): Promise<{ reason: string; isDisconnected: boolean; isAway: boolean; wasAttached: boolean }> {
  const socket = new WebSocket(
    `ws+unix:${client.socketPath}:/api/v1/panes/${session}/terminal`,
    'signalbox.terminal.v1',
  )
  const keys = attachKeys(context)
  return new Promise(resolve => {
    const { stdin, stdout } = process
    const filter = new OutputFilter()
    let unacknowledged = 0
    let input: InputState = { holder: 'none', isYours: !options.isViewOnly }
    /**
     * Keys typed before the daemon reported who has the keyboard; they are sent after that report.
     * Null afterwards.
     */
    let early: Buffer[] | null = []
    let redraw: Timer | null = null
    /** The last row says how to leave; `over`: it has, and the row is the program's again. */
    let hint: Timer | 'wanted' | 'over' = options.hasHint ? 'wanted' : 'over'
    /** The session's size, and its screen fitted into this terminal if that has another size. */
    let sessionSize: Size | null = null
    let fitted: FittedScreen | null = null
    /** A snapshot was requested; output before it is part of it. */
    let isAwaitingSnapshot = false
    /** The person's screen was left for the session's: not before the session has answered. */
    let isEntered = false
    const enter = () => {
      if (!isEntered) context.write(`${ENTER}${titled(`${keys.names.detach} detaches · signalbox`)}`)
      isEntered = true
    }
    const now = () => systemClock.monotonic() / 1000
    const size = () => ({ cols: stdout.columns || 80, rows: stdout.rows || 24 })
    const send = (message: ViewerMessage) => socket.readyState === socket.OPEN && socket.send(JSON.stringify(message))
    const onResize = () => {
      send({ type: 'resize', ...size() })
      fitted?.fit(size())
      context.write(fitted ? CLEAR : '')
      if (chooseView()) requestSnapshot()
      drawLater(0)
    }
    const onInput = (chunk: Buffer) => {
      const at = chunk.indexOf(keys.detach)
      if (!input.isYours && !options.isViewOnly && chunk.includes(keys.take)) send({ type: 'take' })
      const typed = withoutReplies(at < 0 ? chunk : chunk.subarray(0, at))
      if (typed.length > 0 && early) early.push(Buffer.from(typed))
      else if (typed.length > 0 && input.isYours && socket.readyState === socket.OPEN)
        socket.send(typed, { binary: true })
      if (at >= 0) finish('detached')
    }
    const onSignal = () => finish('detached')
    const showStatus = () => {
      const isHinting = typeof hint !== 'string' && input.isYours
      const text = isHinting
        ? hintText(keys.names.detach)
        : statusText(input, { isViewOnly: options.isViewOnly, ...keys.names })
      if (fitted && !isAwaitingSnapshot) context.write(fitted.draw(text === null ? 0 : 1))
      if (text !== null) context.write(drawStatus(text, size()))
    }
    /** Only the daemon can redraw the rows below the hint. */
    const hintOnce = () => {
      if (hint !== 'wanted' || !input.isYours || sessionSize === null || isAwaitingSnapshot) return
      hint = systemClock.setTimer(HINT_MS, () => {
        hint = 'over'
        requestSnapshot()
      })
    }
    const drawLater = (ms: number) => {
      redraw ??= systemClock.setTimer(ms, () => {
        redraw = null
        showStatus()
      })
    }
    /** The terminal that types sets the size. @returns whether the view changed. */
    const chooseView = () => {
      const { cols, rows } = size()
      const isFitted =
        !input.isYours && sessionSize !== null && (sessionSize.cols !== cols || sessionSize.rows !== rows)
      if (isFitted === (fitted !== null)) return false
      fitted = isFitted ? new FittedScreen({ cols, rows }, sessionSize!) : null
      context.write(`${RESET}${CLEAR}`)
      return true
    }
    const requestSnapshot = () => {
      isAwaitingSnapshot = true
      send({ type: 'snapshot' })
    }
    const finish = (reason: string, isDisconnected = false, isAway = false) => {
      redraw?.cancel()
      if (typeof hint !== 'string') hint.cancel()
      for (const signal of ENDINGS) process.off(signal, onSignal)
      stdin.off('data', onInput)
      stdout.off('resize', onResize)
      if (stdin.isTTY) stdin.setRawMode(false)
      stdin.pause()
      socket.removeAllListeners()
      socket.on('error', () => undefined)
      socket.close()
      if (isEntered) context.write(`${RESET}${LEAVE}${RESTORE_TITLE}`)
      resolve({ reason, isDisconnected, isAway, wasAttached: isEntered })
    }
    socket.on('open', () => {
      if (stdin.isTTY) stdin.setRawMode(true)
      stdin.on('data', onInput)
      stdin.resume()
      stdout.on('resize', onResize)
      for (const signal of ENDINGS) process.on(signal, onSignal)
      send({ type: 'hello', want: options.isViewOnly ? 'view' : 'input', ...size(), name: terminalName() })
    })
    socket.on('message', (data, isBinary) => {
      if (!isBinary) return message(JSON.parse(data.toString()) as ViewerUpdate)
      enter()
      const bytes = data as Buffer
      const passed = filter.push(bytes)
      if (fitted) fitted.push(passed, now())
      else if (!isAwaitingSnapshot) context.write(passed)
      if (!input.isYours || typeof hint !== 'string') drawLater(fitted ? FITTED_REDRAW_MS : STATUS_DELAY_MS)
      unacknowledged += bytes.length
      if (unacknowledged < ACK_EVERY) return
      send({ type: 'ack', bytes: unacknowledged })
      unacknowledged = 0
    })
    const message = (content: ViewerUpdate) => {
      if (content.type !== 'error') enter()
      if (content.type === 'snapshot') {
        sessionSize = { cols: Number(content.cols), rows: Number(content.rows) }
        isAwaitingSnapshot = false
        chooseView()
        if (fitted) fitted.show(sessionSize, String(content.data), now())
        else context.write(`${CLEAR}${String(content.data)}`)
        hintOnce()
        showStatus()
      } else if (content.type === 'resize') {
        sessionSize = { cols: Number(content.cols), rows: Number(content.rows) }
        fitted?.resized(sessionSize, now())
        if (chooseView()) requestSnapshot()
        if (fitted) drawLater(FITTED_REDRAW_MS)
      } else if (content.type === 'input') {
        const wasYours = input.isYours
        input = content as unknown as InputState
        for (const typed of (input.isYours && early) || []) socket.send(typed, { binary: true })
        early = null
        // The status line disappears; only the daemon can redraw the row below it.
        hintOnce()
        if (chooseView() || (input.isYours && !wasYours)) requestSnapshot()
        else showStatus()
      } else if (content.type === 'exit') finish(`the session ended (${content.signal ?? `exit ${content.code}`})`)
      else if (content.type === 'error') {
        const isAway = content.error.code === 'E_WORKER_AWAY'
        finish(content.error.message, isAway, isAway)
      }
    }
    socket.on('close', () => finish('the daemon is gone, the session keeps running: attach again', true))
    socket.on('error', () => finish('the daemon does not answer', true))
  })
}

/** Signalbox's keys while attached; the take-over key goes to the program if we type. */
function attachKeys(context: CommandContext) {
  const { detach_key: detach, take_key: take } = openHome(context).loaded.config.attach
  const code = (name: string) => name.charCodeAt(name.length - 1) & 0x1f
  return { detach: code(detach), take: code(take), names: { detach, take } }
}

function terminalName(): string {
  const terminal = process.env.SSH_TTY ?? process.env.TMUX_PANE ?? `pid ${process.pid}`
  return `${userInfo().username} (${terminal})`
}

/** The person who has the keyboard, as the daemon reports to every attached terminal. */
export interface InputState {
  holder: 'person' | 'signalbox' | 'none'
  isYours: boolean
  name?: string | undefined
}

/** How to leave, in the title of the window; the former title is kept by the terminal. */
function titled(text: string): string {
  return `\u001b[22;2t\u001b]2;${text}\u0007`
}

const RESTORE_TITLE = '\u001b[23;2t'

/** The status line of a watching terminal; null for the one that types. */
export function statusText(
  { holder, isYours, name }: InputState,
  { isViewOnly, detach, take }: { isViewOnly: boolean; detach: string; take: string },
): string | null {
  if (isYours) return null
  if (holder === 'signalbox') return ' Signalbox is typing; your keys are not sent '
  const who = holder === 'none' ? 'no one is typing' : `${visibleText(name ?? 'another terminal')} is typing`
  const keys = isViewOnly ? `${detach} detaches` : `${take} takes over · ${detach} detaches`
  return ` watching · ${who} · ${keys} `
}

/** What a person needs to know first: how to get out, and that the agent stays. */
export function hintText(detach: string): string {
  return ` ${detach} detaches; the agent keeps running `
}

/** Draws the line over the last row; the cursor stays. */
export function drawStatus(text: string, { cols, rows }: { cols: number; rows: number }): string {
  let shown = ''
  for (const character of text) {
    if (displayWidth(shown + character) > cols) break
    shown += character
  }
  return `\u001b7\u001b[${rows};1H\u001b[0;7m${shown}\u001b[0m\u001b[K\u001b8`
}
