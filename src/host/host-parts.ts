import { hostname } from 'node:os'
import { LivePacks } from '../agents/index.js'
import type { ApprovalRecord } from '../approvals/index.js'
import type { Config } from '../config/index.js'
import type { EventData, EventType } from '../events/index.js'
import {
  NotificationCenter,
  openOutlets,
  openWebhooks,
  type PaneNotification,
  type PaneQuestion,
  type PushService,
  pushPayload,
} from '../notifications/index.js'
import { PaneRegistry } from '../supervision/index.js'
import type { Redactor } from '../text/index.js'
import type { HostOptions } from './settings.js'

/*
 * Wires the parts of a host that only a daemon has: packs that reload, the registry of panes,
 * notifications.
 */

/** Writes an event about the host itself, without waiting for it. */
export type WriteHostEvent = <T extends EventType>(type: T, data: EventData<T>) => void

export function openPacks({ settings, clock, owner }: HostOptions, writeEvent: WriteHostEvent): LivePacks {
  const packs = new LivePacks({
    directories: { user: settings.packDirectory },
    clock,
    onFailed: ({ agent, file, line, message }) =>
      writeEvent('pack.failed', { agent, file, ...(line !== null && { line }), message }),
    onReloaded: agent => writeEvent('pack.reloaded', { agent }),
  })
  if (owner === 'daemon') packs.watch()
  return packs
}

/** The registry of panes; null in a host without supervision. */
export function openPanes(
  { settings, clock, owner, onError }: HostOptions,
  { packs, redactor, writeEvent }: { packs: LivePacks; redactor: Redactor; writeEvent: WriteHostEvent },
): PaneRegistry | null {
  if (!settings.supervision || owner !== 'daemon') return null
  return new PaneRegistry({
    clock,
    settings: settings.supervision,
    packs,
    redactor,
    env: process.env,
    onSwitch: change => writeEvent('supervision.switched', change),
    onError,
  })
}

/** Notifies people of changes of panes. */
export function openNotifications(
  { clock, onError, settings }: HostOptions,
  panes: PaneRegistry,
  parts: {
    notify: Config['notify']
    writeEvent: WriteHostEvent
    push: PushService
    request(id: string): Promise<ApprovalRecord | null>
  },
): NotificationCenter {
  const { notify, writeEvent, push } = parts
  const toBrowsers = async (notice: PaneNotification) => {
    if (push.count === 0) return
    const request = notice.approval === undefined ? null : await parts.request(notice.approval)
    await push.send(pushPayload(notice, request))
  }
  const notifications = new NotificationCenter({
    clock,
    settings: notify,
    quietWorkS: panes.settings.panes.quiet_run_s,
    outlets: Object.assign(
      openOutlets({
        env: process.env,
        usesDesktop: notify.desktop,
        command: notify.command,
        push: {
          get count() {
            return push.count
          },
          send: notice => void toBrowsers(notice).catch(onError),
        },
        webhooks: openWebhooks({ urls: notify.webhooks, dashboard: settings.dashboard ?? null, onError }),
        onError,
      }),
      { telegram: (question: PaneQuestion) => writeEvent('pane.noticed', { ...question }) },
    ),
    counters: panes.counters,
    hostName: hostname(),
    utcOffset: -new Date(clock.now()).getTimezoneOffset(),
  })
  panes.listen(change => notifications.paneChanged(change))
  return notifications
}
