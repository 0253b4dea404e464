import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { buildPack, readFixtures, readSources } from '../../agents/packs/index.js'
import { resolveDirectories } from '../../config/directories/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import {
  type CrossCheck,
  fixtureFiles,
  type LearnedEntry,
  type LearnedPack,
  packText,
  proposePack,
  readLearnedEntries,
  readRecordings,
  readSession,
  type TaughtRecording,
} from '../../learning/index.js'
import { checkFixtures } from '../../panes/index.js'
import type { Page, Session } from '../../server/index.js'
import { DriftFiles } from '../../supervision/drift/index.js'
import { createRedactor, lineDiff, plural, secretsFromEnvironment, shortenDiff, visibleText } from '../../text/index.js'
import { askYes } from '../ask.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import type { InputOf } from '../specs/index.js'

interface Lesson {
  agent: string | undefined
  recordings: readonly string[]
  user: string
  options: InputOf<'packs'>['options']
}

const FILE = 'learned.toml'

/** `packs learn`: proposes a pack, or a change of one, and writes it after a yes. */
export async function learn(context: CommandContext, { agent, recordings, user, options }: Lesson): Promise<number> {
  if (agent === undefined || !/^[a-z][a-z0-9-]*$/.test(agent))
    throw new SignalboxError('E_INPUT', 'packs learn needs the name of an agent: letters, digits and dashes', {
      next: 'signalbox packs learn goose ./recordings',
    })
  const taught =
    recordings.length > 0
      ? await fromFiles(context, recordings, options.transcript)
      : await fromSessions(context, agent, options.transcript)
  if (taught.length === 0)
    throw new SignalboxError('E_INPUT', `no transcript and no labels were found for the recordings of ${agent}`, {
      next: 'put the agent’s transcript beside NAME.cast as NAME.jsonl, or name it with --transcript',
    })
  const { shipped, others, known } = await existing(agent, user)
  const about = `from ${plural(taught.length, 'recording')}`
  const file = join(user, agent, FILE)
  const textOf = (entries: readonly LearnedEntry[]) =>
    packText({ agent, isAlone: shipped.length + others.length === 0, about }, [...known, ...entries])
  const build = (entries: readonly LearnedEntry[]) =>
    buildPack(shipped, [...others, { file, text: textOf(entries) }], null)
  const broken = await failingFixtures(agent, user, build([]))
  const keepsFixtures = async (entries: readonly LearnedEntry[]) => {
    const now = await failingFixtures(agent, user, build(entries))
    return [...now].every(name => broken.has(name))
  }
  const learned = await proposePack(taught, {
    build,
    keepsFixtures,
    onRound: ({ entries, right, all }) =>
      context.progress(`${plural(entries, 'entry', 'entries')}, ${right} of ${all} moments are read right …`),
    onCheck: () => context.progress('checking it on recordings that it was not learned from …'),
  })
  const text = textOf(learned.entries)
  const before = existsSync(file) ? await readFile(file, 'utf8') : ''
  const fixtures = await readFixtures(agent, { user }).catch(() => [])
  if (options.json)
    context.json({
      agent,
      file,
      recordings: taught.length,
      before: learned.before,
      after: learned.after,
      unseen: learned.unseen,
      earlierFixtures: fixtures.length,
      entries: learned.entries.map(entry => ({ ...entry, proofs: learned.proofs.get(entry) ?? [] })),
      text,
    })
  else show(context, learned, { agent, before, text, file, fixtures: fixtures.length, recordings: taught.length })
  if (learned.entries.length === 0) return EXIT.ok
  if (!options.json) context.out(checkText(learned.unseen))
  if (learned.isWorse)
    throw new SignalboxError('E_INPUT', 'nothing was written: what was learned reads other recordings worse', {
      next: 'record more sessions of this agent, and learn from all of them',
    })
  if (!options.yes) {
    if (options.json) return EXIT.ok
    if (!context.isInteractive)
      throw new SignalboxError('E_NEEDS_HUMAN', 'nothing was written: there is no terminal to ask in', {
        next: 'read the diff, then add --yes',
      })
    if (!(await askYes('Accept it?'))) {
      context.out('Nothing was written.')
      return EXIT.ok
    }
  }
  await write(context, join(user, agent), text, learned)
  if (!options.json)
    context.out(`written to ${file}; running sessions use it at once. signalbox packs check ${agent} runs its fixtures`)
  return EXIT.ok
}

async function fromFiles(
  context: CommandContext,
  words: readonly string[],
  transcript: string | undefined,
): Promise<TaughtRecording[]> {
  const paths = words.map(word => resolve(context.cwd, word))
  if (transcript === undefined) return readRecordings(paths)
  if (paths.length !== 1)
    throw new SignalboxError('E_INPUT', '--transcript belongs to one recording', {
      next: 'for several, put NAME.jsonl beside each NAME.cast',
    })
  return readRecordings(paths, { transcript: resolve(context.cwd, transcript) })
}

