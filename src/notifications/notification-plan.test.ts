import { describe, expect, test } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import {
  DEFAULT_NOTIFICATION_TIMES,
  type NotificationRecipient,
  type NotificationSituation,
  type NotificationSubject,
  planNotifications,
  type SentMessage,
} from './notification-plan.js'

const MINUTE = 60_000
/** Noon UTC of some day. */
const NOON = 20_000 * 86_400_000 + 12 * 60 * MINUTE

const ada: NotificationRecipient = {
  id: 'ada',
  mayDecide: true,
  channels: ['telegram', 'browser', 'terminal'],
  lastActive: {},
}
const eve: NotificationRecipient = { id: 'eve', mayDecide: true, channels: ['browser'], lastActive: {} }
const viewer: NotificationRecipient = { ...ada, id: 'vera', mayDecide: false }

function subject(fields: Partial<NotificationSubject> = {}): NotificationSubject {
  return { id: 'apr_1', isPending: true, requestedAt: NOON, group: 'ses_1', fingerprint: 'f1', ...fields }
}

/**
 * Runs the plan on a clock, and lists the messages as `minutes:seconds person channel what`.
 */
function play(
  people: readonly NotificationRecipient[],
  approval = subject(),
  {
    until = 48 * 60 * MINUTE,
    changes = {} as Record<number, Partial<NotificationSubject>>,
    recent = [] as NotificationSituation['recent'],
  } = {},
): string[] {
  const clock = new SimulatedClock(approval.requestedAt)
  const sent: SentMessage[] = []
  const told: string[] = []
  let now = { ...approval }
  const look = () => {
    const plan = planNotifications({
      now: clock.now(),
      approval: now,
      people,
      sent,
      recent,
      settings: DEFAULT_NOTIFICATION_TIMES,
    })
    for (const { person, channel, what, approval: id, count } of plan.steps) {
      sent.push({ approval: id, person, channel, what })
      const seconds = (clock.now() - approval.requestedAt) / 1000
      const time = `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`
      told.push(`${time} ${person} ${channel} ${what}${count === undefined ? '' : ` ${count}`}`)
    }
    if (plan.nextCheckAt !== null) clock.setTimer(plan.nextCheckAt - clock.now(), look)
  }
  for (const [at, change] of Object.entries(changes)) {
    clock.setTimer(Number(at), () => {
      now = { ...now, ...change }
      look()
    })
  }
  look()
  clock.advance(until)
  return told
}

describe('no person is present', () => {
  test('first channel, next channel, all channels, one reminder, then silence', () => {
    expect(play([ada])).toEqual([
      '0:00 ada telegram message',
      '3:00 ada browser message',
      '10:00 ada terminal message',
      '30:00 ada telegram reminder',
    ])
  })

  test('every approver is notified in their own order, a viewer is not', () => {
    expect(play([ada, eve, viewer], subject(), { until: MINUTE })).toEqual([
      '0:00 ada telegram message',
      '0:00 eve browser message',
    ])
  })

  test('a seen request does not use the next channel, but escalates after ten minutes without a decision', () => {
    expect(play([ada], subject(), { changes: { [MINUTE]: { seenAt: NOON + MINUTE } } })).toEqual([
      '0:00 ada telegram message',
      '10:00 ada browser message',
      '10:00 ada terminal message',
      '30:00 ada telegram reminder',
    ])
  })

  test('a decision edits the messages and sends no new one', () => {
    expect(play([ada], subject(), { changes: { [4 * MINUTE]: { isPending: false } } })).toEqual([
      '0:00 ada telegram message',
      '3:00 ada browser message',
      '4:00 ada telegram edit',
      '4:00 ada browser edit',
    ])
  })
})

describe('a person is present', () => {
  const atDesk = { ...ada, lastActive: { browser: NOON - 30_000 } }

  test('they are notified only there for twenty seconds', () => {
    expect(play([atDesk, eve], subject(), { until: 19_999 })).toEqual(['0:00 ada browser message'])
    expect(play([atDesk, eve], subject(), { until: 20_000 })).toEqual([
      '0:00 ada browser message',
      '0:20 ada telegram message',
      '0:20 eve browser message',
    ])
  })

  test('a request that they saw is not repeated for ten minutes', () => {
    const told = play([atDesk, eve], subject(), { changes: { 5000: { seenAt: NOON + 5_000 } }, until: 9 * MINUTE })
    expect(told).toEqual(['0:00 ada browser message'])
  })

  test('presence lasts a minute for screens and two for Telegram', () => {
    const at = (lastActive: NotificationRecipient['lastActive']) =>
      play([{ ...ada, lastActive }], subject(), { until: 0 })
    expect(at({ terminal: NOON - 60_000 })).toEqual(['0:00 ada terminal message'])
    expect(at({ terminal: NOON - 60_001 })).toEqual(['0:00 ada telegram message'])
    expect(at({ browser: NOON - 90_000, telegram: NOON - 119_000 })).toEqual(['0:00 ada telegram message'])
  })
})

