import { SignalboxError } from '../../errors/index.js'
import type { SessionRecord } from '../../sessions/index.js'
import { sessionTitle } from '../cards/names.js'
import { interruptWords, lastLine, statusOf } from '../cards/session-texts.js'
import type { Asker, Desk } from '../command-services.js'
import type { KeyWish } from '../incoming/button-action.js'
import { KEY_PAD } from '../incoming/key-pad.js'
import { escapeHtml } from '../outgoing/split.js'
import type { Command, CommandCall } from './index.js'

const SHOWN_SESSIONS = 8

/** Starting, choosing, stopping and steering sessions. */
export const SESSION_COMMANDS: Readonly<Record<string, Command>> = {
  start: {
    summary: 'what needs you now, and help',
    role: 'viewer',
    isForGroups: true,
    run: async ({ desk, to, knocks }) => {
      const open = (await desk.host.ledger.list({ isOpenOnly: true })).filter(({ state }) => state === 'pending')
      const running = (await desk.host.records()).filter(({ id }) => desk.host.live(id))
      const strangers = to.person.role === 'owner' ? await knocks() : 0
      const lines = [
        open.length > 0 ? `<b>${open.length} waiting for you</b>: /approvals` : 'Nothing waits for you.',
        running.length > 0 ? `${running.length} running: /sessions` : 'No session runs: /new starts one.',
        strangers > 0 ? `${strangers} knocks of strangers, unanswered.` : '',
        '',
        'Plain text goes to the current session; a reply goes to the session of the message; //x sends /x to the agent.',
        'To read: /read /screen /history /git /diff /context /usage. To run: /oneshot /implement /review /runs.',
      ]
      await desk.say(to, lines.filter((line, index) => line !== '' || index === 3).join('\n'))
      return 'told'
    },
  },
  new: {
    summary: 'start a session: project, agent',
    role: 'approver',
    run: async ({ starter, to, rest }) => starter.next(await starter.read('new', rest), 0, to),
  },
  sessions: {
    summary: 'what runs: choose, stop',
    role: 'viewer',
    isForGroups: true,
    run: async ({ desk, to }) => {
      const { host } = desk
      const running = (await host.records()).filter(({ id }) => host.live(id)).slice(-SHOWN_SESSIONS)
      if (running.length === 0) throw new SignalboxError('E_STATE', 'No session.', { next: '/new starts one.' })
      const { current } = await desk.chats.get(to.chat)
      const lines = await Promise.all(
        running.map(async record => {
          const last = await lastLine(host, record)
          const title = `${record.id === current ? '▸ ' : ''}<b>${escapeHtml(sessionTitle(record))}</b>`
          const line = to.reader.isPrivate && last ? `\n<i>${escapeHtml(last)}</i>` : ''
          return `${title}\n${escapeHtml(statusOf(host, record, desk.clock.now()))}${line}`
        }),
      )
      await desk.say(to, lines.join('\n\n'), {
        keys: running.map(record => [
          { text: `Use #${record.number}`, press: { do: 'current', session: record.id } },
          { text: `Open #${record.number}`, press: { do: 'show-session', session: record.id } },
          { text: `Stop #${record.number}`, press: { do: 'stop', session: record.id, isSure: false }, style: 'danger' },
        ]),
      })
      return 'listed'
    },
  },
  stop: {
    summary: 'end the session (asks once)',
    role: 'approver',
    run: async call => {
      const record = await named(call, call.rest)
      if (!call.desk.host.live(record.id))
        throw new SignalboxError('E_STATE', `Session #${record.number} does not run any more.`)
      return call.presses.stop(record.id, false, call.to, async () => 'asked')
    },
  },
  to: {
    summary: 'send to another session: /to 2 text',
    role: 'approver',
    run: async call => {
      const [, word = '', text = ''] = /^(\S+)\s+([\s\S]+)$/.exec(call.rest) ?? []
      if (text === '') throw new SignalboxError('E_INPUT', 'Say which session and what: /to 2 run the tests')
      return call.words.send(await named(call, word), text, call.to, 'queue')
    },
  },
  esc: {
    summary: 'interrupt the agent',
    role: 'approver',
    run: async ({ desk, to }) => {
      const record = await desk.need(to)
      const result = await desk.live(record).interrupt()
      await desk.say(to, `<b>${escapeHtml(sessionTitle(record))}</b>\n${escapeHtml(interruptWords(result))}`, {
        about: record.id,
      })
      return 'interrupted'
    },
  },
  keys: {
    summary: 'a key pad for screens that nothing else knows',
    role: 'approver',
    run: async ({ desk, to }) => {
      const record = await desk.need(to)
      desk.live(record)
      await desk.say(to, `Keys for <b>${escapeHtml(sessionTitle(record))}</b>`, {
        about: record.id,
        keys: KEY_PAD.map(row =>
          row.map(key => ({ text: key, press: { do: 'keypress' as const, session: record.id, key } })),
        ),
      })
      return 'key pad shown'
    },
  },
  approvals: {
    summary: 'all that waits for a decision',
    role: 'viewer',
    isForGroups: true,
    run: async ({ desk, to }) => {
      const open = (await desk.host.ledger.list({ isOpenOnly: true })).filter(({ state }) => state === 'pending')
      if (open.length === 0) await desk.say(to, 'Nothing waits for you.')
      for (const record of open) {
        const { items, appends } = await desk.cards.approval(record, to.reader, undefined, { isBelow: true })
        await desk.outbox.say(items, appends)
      }
      return `${open.length} shown`
    },
  },
}

/** How a session stands and what it said last, with what can be done about it. */
export async function showSession(desk: Desk, to: Asker, record: SessionRecord): Promise<void> {
  const live = desk.host.live(record.id)
  const last = to.reader.isPrivate ? await lastLine(desk.host, record) : ''
  const { current } = await desk.chats.get(to.chat)
  const keys: KeyWish[][] = []
  if (live && current !== record.id)
    keys.push([{ text: `Use #${record.number}`, press: { do: 'current', session: record.id } }])
  if (live) keys.push([{ text: 'Stop', press: { do: 'stop', session: record.id, isSure: false }, style: 'danger' }])
  else if (record.agentSessionId !== undefined && record.resumedBy === undefined)
    keys.push([{ text: 'Continue', press: { do: 'resume-session', session: record.id } }])
  const html = [
    `<b>${escapeHtml(sessionTitle(record))}</b>`,
    escapeHtml(statusOf(desk.host, record, desk.clock.now())),
    last && `<i>${escapeHtml(last)}</i>`,
  ]
  await desk.say(to, html.filter(Boolean).join('\n'), { about: record.id, keys })
}

/** The session that a number or the beginning of an id names; without a word the current one. */
export async function named({ desk, to }: Pick<CommandCall, 'desk' | 'to'>, word: string): Promise<SessionRecord> {
  const wanted = word.trim().replace(/^#/, '')
  if (wanted === '') return desk.need(to)
  const running = (await desk.host.records()).filter(({ id }) => desk.host.live(id))
  const found = running.filter(({ number }) => String(number) === wanted)
  return found.length === 1 ? found[0]! : desk.host.find(wanted)
}