/** This agent's recorded sessions, taught by its transcripts, and the screens that `drift` kept. */
async function fromSessions(
  context: CommandContext,
  agent: string,
  transcript: string | undefined,
): Promise<TaughtRecording[]> {
  const { data } = resolveDirectories(context.env, context.env.HOME)
  const client = await DaemonClient.connect(context)
  const { items } = await client.get<Page<Session>>('/sessions')
  const screensAt = new DriftFiles(data)
    .list()
    .filter(version => version.agent === agent)
    .flatMap(({ screens }) => screens.map(({ at }) => at))
  const taught: TaughtRecording[] = []
  for (const session of items) {
    const recording = join(data, 'recordings', `${session.id}.cast`)
    if (programOf(session) !== agent || !(existsSync(recording) || existsSync(`${recording}.gz`))) continue
    const lesson = await readSession(
      {
        id: session.id,
        agent: session.agent,
        recording,
        cwd: session.cwd,
        agentSessionId: session.agentSessionId ?? null,
        startedAt: Date.parse(session.startedAt as unknown as string),
      },
      { env: context.env, transcript: transcript === undefined ? null : resolve(context.cwd, transcript), screensAt },
    )
    if (lesson.moments.length > 0) taught.push(lesson)
  }
  return taught
}

/** The name of the agent, or of the program where Signalbox has no adapter for it. */
function programOf({ agent, args }: Pick<Session, 'agent' | 'args'>): string {
  return agent === 'generic' ? (args[0] ?? '').replace(/^.*\//, '') : agent
}

/** The agent's packs without the learned file, and what that file has already. */
async function existing(agent: string, user: string) {
  const [shipped, own] = await readSources(agent, { user })
  const file = join(user, agent, FILE)
  const learned = own.find(source => source.file === file)
  return {
    shipped,
    others: own.filter(source => source !== learned),
    known: learned ? readLearnedEntries(learned.text) : [],
  }
}

async function failingFixtures(agent: string, user: string, pack: ReturnType<typeof buildPack>): Promise<Set<string>> {
  const { results } = await checkFixtures(agent, { userDirectory: user, loadPack: async () => pack })
  return new Set(
    results.flatMap(({ fixture, failures }) => (failures.length > 0 ? [`${fixture.cast} ${fixture.at}`] : [])),
  )
}

function show(
  context: CommandContext,
  { entries, proofs, before: was, after: is }: LearnedPack,
  about: { agent: string; before: string; text: string; file: string; fixtures: number; recordings: number },
): void {
  const percent = ({ right, all }: { right: number; all: number }) => `${((100 * right) / all).toFixed(1)} %`
  const moments = `${is.all} moments in ${plural(about.recordings, 'recording')}`
  if (entries.length === 0) {
    context.out(`nothing to learn: ${percent(was)} of ${moments} are read right, and no entry corrects another one`)
    return
  }
  context.out(`${about.agent}: ${percent(was)} → ${percent(is)} of ${moments} are read right`)
  if (about.fixtures > 0) context.out(`${plural(about.fixtures, 'earlier fixture')}: none that passed fails`)
  context.out('')
  const lines = lineDiff(about.before === '' ? [] : about.before.split('\n'), about.text.split('\n'))
  for (const line of shortenDiff(lines, 3)) {
    if (line.kind === 'gap') context.out(context.style('dim', `  … ${plural(line.count, 'line')}`))
    else if (line.kind === 'added') context.out(context.style('green', `+ ${visibleText(line.text)}`))
    else if (line.kind === 'removed') context.out(context.style('red', `- ${visibleText(line.text)}`))
    else context.out(`  ${visibleText(line.text)}`)
  }
  for (const entry of entries) {
    const corrected = proofs.get(entry) ?? []
    const what = entry.list === 'blocks' ? `${entry.kind} ${entry.first}` : `${entry.list} ${entry.line}`
    const where = corrected.slice(0, 2).map(({ recording, t }) => `${recording} at ${t}`)
    context.out(
      context.style('dim', `${visibleText(what)} corrects ${plural(corrected.length, 'moment')}: ${where.join(', ')}`),
    )
  }
}

/** What can be expected of the next recording. */
function checkText(unseen: CrossCheck | null): string {
  if (!unseen) return 'not checked on other recordings: that takes at least three'
  const { all, without, learned } = unseen
  return `recordings that it was not learned from: ${without} → ${learned} of ${plural(all, 'moment')} are read right`
}

async function write(context: CommandContext, directory: string, text: string, learned: LearnedPack): Promise<void> {
  const fixtures = join(directory, 'fixtures')
  await mkdir(fixtures, { recursive: true, mode: 0o700 })
  const redactor = createRedactor({ secretValues: secretsFromEnvironment(context.env) })
  for (const { name, text: content } of fixtureFiles(learned, redactor)) {
    const path = join(fixtures, name)
    const earlier = name === 'fixtures.toml' && existsSync(path) ? `${await readFile(path, 'utf8')}\n` : ''
    await replace(path, earlier + content)
  }
  await replace(join(directory, FILE), text)
}

/** Whole or not at all: running sessions read the directory. */
async function replace(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 })
  await rename(`${path}.new`, path)
}
