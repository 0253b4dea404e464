import { SignalboxError } from '../../errors/index.js'
import type { SessionRecord } from '../../sessions/index.js'
import { plural } from '../../text/index.js'
import { interruptedMessage, interruptText, lastLine, statusOf } from '../cards/session-texts.js'
import { sessionTitle } from '../cards/session-title.js'
import { type CommandServices, personName, type Requester } from '../command-services.js'
import type { ButtonSpec } from '../incoming/button-action.js'
import { KEY_PAD } from '../incoming/key-pad.js'
import { escapeHtml } from '../outgoing/split.js'
import type { BotCommand, CommandCall } from './index.js'

const SHOWN_SESSIONS = 8

/** Commands that start, choose, stop and control sessions, and show open requests. */
export const SESSION_COMMANDS: Readonly<Record<string, BotCommand>> = {
  start: {
    summary: 'show what needs you, and help',
    role: 'viewer',
    isForGroups: true,
    run: async ({ services, to, refusedCount }) => {
      const open = (await services.host.ledger.list({ isOpenOnly: true })).filter(({ state }) => state === 'pending')
      const running = (await services.host.records()).filter(({ id }) => services.host.isRunning(id))
      const strangers = to.person.role === 'owner' ? await refusedCount() : 0
      const lines = [
        open.length > 0
          ? `<b>${plural(open.length, 'request')} waiting for you</b>: /approvals`
          : 'No request waits for you.',
        running.length > 0
          ? `${plural(running.length, 'session')} running: /sessions`
          : 'No session is running: /new starts one.',
        strangers > 0 ? `${plural(strangers, 'message')} of unpaired accounts, not answered.` : '',
        '',
        'Plain text goes to the active session, a reply to the session of that message. //x sends /x to the agent.',
        'To read: /read /screen /history /git /diff /context /usage. To run: /oneshot /implement /review /runs.',
      ]
      await services.reply(to, lines.filter((line, index) => line !== '' || index === 3).join('\n'))
      return 'shown'
    },
  },
  new: {
    summary: 'start a session: /new [agent] [project]',
    role: 'approver',
    run: async ({ wizard, to, rest }) => wizard.next(await wizard.read('new', rest), 0, to),
  },
  sessions: {
    summary: 'list running sessions',
    role: 'viewer',
    isForGroups: true,
    run: async ({ services, to }) => {
      const { host } = services
      const running = (await host.records()).filter(({ id }) => host.isRunning(id)).slice(-SHOWN_SESSIONS)
      if (running.length === 0) throw new SignalboxError('E_STATE', 'No session.', { next: '/new starts one.' })
      const { current } = await services.chats.get(to.chat)
      const lines = await Promise.all(
        running.map(async record => {
          const last = await lastLine(host, record)
          const title = `${record.id === current ? '▸ ' : ''}<b>${escapeHtml(services.titleOf(record, to))}</b>`
          const line = to.recipient.isPrivate && last ? `\n<i>${escapeHtml(last)}</i>` : ''
          return `${title}\n${escapeHtml(statusOf(host, record, services.clock.now()))}${line}`
        }),
      )
      await services.reply(to, lines.join('\n\n'), {
        buttons: running.map(record => [
          { text: `Use ${services.numberOf(record, to)}`, action: { do: 'current', session: record.id } },
          { text: `Open ${services.numberOf(record, to)}`, action: { do: 'show-session', session: record.id } },
          {
            text: `Stop ${services.numberOf(record, to)}`,
            action: { do: 'stop', session: record.id, isSure: false },
            style: 'danger',
          },
        ]),
      })
      return 'listed'
    },
  },
  stop: {
    summary: 'stop the session, after a confirmation',
    role: 'approver',
    run: async call => {
      const record = await sessionOfCommand(call, call.rest)
      if (!call.services.host.isRunning(record.id))
        throw new SignalboxError('E_STATE', `Session #${record.number} has ended.`)
      await askToStop(call.services, call.to, record)
      return 'asked'
    },
  },
  to: {
    summary: 'send a text to another session: /to 2 text',
    role: 'approver',
    run: async call => {
      const [, word = '', text = ''] = /^(\S+)\s+([\s\S]+)$/.exec(call.rest) ?? []
      if (text === '') throw new SignalboxError('E_INPUT', 'Name a session and a text: /to 2 run the tests')
      return call.texts.send(await sessionOfCommand(call, word), text, call.to, 'queue')
    },
  },
  esc: {
    summary: 'interrupt the agent',
    role: 'approver',
    run: async ({ services, to }) => {
      const record = await services.requireSession(to)
      const live = await services.requireLive(record)
      const result = await live.interrupt()
      const item = interruptedMessage(record, live.lastTurn, to.chat)
      if (result.result === 'interrupted' && item) await services.outbox.enqueue([item])
      else
        await services.reply(to, `<b>${escapeHtml(sessionTitle(record))}</b>\n${escapeHtml(interruptText(result))}`, {
          about: record.id,
        })
      return 'interrupted'
    },
  },
  keys: {
    summary: 'show a key pad for the terminal',
    role: 'approver',
    run: async ({ services, to }) => {
      const record = await services.requireSession(to)
      await services.requireLive(record)
      await services.reply(to, `Keys for <b>${escapeHtml(sessionTitle(record))}</b>`, {
        about: record.id,
        buttons: KEY_PAD.map(row =>
          row.map(key => ({ text: key, action: { do: 'keypress' as const, session: record.id, key } })),
        ),
      })
      return 'key pad shown'
    },
  },
  approvals: {
    summary: 'show all open requests',
    role: 'viewer',
    isForGroups: true,
    run: async ({ services, to }) => {
      const open = (await services.host.ledger.list({ isOpenOnly: true })).filter(({ state }) => state === 'pending')
      if (open.length === 0) await services.reply(to, 'No request waits for you.')
      for (const record of open) {
        const { items, appends } = await services.cards.approval(record, to.recipient, undefined, { isBelow: true })
        await services.outbox.enqueue(items, appends)
      }
      return `${open.length} shown`
    },
  },
}

