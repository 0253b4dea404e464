import { hostname } from 'node:os'
import { PackShelf } from '../agents/index.js'
import type { EventData, EventType } from '../events/index.js'
import { NotificationCenter, openOutlets } from '../notifications/index.js'
import { PaneBoard } from '../supervision/index.js'
import type { Redactor } from '../text/index.js'
import type { HostOptions } from './host-options.js'
import type { HostSettings } from './settings.js'

/** Writes an event about the host itself, which nobody waits for. */
export type Note = <T extends EventType>(type: T, data: EventData<T>) => void

export function openPacks({ settings, clock, owner }: HostOptions, note: Note): PackShelf {
  const packs = new PackShelf({
    directories: { user: settings.packDirectory },
    clock,
    onFailed: ({ agent, file, line, message }) =>
      note('pack.failed', { agent, file, ...(line !== null && { line }), message }),
    onReloaded: agent => note('pack.reloaded', { agent }),
  })
  if (owner === 'daemon') packs.watch()
  return packs
}

/** Null in a host without supervision. */
export function openBoard(
  { settings, clock, owner, onError }: HostOptions,
  { packs, redactor, note }: { packs: PackShelf; redactor: Redactor; note: Note },
): PaneBoard | null {
  if (!settings.supervision || owner !== 'daemon') return null
  return new PaneBoard({
    clock,
    settings: settings.supervision,
    packs,
    redactor,
    env: process.env,
    onSwitch: change => note('supervision.switched', change),
    onError,
  })
}

/** Calls people when something happens on the board. */
export function openNotices(
  { clock, onError }: HostOptions,
  board: PaneBoard,
  notify: NonNullable<HostSettings['notify']>,
): NotificationCenter {
  const notices = new NotificationCenter({
    clock,
    settings: notify,
    quietRunS: board.settings.panes.quiet_run_s,
    outlets: openOutlets({ env: process.env, usesDesktop: notify.desktop, command: notify.command, onError }),
    counters: board.counters,
    hostName: hostname(),
    utcOffset: -new Date(clock.now()).getTimezoneOffset(),
  })
  board.listen(change => notices.take(change))
  return notices
}
