import { spawn } from 'node:child_process'
import { findExecutable } from '../process/index.js'
import type { NotificationOutlets, PaneNotification } from './notification.js'

/** Text of programs, safe for notifiers: one line, cut, without options and markup. */
function plain(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .replaceAll('&', '＆')
    .replaceAll('<', '‹')
    .slice(0, 240)
}

/** AppleScript that shows its two arguments: the shown text is never part of the script. */
const SCRIPT = 'on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run'

/**
 * The desktop's notifier, subscribed browsers, webhooks and the user's command, in the background,
 * without a shell.
 */
export function openOutlets(options: {
  env: NodeJS.ProcessEnv
  usesDesktop: boolean
  command: readonly string[]
  /** Browsers that subscribed to notifications. */
  push: { readonly count: number; send(notice: PaneNotification): void }
  webhooks: { readonly count: number; send(notice: PaneNotification): void }
  onError(error: unknown): void
}): Omit<NotificationOutlets, 'telegram'> {
  const { env, usesDesktop, command, push, webhooks, onError } = options
  const find = (name: string) => findExecutable(name, { path: env.PATH, cwd: '/' })
  const hasDisplay = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.DBUS_SESSION_BUS_ADDRESS)
  const notifySend = usesDesktop && hasDisplay ? find('notify-send') : null
  const osascript = usesDesktop && process.platform === 'darwin' ? find('osascript') : null
  const start = (file: string, args: readonly string[], input?: string, more: Record<string, string> = {}) => {
    const child = spawn(file, [...args], {
      env: { ...env, ...more },
      cwd: '/',
      stdio: [input === undefined ? 'ignore' : 'pipe', 'ignore', 'ignore'],
      detached: true,
    })
    child.on('error', onError)
    child.unref()
    if (input !== undefined) {
      child.stdin!.on('error', () => undefined)
      child.stdin!.end(input)
    }
  }
  return {
    // Browsers subscribe while the daemon runs.
    get hasOutlet() {
      return notifySend !== null || osascript !== null || command.length + push.count + webhooks.count > 0
    },
    send(notice: PaneNotification): void {
      push.send(notice)
      webhooks.send(notice)
      if (notifySend) start(notifySend, ['--app-name=signalbox', '--', plain(notice.title), plain(notice.body)])
      if (osascript) start(osascript, ['-e', SCRIPT, plain(notice.title), plain(notice.body)])
      const [file, ...args] = command
      if (file !== undefined)
        start(file, args, `${JSON.stringify(notice)}\n`, {
          SIGNALBOX_NOTICE: notice.kind,
          SIGNALBOX_NOTICE_TITLE: plain(notice.title),
          SIGNALBOX_NOTICE_BODY: plain(notice.body),
          SIGNALBOX_NOTICE_PANE: notice.pane,
        })
    },
  }
}
