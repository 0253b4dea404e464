import { newId } from '../../clock/index.js'
import { listRuns } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Block } from '../../screen/index.js'
import { plural } from '../../text/index.js'
import { answerActs } from '../cards/answer-messages.js'
import { gitCard, gitDiff } from '../cards/git-texts.js'
import { sessionTitle } from '../cards/names.js'
import { answersOf, facetLines, historyLine, screenText, statusOf, usageLine } from '../cards/session-texts.js'
import { ago } from '../cards/times.js'
import { type Asker, type Desk, personName } from '../command-services.js'
import { escapeHtml, PART_UNITS } from '../outgoing/split.js'
import type { Command } from './index.js'
import { named } from './session-commands.js'

const HISTORY = 15
const DAY_MS = 86_400_000

/** Looking: at answers, screens, repositories, costs. Nothing here changes anything. */
export const LOOK_COMMANDS: Readonly<Record<string, Command>> = {
  read: {
    summary: 'the last answer again, whole: /read [n]',
    role: 'viewer',
    run: async ({ desk, to, rest }) => {
      const record = await desk.need(to)
      const answers = answersOf(await desk.host.store.readStream(`session/${record.id}`))
      const back = Math.max(1, Number(rest.trim()) || 1)
      const answer = answers.at(-back)
      if (!answer) throw new SignalboxError('E_STATE', `${sessionTitle(record)} has not answered anything yet.`)
      const acts = answerActs(answer.blocks as Block[], { verbosity: 2, title: `${record.agent}-${record.number}` })
      const items = acts.map(act => ({ chat: to.chat, lane: 2 as const, subject: `${record.id}/${newId('tgi')}`, act }))
      await desk.outbox.say(items)
      return 'read'
    },
  },
  screen: {
    summary: 'the screen as it is now',
    role: 'viewer',
    run: async ({ desk, to }) => {
      privately(desk, to)
      const record = await desk.need(to)
      const text = desk.host.redactor.redact(await screenText(desk.live(record)))
      const rows = text.split('\n')
      let shown = rows
      while (escapeHtml(shown.join('\n')).length > PART_UNITS - 200) shown = shown.slice(1)
      await desk.say(to, `<b>${escapeHtml(sessionTitle(record))}</b>\n<pre>${escapeHtml(shown.join('\n'))}</pre>`, {
        about: record.id,
        keys: [[{ text: 'As file', press: { do: 'screen-file', session: record.id } }]],
      })
      return 'shown'
    },
  },
  explain: {
    summary: 'why the session is read as it is',
    role: 'viewer',
    run: async ({ desk, to }) => {
      const record = await desk.need(to)
      const { reading, evidence } = await desk.host.explain(record, null)
      const facts = Object.entries(reading).filter(([, value]) =>
        ['string', 'number', 'boolean'].includes(typeof value),
      )
      const text = [
        ...facts.map(([name, value]) => `${name}: ${String(value)}`),
        '',
        ...evidence.map(({ verdict, authority, rule, age }) => `${verdict}: ${authority} ${rule}, ${ago(age)}`),
      ].join('\n')
      await desk.say(to, `<pre>${escapeHtml(text.slice(0, 3000))}</pre>`, { about: record.id })
      return 'explained'
    },
  },
  git: {
    summary: 'branch and state of the project',
    role: 'viewer',
    run: async ({ desk, to }) => {
      privately(desk, to)
      const record = await desk.need(to)
      await desk.say(to, await gitCard(record), { about: record.id })
      return 'shown'
    },
  },
  diff: {
    summary: 'what has changed, as a file',
    role: 'viewer',
    run: async ({ desk, to }) => {
      privately(desk, to)
      const record = await desk.need(to)
      const diff = await gitDiff(record)
      if (diff === null) await desk.say(to, 'Nothing has changed.', { about: record.id })
      else {
        const text = desk.host.redactor.redact(diff.text)
        await desk.sayFile(to, { name: `session-${record.number}.diff`, text, caption: diff.caption }, record.id)
      }
      return 'shown'
    },
  },
  history: {
    summary: 'your sessions: started, ended, how',
    role: 'viewer',
    run: async ({ desk, to }) => {
      const person = personName(to.person)
      const own = (await desk.host.records()).filter(record => record.person === person)
      const lines = own
        .slice(-HISTORY)
        .reverse()
        .map(record => historyLine(record, desk.utcOffset))
      await desk.say(to, lines.join('\n\n') || 'You have started no session yet: /new starts one, /sessions lists all.')
      return 'listed'
    },
  },
  context: {
    summary: 'how the session stands: context, cost',
    role: 'viewer',
    run: async ({ desk, to }) => {
      const record = await desk.need(to)
      const live = desk.host.live(record.id)
      const lines = [
        `<b>${escapeHtml(sessionTitle(record))}</b>`,
        escapeHtml(statusOf(desk.host, record, desk.clock.now())),
        escapeHtml(usageLine(desk.host.usageOf(record.id))),
        live && live.heldPrompts.length > 0 ? `${live.heldPrompts.length} held here until it rests` : '',
        ...facetLines(live?.observation?.facets ?? []).map(line => escapeHtml(line.slice(0, 300))),
      ]
      await desk.say(to, lines.filter(Boolean).join('\n'), { about: record.id })
      return 'shown'
    },
  },
  usage: {
    summary: 'what was spent today, and the budget',
    role: 'viewer',
    run: async ({ desk, to }) => {
      const since = desk.clock.now() - DAY_MS
      const runs = (await listRuns(desk.host.store)).filter(({ updatedAt }) => updatedAt >= since)
      const cost = runs.reduce((sum, { usage }) => sum + (usage.costUsd ?? 0), 0)
      const tokens = runs.reduce((sum, { usage }) => sum + usage.input + usage.output, 0)
      const { dayUsd } = desk.doors
      const sessions = desk.host
        .liveSessions()
        .map(live => ({ live, used: usageLine(desk.host.usageOf(live.id)) }))
        .filter(({ used }) => used !== '')
      const records = await Promise.all(sessions.map(({ live }) => desk.host.record(live.id)))
      const lines = [
        `In the last 24 hours: ${plural(runs.length, 'run')}, ${tokens} tokens, $${cost.toFixed(2)}.`,
        dayUsd == null
          ? 'No budget of a day is set.'
          : `Budget of a day: $${dayUsd.toFixed(2)}, $${Math.max(0, dayUsd - cost).toFixed(2)} left.`,
        ...sessions.map(({ used }, index) => `${sessionTitle(records[index]!)}: ${used}`),
      ]
      await desk.say(to, escapeHtml(lines.join('\n')))
      return 'shown'
    },
  },
  download: {
    summary: 'a file of the project: /download path',
    role: 'viewer',
    run: async call => {
      const path = call.rest.trim()
      if (path === '') throw new SignalboxError('E_INPUT', 'Which file?', { next: '/download src/index.ts' })
      privately(call.desk, call.to)
      return call.files.offer(await named(call, ''), path, call.to)
    },
  },
}

/** Contents of files and screens are for one person's eyes, unless the owner lets groups see them. */
function privately({ groupDetail }: Desk, { reader }: Asker): void {
  if (!reader.isPrivate && !groupDetail) throw new SignalboxError('E_ROLE', 'This is shown in a private chat only.')
}
