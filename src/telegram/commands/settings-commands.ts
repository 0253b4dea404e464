import { SignalboxError } from '../../errors/index.js'
import { sessionTitle } from '../cards/names.js'
import { clockTime } from '../cards/times.js'
import { escapeHtml } from '../outgoing/split.js'
import type { Command } from './index.js'

/** How much a chat is told, and what only the owner does. */
export const SETTING_COMMANDS: Readonly<Record<string, Command>> = {
  quiet: {
    summary: 'hold notices: /quiet 2h, /quiet off',
    role: 'viewer',
    run: async ({ desk, to, rest }) => {
      const word = rest.trim().toLowerCase()
      const [, count, unit] = /^(\d{1,3})\s*(m|min|h|d)$/.exec(word) ?? []
      if (word === 'off') {
        await desk.chats.change(to.chat, { quietUntil: null })
        await desk.say(to, 'Notices come again.')
        return 'loud'
      }
      if (count === undefined)
        throw new SignalboxError('E_INPUT', 'For how long?', { next: '/quiet 2h, or /quiet off' })
      const until = desk.clock.now() + Number(count) * (unit === 'd' ? 86_400_000 : unit === 'h' ? 3_600_000 : 60_000)
      await desk.chats.change(to.chat, { quietUntil: until })
      await desk.say(to, `Quiet until ${clockTime(until, desk.utcOffset)}; what needs you still comes.`)
      return 'quiet'
    },
  },
  verbose: {
    summary: 'how much of tools is told: 0, 1 or 2',
    role: 'viewer',
    run: async ({ desk, to, rest }) => {
      const verbosity = Number(rest.trim() || Number.NaN)
      if (![0, 1, 2].includes(verbosity))
        throw new SignalboxError('E_INPUT', 'How much?', { next: '/verbose 0 answers, 1 tools in a line, 2 results' })
      await desk.chats.change(to.chat, { verbosity })
      await desk.say(to, ['Answers only.', 'Answers and tools.', 'Answers, tools and results.'][verbosity]!)
      return `verbosity ${verbosity}`
    },
  },
  update: {
    summary: 'owner: update an agent',
    role: 'owner',
    run: async ({ desk, to, rest }) => {
      const agent = rest.trim()
      if (!desk.doors.updateAgent)
        throw new SignalboxError('E_STATE', 'Agents are not updated from here.', { next: 'Update it at the terminal.' })
      if (!desk.doors.agents.includes(agent)) throw new SignalboxError('E_INPUT', `There is no agent "${agent}".`)
      const running = (await desk.host.records()).filter(record => record.agent === agent && desk.host.live(record.id))
      const who = running.map(sessionTitle).join(', ')
      await desk.say(to, `Update ${escapeHtml(agent)}?${who ? ` It runs in: ${escapeHtml(who)}.` : ''}`, {
        keys: [
          [{ text: 'Yes, update', press: { do: 'update-agent', agent } }],
          [{ text: 'No', press: { do: 'discard' } }],
        ],
      })
      return 'asked'
    },
  },
  lockdown: {
    summary: 'owner: nothing is allowed any more',
    role: 'owner',
    run: async ({ desk, to }) => {
      if (!desk.doors.lockdown) throw new SignalboxError('E_STATE', 'This cannot be done from here.')
      await desk.say(
        to,
        'Lock down? Every browser is logged out, grants end, only denials are taken. Sessions go on.',
        {
          keys: [
            [{ text: 'Yes, lock down', press: { do: 'lockdown' }, style: 'danger' }],
            [{ text: 'No', press: { do: 'discard' } }],
          ],
        },
      )
      return 'asked'
    },
  },
}
