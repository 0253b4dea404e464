import { newId } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Block } from '../../screen/index.js'
import { budgetSentence, costText, formatAge, knownCost, plural, unpricedText } from '../../text/index.js'
import { answerActions } from '../cards/answer-messages.js'
import { gitCard, gitDiff } from '../cards/git-texts.js'
import {
  answersOf,
  compactButton,
  facetLines,
  historyLine,
  screenText,
  statusOf,
  usageLine,
} from '../cards/session-texts.js'
import { sessionTitle } from '../cards/session-title.js'
import { type CommandServices, personName, type Requester } from '../command-services.js'
import { escapeHtml, PART_UNITS } from '../outgoing/split.js'
import type { BotCommand } from './index.js'
import { sessionOfCommand } from './session-commands.js'

const HISTORY_LENGTH = 15

/** Commands that read: answers, screens, repositories, costs. */
export const READING_COMMANDS: Readonly<Record<string, BotCommand>> = {
  read: {
    summary: 'show the last answer again: /read [n]',
    role: 'viewer',
    run: async ({ services, to, rest }) => {
      const record = await services.requireSession(to)
      const answers = answersOf(await services.host.store.readStream(`session/${record.id}`))
      const back = Math.max(1, Number(rest.trim()) || 1)
      const answer = answers.at(-back)
      if (!answer) throw new SignalboxError('E_STATE', `${sessionTitle(record)} has not answered yet.`)
      const acts = answerActions(answer.blocks as Block[], { verbosity: 2, title: `${record.agent}-${record.number}` })
      const items = acts.map(act => ({ chat: to.chat, lane: 2 as const, subject: `${record.id}/${newId('tgi')}`, act }))
      await services.outbox.enqueue(items)
      return 'read'
    },
  },
  screen: {
    summary: 'show the current screen',
    role: 'viewer',
    run: async ({ services, to }) => {
      requirePrivate(services, to)
      const record = await services.requireSession(to)
      const text = services.host.redactor.redact(await screenText(await services.requireLive(record)))
      const rows = text.split('\n')
      let shown = rows
      while (escapeHtml(shown.join('\n')).length > PART_UNITS - 200) shown = shown.slice(1)
      await services.reply(
        to,
        `<b>${escapeHtml(sessionTitle(record))}</b>\n<pre>${escapeHtml(shown.join('\n'))}</pre>`,
        {
          about: record.id,
          buttons: [[{ text: 'As file', action: { do: 'screen-file', session: record.id } }]],
        },
      )
      return 'shown'
    },
  },
  explain: {
    summary: 'explain the status of the session',
    role: 'viewer',
    run: async ({ services, to }) => {
      const record = await services.requireSession(to)
      const { reading, evidence } = await services.host.explain(record, null)
      const facts = Object.entries(reading).filter(([, value]) =>
        ['string', 'number', 'boolean'].includes(typeof value),
      )
      const text = [
        ...facts.map(([name, value]) => `${name}: ${String(value)}`),
        '',
        ...evidence.map(({ verdict, authority, rule, age }) => `${verdict}: ${authority} ${rule}, ${formatAge(age)}`),
      ].join('\n')
      await services.reply(to, `<pre>${escapeHtml(text.slice(0, 3000))}</pre>`, { about: record.id })
      return 'explained'
    },
  },
  git: {
    summary: 'show branch and changes of the project',
    role: 'viewer',
    run: async ({ services, to }) => {
      requirePrivate(services, to)
      const record = await services.requireSession(to)
      services.host.mustBeHere(record)
      await services.reply(to, await gitCard(record), { about: record.id })
      return 'shown'
    },
  },
  diff: {
    summary: 'send the diff as a file',
    role: 'viewer',
    run: async ({ services, to }) => {
      requirePrivate(services, to)
      const record = await services.requireSession(to)
      services.host.mustBeHere(record)
      const diff = await gitDiff(record)
      if (diff === null) await services.reply(to, 'No changes.', { about: record.id })
      else {
        const text = services.host.redactor.redact(diff.text)
        await services.replyFile(to, { name: `session-${record.number}.diff`, text, caption: diff.caption }, record.id)
      }
      return 'shown'
    },
  },
  history: {
    summary: 'list your sessions with times and outcome',
    role: 'viewer',
    run: async ({ services, to }) => {
      const person = personName(to.person)
      const own = (await services.host.records()).filter(record => record.person === person)
      const lines = own
        .slice(-HISTORY_LENGTH)
        .reverse()
        .map(record => historyLine(record, services.utcOffset))
      await services.reply(
        to,
        lines.join('\n\n') || 'You have not started a session: /new starts one, /sessions lists all.',
      )
      return 'listed'
    },
  },
  context: {
    summary: 'show context and cost of the session',
    role: 'viewer',
    run: async ({ services, to }) => {
      const record = await services.requireSession(to)
      const live = services.host.live(record.id)
      const lines = [
        `<b>${escapeHtml(sessionTitle(record))}</b>`,
        escapeHtml(statusOf(services.host, record, services.clock.now())),
        escapeHtml(usageLine(services.host.usageOf(record.id))),
        live && live.heldPrompts.length > 0
          ? `${plural(live.heldPrompts.length, 'message')} held until the agent is idle`
          : '',
        ...facetLines(live?.observation?.facets ?? []).map(line => escapeHtml(line.slice(0, 300))),
      ]
      const compact = live && compactButton(live)
      await services.reply(to, lines.filter(Boolean).join('\n'), {
        about: record.id,
        ...(compact && { buttons: [[compact]] }),
      })
      return 'shown'
    },
  },
  usage: {
    summary: 'show what runs and sessions cost today, and the budget',
    role: 'viewer',
    run: async ({ services, to }) => {
      const { budgets } = services.host
      const today = await budgets.today()
      const { dayUsd } = budgets
      const without = unpricedText(today.unpriced)
      const sessions = services.host
        .liveSessions()
        .map(live => ({ live, used: usageLine(services.host.usageOf(live.id)) }))
        .filter(({ used }) => used !== '')
      const records = await Promise.all(sessions.map(({ live }) => services.host.record(live.id)))
      const counts = `${plural(today.runs, 'run')}, ${plural(today.sessions, 'session')}`
      const lines = [
        `Today: ${counts}, ${today.tokens} tokens, ${costText(knownCost(today.costUsd, today.unpriced))}.`,
        without === null ? '' : `The cost leaves out ${without}.`,
        dayUsd === null
          ? 'No daily budget is set.'
          : `Daily budget: $${dayUsd.toFixed(2)}, ${without === null ? '' : 'at most '}$${Math.max(0, dayUsd - today.costUsd).toFixed(2)} left.`,
        ...sessions.map(({ used }, index) => `${sessionTitle(records[index]!)}: ${used}`),
      ]
      await services.reply(to, escapeHtml(lines.filter(line => line !== '').join('\n')))
      return 'shown'
    },
  },
  budget: {
    summary: 'show or set what the session may cost: /budget 10, /budget none',
    role: 'approver',
    run: async ({ services, to, rest }) => {
      const record = await services.requireSession(to)
      const usd = parseBudget(rest)
      if (usd !== undefined)
        await services.host.budgets.set(
          record.id,
          { usd, tokens: record.budget?.tokens ?? null },
          personName(to.person),
        )
      const { budget, paused } = await services.host.record(record.id)
      const lines = [
        sessionTitle(record),
        usageLine(services.host.usageOf(record.id)) || 'The agent reports no usage.',
        budget?.usd == null ? 'No budget of its own.' : `Budget: $${budget.usd.toFixed(2)}.`,
        paused ? `Paused. ${budgetSentence(paused)}` : '',
      ]
      await services.reply(to, escapeHtml(lines.filter(Boolean).join('\n')), { about: record.id })
      return usd === undefined ? 'shown' : 'set'
    },
  },
  download: {
    summary: 'send a file of the project: /download path',
    role: 'viewer',
    run: async call => {
      const path = call.rest.trim()
      if (path === '') throw new SignalboxError('E_INPUT', 'Name a file.', { next: '/download src/index.ts' })
      requirePrivate(call.services, call.to)
      return call.files.sendFile(await sessionOfCommand(call, ''), path, call.to)
    },
  },
}

/** Undefined: nothing is to be changed; null: no limit. */
function parseBudget(rest: string): number | null | undefined {
  const text = rest.trim().replace(/^\$/, '')
  if (text === '') return undefined
  if (text === 'none') return null
  const usd = Number(text)
  if (Number.isFinite(usd) && usd > 0) return usd
  throw new SignalboxError('E_INPUT', `“${text}” is not an amount.`, { next: '/budget 10, or /budget none' })
}

/** Contents of files and screens are not shown in groups, unless `telegram.group_detail` is on. */
function requirePrivate({ groupDetail }: CommandServices, { recipient }: Requester): void {
  if (!recipient.isPrivate && !groupDetail) throw new SignalboxError('E_ROLE', 'This is shown in a private chat only.')
}
