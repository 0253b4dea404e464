import { SignalboxError } from '../../errors/index.js'
import { sessionTitle } from '../cards/session-title.js'
import { clockTime } from '../cards/times.js'
import { escapeHtml } from '../outgoing/split.js'
import type { BotCommand } from './index.js'

/** Commands for how much a chat is notified, and for the owner. */
export const SETTINGS_COMMANDS: Readonly<Record<string, BotCommand>> = {
  quiet: {
    summary: 'hold notifications: /quiet 2h, /quiet off',
    role: 'viewer',
    run: async ({ services, to, rest }) => {
      const word = rest.trim().toLowerCase()
      const [, count, unit] = /^(\d{1,3})\s*(m|min|h|d)$/.exec(word) ?? []
      if (word === 'off') {
        await services.chats.change(to.chat, { quietUntil: null })
        await services.reply(to, 'Notifications are on.')
        return 'not quiet'
      }
      if (count === undefined)
        throw new SignalboxError('E_INPUT', '/quiet needs a duration.', { next: '/quiet 2h, or /quiet off' })
      const until =
        services.clock.now() + Number(count) * (unit === 'd' ? 86_400_000 : unit === 'h' ? 3_600_000 : 60_000)
      await services.chats.change(to.chat, { quietUntil: until })
      await services.reply(
        to,
        `Quiet until ${clockTime(until, services.utcOffset)}; requests that need you are still sent.`,
      )
      return 'quiet'
    },
  },
  verbose: {
    summary: 'how much of tools is shown: 0, 1 or 2',
    role: 'viewer',
    run: async ({ services, to, rest }) => {
      const verbosity = Number(rest.trim() || Number.NaN)
      if (![0, 1, 2].includes(verbosity))
        throw new SignalboxError('E_INPUT', '/verbose needs 0, 1 or 2.', {
          next: '/verbose 0: answers only, 1: a line for each tool, 2: results as well',
        })
      await services.chats.change(to.chat, { verbosity })
      await services.reply(to, ['Answers only.', 'Answers and tools.', 'Answers, tools and results.'][verbosity]!)
      return `verbosity ${verbosity}`
    },
  },
  update: {
    summary: 'owner: update an agent: /update claude',
    role: 'owner',
    run: async ({ services, to, rest }) => {
      const agent = rest.trim()
      if (!services.ports.updateAgent)
        throw new SignalboxError('E_STATE', 'Agents cannot be updated from a chat.', {
          next: 'Update the agent in a terminal.',
        })
      if (!services.ports.agents.includes(agent)) throw new SignalboxError('E_INPUT', `Unknown agent "${agent}".`)
      const running = (await services.host.records()).filter(
        record => record.agent === agent && services.host.isRunning(record.id),
      )
      const who = running.map(sessionTitle).join(', ')
      await services.reply(to, `Update ${escapeHtml(agent)}?${who ? ` Running sessions: ${escapeHtml(who)}.` : ''}`, {
        buttons: [
          [{ text: 'Yes, update', action: { do: 'update-agent', agent } }],
          [{ text: 'No', action: { do: 'discard' } }],
        ],
      })
      return 'asked'
    },
  },
  lockdown: {
    summary: 'owner: lock down; accept only denials',
    role: 'owner',
    run: async ({ services, to }) => {
      if (!services.ports.lockdown) throw new SignalboxError('E_STATE', 'A lockdown cannot be started from here.')
      await services.reply(
        to,
        'Lock down? All browsers are logged out, all standing approvals end, only denials are accepted. Sessions continue.',
        {
          buttons: [
            [{ text: 'Yes, lock down', action: { do: 'lockdown' }, style: 'danger' }],
            [{ text: 'No', action: { do: 'discard' } }],
          ],
        },
      )
      return 'asked'
    },
  },
}