describe('quiet hours', () => {
  // 22:00 to 07:00; the request comes at 23:00.
  const quiet = { ...ada, quiet: { from: 22 * 60, to: 7 * 60 } }
  const night = subject({ requestedAt: NOON + 11 * 60 * MINUTE })

  test('hold everything and end with one digest on each due channel', () => {
    expect(play([quiet], night, { until: 9 * 60 * MINUTE })).toEqual([
      '480:00 ada telegram digest',
      '480:00 ada browser digest',
      '480:00 ada terminal digest',
      '480:00 ada telegram reminder',
    ])
  })

  test('do not hold an urgent request', () => {
    expect(play([quiet], { ...night, isUrgent: true }, { until: 0 })).toEqual(['0:00 ada telegram message'])
  })

  test('do not hold a request fifteen minutes before its deadline', () => {
    const deadlineAt = night.requestedAt + 60 * MINUTE
    expect(play([quiet], { ...night, deadlineAt }, { until: 45 * MINUTE })[0]).toBe('45:00 ada telegram message')
    expect(play([quiet], { ...night, deadlineAt }, { until: 44 * MINUTE })).toEqual([])
  })

  test('use the time zone of the person', () => {
    expect(play([{ ...quiet, utcOffset: 11 * 60 }], subject(), { until: 0 })).toEqual([])
    expect(play([{ ...quiet, utcOffset: 0 }], subject(), { until: 0 })).toHaveLength(1)
  })

  test('hold nothing for a person without them', () => {
    expect(play([quiet, eve], night, { until: 0 })).toEqual(['0:00 eve browser message'])
  })
})

describe('many requests', () => {
  const burst = (count: number, everyMs: number) =>
    Array.from({ length: count }, (_, index) => ({
      id: `apr_${index}`,
      requestedAt: NOON - (count - index) * everyMs,
      group: 'ses_1',
      fingerprint: `other ${index}`,
    }))

  test('the fourth within ten seconds is counted on the card of the third', () => {
    const plan = (recent: NotificationSituation['recent']) =>
      planNotifications({
        now: NOON,
        approval: subject({ id: 'apr_new' }),
        people: [ada],
        sent: recent.map(({ id }) => ({ approval: id, person: 'ada', channel: 'telegram', what: 'message' })),
        recent,
        settings: DEFAULT_NOTIFICATION_TIMES,
      }).steps
    expect(plan(burst(2, 1000))).toMatchObject([{ what: 'message' }])
    expect(plan(burst(3, 1000))).toEqual([
      { person: 'ada', channel: 'telegram', what: 'count', approval: 'apr_new', count: 2 },
    ])
    expect(plan(burst(4, 1000))).toMatchObject([{ what: 'count', count: 3 }])
    expect(plan(burst(3, 6000))).toMatchObject([{ what: 'message' }])
    expect(plan(burst(3, 1000).map(each => ({ ...each, group: 'ses_2' })))).toMatchObject([{ what: 'message' }])
  })

  test('the same request five times in ten minutes is a loop with one warning', () => {
    const same = Array.from({ length: 4 }, (_, index) => ({
      id: `apr_${index}`,
      requestedAt: NOON - (index + 1) * 2 * MINUTE,
      group: 'ses_1',
      fingerprint: 'f1',
    }))
    expect(play([ada], subject(), { recent: same })).toEqual(['0:00 ada telegram loop'])
    expect(play([ada], subject(), { recent: same.slice(1), until: 0 })).toEqual(['0:00 ada telegram message'])
    const told: SentMessage[] = [{ approval: 'apr_0', person: 'ada', channel: 'telegram', what: 'loop' }]
    const again = planNotifications({
      now: NOON,
      approval: subject(),
      people: [ada],
      sent: told,
      recent: same,
      settings: DEFAULT_NOTIFICATION_TIMES,
    })
    expect(again).toEqual({ steps: [], nextCheckAt: null })
  })
})
