import { newId } from '../clock/index.js'
import { listRuns } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { Git } from '../git/index.js'
import { runCommand as runProgram } from '../process/index.js'
import type { Block } from '../screen/index.js'
import { answerActs } from './answers.js'
import type { Command } from './commands.js'
import { named } from './commands-sessions.js'
import { answersOf, facetLines, screenText, statusOf } from './look.js'
import { sessionTitle } from './names.js'
import { escapeHtml, PART_UNITS } from './split.js'
import { ago, clockTime } from './times.js'

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
      privately(to.reader.isPrivate)
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
      privately(to.reader.isPrivate)
      const { project } = await desk.need(to)
      const git = new Git(project)
      if ((await git.root()) === null) throw new SignalboxError('E_STATE', 'This project is no git repository.')
      const [branch, state, log] = await Promise.all([
        git.branch(),
        git.run(['status', '--short']),
        git.run(['log', '--oneline', '-3']).catch(() => ''),
      ])
      const request = await runProgram('gh', ['pr', 'view', '--json', 'url,state', '--jq', '.state + " " + .url'], {
        cwd: project,
      })
        .then(({ code, stdout }) => (code === 0 ? stdout.trim() : ''))
        .catch(() => '')
      const html = [
        `<b>${escapeHtml(branch ?? 'no branch')}</b>`,
        `<pre>${escapeHtml((state.trimEnd() || 'nothing changed').slice(0, 2000))}</pre>`,
        log.trim() && `<pre>${escapeHtml(log.trim())}</pre>`,
        request && escapeHtml(request),
      ]
      await desk.say(to, html.filter(Boolean).join('\n'))
      return 'shown'
    },
  },
  diff: {
    summary: 'what has changed, as a file',
    role: 'viewer',
    run: async ({ desk, to }) => {
      privately(to.reader.isPrivate)
      const { project, number } = await desk.need(to)
      const git = new Git(project)
      if ((await git.root()) === null) throw new SignalboxError('E_STATE', 'This project is no git repository.')
      const diff = await git.diff((await git.head()) ?? null)
      if (diff.trim() === '') await desk.say(to, 'Nothing has changed.')
      else {
        const text = desk.host.redactor.redact(diff)
        await desk.sayFile(to, { name: `session-${number}.diff`, text, caption: `${text.split('\n').length} lines` })
      }
      return 'shown'
    },
  },
  history: {
    summary: 'sessions: started, ended, how',
    role: 'viewer',
    run: async ({ desk, to }) => {
      const records = (await desk.host.records()).slice(-HISTORY).reverse()
      const lines = records.map(record => {
        const end = record.endedAt ? ` – ${clockTime(record.endedAt, desk.utcOffset)}` : ''
        const code = record.exit ? ` · ${record.exit.signal ?? `code ${record.exit.code}`}` : ''
        const times = `${new Date(record.startedAt).toISOString().slice(0, 10)} ${clockTime(record.startedAt, desk.utcOffset)}${end}`
        return `<b>${escapeHtml(sessionTitle(record))}</b>\n${escapeHtml(`${times} · ${record.state}${code}`)}`
      })
      await desk.say(to, lines.join('\n') || 'No sessions yet.')
      return 'listed'
    },
  },
  context: {
    summary: 'how the session stands',
    role: 'viewer',
    run: async ({ desk, to }) => {
      const record = await desk.need(to)
      const live = desk.host.live(record.id)
      const lines = [
        `<b>${escapeHtml(sessionTitle(record))}</b>`,
        escapeHtml(statusOf(desk.host, record, desk.clock.now())),
        live && live.heldPrompts.length > 0 ? `${live.heldPrompts.length} held here until it rests` : '',
        ...facetLines(live?.observation?.facets ?? []).map(line => escapeHtml(line.slice(0, 300))),
      ]
      await desk.say(to, lines.filter(Boolean).join('\n'), { about: record.id })
      return 'shown'
    },
  },
  usage: {
    summary: 'what runs have cost today',
    role: 'viewer',
    run: async ({ desk, to }) => {
      const since = desk.clock.now() - DAY_MS
      const runs = (await listRuns(desk.host.store)).filter(({ updatedAt }) => updatedAt >= since)
      const cost = runs.reduce((sum, { usage }) => sum + (usage.costUsd ?? 0), 0)
      const tokens = runs.reduce((sum, { usage }) => sum + usage.input + usage.output, 0)
      const plural = runs.length === 1 ? '' : 's'
      await desk.say(to, `In the last 24 hours: ${runs.length} run${plural}, ${tokens} tokens, $${cost.toFixed(2)}.`)
      return 'shown'
    },
  },
  download: {
    summary: 'a file of the project: /download path',
    role: 'viewer',
    run: async call => {
      const path = call.rest.trim()
      if (path === '') throw new SignalboxError('E_INPUT', 'Which file?', { next: '/download src/index.ts' })
      privately(call.to.reader.isPrivate)
      return call.files.offer(await named(call, ''), path, call.to)
    },
  },
}

/** Contents of files and screens are for one person's eyes. */
function privately(isPrivate: boolean): void {
  if (!isPrivate) throw new SignalboxError('E_ROLE', 'This is shown in a private chat only.')
}
