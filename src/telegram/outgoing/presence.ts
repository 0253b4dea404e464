import type { ApprovalRecord } from '../../approvals/index.js'
import { DEFAULT_NOTIFICATION_TIMES, type NotificationChannel, planNotifications } from '../../notifications/index.js'

export interface PersonPresence {
  /** In the order of preference. */
  channels: readonly NotificationChannel[]
  /** When a person was last active on each channel. */
  lastActive: Readonly<Partial<Record<NotificationChannel, number>>>
  settings: typeof DEFAULT_NOTIFICATION_TIMES
}

export const NO_OTHER_SURFACE: PersonPresence = {
  channels: ['telegram'],
  lastActive: {},
  settings: DEFAULT_NOTIFICATION_TIMES,
}

/** A plan with more steps than this is not followed further. */
const STEPS_MAX = 8

/**
 * When Telegram shows a request, if nothing changes until then: at once when no person is active on
 * another surface, else later. Follows the same plan as every other channel. Pure.
 */
export function telegramDueAt(record: ApprovalRecord, presence: PersonPresence, now: number): number {
  const { channels, lastActive, settings } = presence
  if (!channels.includes('telegram')) return now
  const { id, requestedAt, fingerprint } = record
  const request = { id, requestedAt, fingerprint, group: id }
  const recipient = { channels, lastActive }
  let at = now
  for (let step = 0; step < STEPS_MAX; step++) {
    const plan = planNotifications({ now: at, request, recipient, sent: [], recent: [], times: settings })
    if (plan.steps.some(({ channel }) => channel === 'telegram')) return at
    if (plan.nextCheckAt === null || plan.nextCheckAt <= at) return at
    at = plan.nextCheckAt
  }
  return at
}