/** Shows the status and the last line of a session, with buttons. */
export async function showSession(services: CommandServices, to: Requester, record: SessionRecord): Promise<void> {
  const live = services.host.isRunning(record.id)
  const last = to.recipient.isPrivate ? await lastLine(services.host, record) : ''
  const { current } = await services.chats.get(to.chat)
  const buttons: ButtonSpec[][] = []
  if (live && current !== record.id)
    buttons.push([{ text: `Use ${services.numberOf(record, to)}`, action: { do: 'current', session: record.id } }])
  if (live) buttons.push([{ text: 'Stop', action: { do: 'stop', session: record.id, isSure: false }, style: 'danger' }])
  else if (record.agentSessionId !== undefined && record.resumedBy === undefined)
    buttons.push([{ text: 'Continue', action: { do: 'resume-session', session: record.id } }])
  const html = [
    `<b>${escapeHtml(services.titleOf(record, to))}</b>`,
    escapeHtml(statusOf(services.host, record, services.clock.now())),
    last && `<i>${escapeHtml(last)}</i>`,
  ]
  await services.reply(to, html.filter(Boolean).join('\n'), { about: record.id, buttons })
}

/** Asks for a confirmation before a session is stopped. */
export async function askToStop(services: CommandServices, to: Requester, record: SessionRecord): Promise<void> {
  const session = record.id
  await services.reply(to, `Stop <b>${escapeHtml(services.titleOf(record, to))}</b>?`, {
    about: session,
    buttons: [
      [{ text: 'Yes, stop it', action: { do: 'stop', session, isSure: true }, style: 'danger' }],
      [{ text: 'No', action: { do: 'discard' } }],
    ],
  })
}

/** Stops a session, and says which one is current now. */
export async function stopAndReport(services: CommandServices, to: Requester, record: SessionRecord): Promise<void> {
  const { host, chats } = services
  await (await host.whenLive(record.id))?.stop()
  const owner = personName(to.person)
  const left = (await host.records()).filter(({ id }) => id !== record.id && host.isRunning(id))
  const { current } = await chats.get(to.chat)
  const next =
    current === record.id ? left.findLast(({ person }) => person === owner) : left.find(({ id }) => id === current)
  if (current === record.id) await services.makeCurrent(to.chat, next?.id ?? null)
  const then = next
    ? `The active session is now ${escapeHtml(sessionTitle(next))}.`
    : `${left.length > 0 ? 'You have no other session' : 'No session is running'}: /new starts one.`
  await services.reply(to, `<b>${escapeHtml(services.titleOf(record, to))}</b> has stopped. ${then}`)
}

/** The session with this number or beginning of an id; without a word, the current one. */
export async function sessionOfCommand(
  { services, to }: Pick<CommandCall, 'services' | 'to'>,
  word: string,
): Promise<SessionRecord> {
  const wanted = word.trim().replace(/^#/, '')
  if (wanted === '') return services.requireSession(to)
  return services.host.find(wanted, personName(to.person))
}
