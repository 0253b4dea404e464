import { type ApprovalRecord, NOTIFY_DEFAULTS, type NotifyChannel, planNotifications } from '../../approvals/index.js'

export interface Presence {
  /** In the order in which they want to be reached. */
  channels: readonly NotifyChannel[]
  /** When somebody was last active there. */
  lastActive: Readonly<Partial<Record<NotifyChannel, number>>>
  settings: typeof NOTIFY_DEFAULTS
}

export const NOBODY_ELSEWHERE: Presence = { channels: ['telegram'], lastActive: {}, settings: NOTIFY_DEFAULTS }

/** Later than this nothing is put off. */
const LATEST_STEPS = 8

/**
 * When a request is to be told in Telegram, if nothing changes until then: at once where nobody is at another surface, later where somebody
 * sits in front of it. Asks the same plan as every other channel does. Pure.
 */
export function telegramDueAt(record: ApprovalRecord, presence: Presence, now: number): number {
  const { channels, lastActive, settings } = presence
  if (!channels.includes('telegram')) return now
  const approval = {
    id: record.id,
    isPending: true,
    requestedAt: record.requestedAt,
    group: record.subject.session ?? record.subject.run ?? record.id,
    fingerprint: record.fingerprint,
    ...(record.deadline && { deadlineAt: record.deadline.at }),
  }
  const people = [{ id: 'person', mayDecide: true, channels, lastActive }]
  let at = now
  for (let step = 0; step < LATEST_STEPS; step++) {
    const plan = planNotifications({ now: at, approval, people, sent: [], recent: [], settings })
    if (plan.steps.some(({ channel }) => channel === 'telegram')) return at
    if (plan.lookAgainAt === null || plan.lookAgainAt <= at) return at
    at = plan.lookAgainAt
  }
  return at
}
