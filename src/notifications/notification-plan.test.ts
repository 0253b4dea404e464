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

const ada: NotificationRecipient = { channels: ['telegram', 'browser', 'terminal'], lastActive: {} }

function subject(fields: Partial<NotificationSubject> = {}): NotificationSubject {
  return { id: 'apr_1', requestedAt: NOON, group: 'ses_1', fingerprint: 'f1', ...fields }
}

/**
 * Runs the plan on a clock, and lists the messages as `minutes:seconds channel what`.
 */
function play(
  recipient: NotificationRecipient,
  request = subject(),
  {
    until = 48 * 60 * MINUTE,
    changes = {} as Record<number, Partial<NotificationSubject>>,
    recent = [] as NotificationSituation['recent'],
  } = {},
): string[] {
  const clock = new SimulatedClock(request.requestedAt)
  const sent: SentMessage[] = []
  const told: string[] = []
  let now = { ...request }
  const look = () => {
    const plan = planNotifications({
      now: clock.now(),
      request: now,
      recipient,
      sent,
      recent,
      times: DEFAULT_NOTIFICATION_TIMES,
    })
    for (const { channel, what } of plan.steps) {
      sent.push({ request: now.id, channel, what })
      const seconds = (clock.now() - request.requestedAt) / 1000
      const time = `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`
      told.push(`${time} ${channel} ${what}`)
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

describe('a notification while no person is present', () => {
  test('goes to the first channel, the next, all channels, with one reminder, and then ends', () => {
    expect(play(ada)).toEqual([
      '0:00 telegram message',
      '3:00 browser message',
      '10:00 terminal message',
      '30:00 telegram reminder',
    ])
  })

  test('escalates a seen request after ten minutes without a decision, skipping the next channel', () => {
    expect(play(ada, subject(), { changes: { [MINUTE]: { seenAt: NOON + MINUTE } } })).toEqual([
      '0:00 telegram message',
      '10:00 browser message',
      '10:00 terminal message',
      '30:00 telegram reminder',
    ])
  })
})

describe('a notification while a person is present', () => {
  const atDesk = { ...ada, lastActive: { browser: NOON - 30_000 } }

  test('is sent only to them for twenty seconds', () => {
    expect(play(atDesk, subject(), { until: 19_999 })).toEqual(['0:00 browser message'])
    expect(play(atDesk, subject(), { until: 20_000 })).toEqual(['0:00 browser message', '0:20 telegram message'])
  })

  test('is not repeated for ten minutes if they saw the request', () => {
    const told = play(atDesk, subject(), { changes: { 5000: { seenAt: NOON + 5_000 } }, until: 9 * MINUTE })
    expect(told).toEqual(['0:00 browser message'])
  })

  test('counts presence for a minute on screens and for two minutes on Telegram', () => {
    const at = (lastActive: NotificationRecipient['lastActive']) =>
      play({ ...ada, lastActive }, subject(), { until: 0 })
    expect(at({ terminal: NOON - 60_000 })).toEqual(['0:00 terminal message'])
    expect(at({ terminal: NOON - 60_001 })).toEqual(['0:00 telegram message'])
    expect(at({ browser: NOON - 90_000, telegram: NOON - 119_000 })).toEqual(['0:00 telegram message'])
  })
})

describe('quiet hours of a person', () => {
  // 22:00 to 07:00; the request comes at 23:00.
  const quiet = { ...ada, quiet: { from: 22 * 60, to: 7 * 60 } }
  const night = subject({ requestedAt: NOON + 11 * 60 * MINUTE })

  test('delay all notifications until they end, and then notify once on each due channel', () => {
    expect(play(quiet, night, { until: 9 * 60 * MINUTE })).toEqual([
      '480:00 telegram message',
      '480:00 browser message',
      '480:00 terminal message',
      '480:00 telegram reminder',
    ])
  })

  test('use the time zone of the person', () => {
    expect(play({ ...quiet, utcOffset: 11 * 60 }, subject(), { until: 0 })).toEqual([])
    expect(play({ ...quiet, utcOffset: 0 }, subject(), { until: 0 })).toHaveLength(1)
  })
})

describe('many requests of a pane', () => {
  const burst = (count: number, everyMs: number) =>
    Array.from({ length: count }, (_, index) => ({
      id: `apr_${index}`,
      requestedAt: NOON - (count - index) * everyMs,
      group: 'ses_1',
      fingerprint: `other ${index}`,
    }))

  test('cause no notification after the third within ten seconds', () => {
    expect(play(ada, subject(), { recent: burst(2, 1000), until: 0 })).toEqual(['0:00 telegram message'])
    expect(play(ada, subject(), { recent: burst(3, 1000) })).toEqual([])
    expect(play(ada, subject(), { recent: burst(3, 6000), until: 0 })).toEqual(['0:00 telegram message'])
    const ofAnother = burst(3, 1000).map(each => ({ ...each, group: 'ses_2' }))
    expect(play(ada, subject(), { recent: ofAnother, until: 0 })).toEqual(['0:00 telegram message'])
  })

  test('are a loop with one warning if the same request comes five times in ten minutes', () => {
    const same = Array.from({ length: 4 }, (_, index) => ({
      id: `apr_${index}`,
      requestedAt: NOON - (index + 1) * 2 * MINUTE,
      group: 'ses_1',
      fingerprint: 'f1',
    }))
    expect(play(ada, subject(), { recent: same })).toEqual(['0:00 telegram loop'])
    expect(play(ada, subject(), { recent: same.slice(1), until: 0 })).toEqual(['0:00 telegram message'])
    const told: SentMessage[] = [{ request: 'apr_0', channel: 'telegram', what: 'loop' }]
    const again = planNotifications({
      now: NOON,
      request: subject(),
      recipient: ada,
      sent: told,
      recent: same,
      times: DEFAULT_NOTIFICATION_TIMES,
    })
    expect(again).toEqual({ steps: [], nextCheckAt: null })
  })
})
