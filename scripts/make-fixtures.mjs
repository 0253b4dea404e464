// `node scripts/make-fixtures.mjs <corpus>`: chooses recordings of a labelled corpus as the packs'
// fixtures and writes packs/<agent>/fixtures/*.cast and fixtures.toml. Small recordings that add
// labels come first; a recording is cut after its last moment.
//
//   --budget <kB>   recordings of one agent, all together (default 500)
//   --known         mark the fixtures that fail now as `known`, instead of leaving them to fail
//   --agent <name>  only this agent
//
// Expected views are those that a label accepts (scripts/score-moments.mjs); labels say what the
// agent did, not what it drew.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readArguments } from './labelled-recordings.mjs'
import { build, install, root } from './setup.mjs'

install()
build()
const { acceptedViews, needsPerson } = await import('./score-moments.mjs')
const { register } = await import('tsx/esm/api')
register()
const { TERMINAL_VIEWS } = await import('../src/screen/index.ts')
const { args, flag, option } = readArguments()
const isMarking = flag('--known')
const budget = Number(option('--budget') ?? 500) * 1000
const only = option('--agent')
const [corpus] = args
// A list that the person opened may be read as a picker or as nothing: both are right, so neither
// is required.
const AWAITING = new Set([
  'permission',
  'question',
  'plan',
  'trust',
  'auth',
  'api_key',
  'choice',
  'input',
  'exit_confirm',
])
const RUNNING = new Set(['running', 'repl_busy', 'fullscreen'])
const EITHER = new Set(['dialog', 'menu', 'overlay', 'auth_required', 'history_search', 'transcript'])

const byAgent = new Map()
for (const recording of recordings(corpus)) {
  if (only && recording.agent !== only) continue
  if (!byAgent.has(recording.agent)) byAgent.set(recording.agent, [])
  byAgent.get(recording.agent).push(recording)
}
for (const [agent, all] of byAgent) await writeAgent(agent, choose(all))

function* recordings(directory) {
  for (const folder of readdirSync(directory, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
    .sort()) {
    for (const name of readdirSync(join(directory, folder), { withFileTypes: true })
      .filter(entry => entry.isFile() && entry.name.endsWith('.cast'))
      .map(entry => entry.name)
      .sort()) {
      const cast = join(directory, folder, name)
      const sidecar = cast.replace(/\.cast$/, '.json')
      if (!existsSync(sidecar)) continue
      const side = JSON.parse(readFileSync(sidecar, 'utf8'))
      const moments = (side.moments ?? []).filter(
        moment => moment.view !== 'exited' && moment.t != null && moment.score !== false,
      )
      if (moments.length === 0) continue
      const lines = cut(readFileSync(cast, 'utf8').split('\n'), Math.max(...moments.map(moment => moment.t)))
      const header = JSON.parse(lines[0])
      const agent = folder.replace(/-[\d.]+$/, '')
      yield {
        agent,
        folder,
        name: folder === agent ? name : `${folder}-${name}`,
        cast,
        version: side.version,
        moments,
        text: `${lines.join('\n')}\n`,
        is80: header.width === 80,
      }
    }
  }
}

/** Cuts a recording half a second after its last moment, when the screen has settled. */
function cut(lines, until) {
  const events = lines.filter(Boolean)
  const end = events.findIndex((line, index) => index > 0 && JSON.parse(line)[0] > until + 0.5)
  return end < 0 ? events : events.slice(0, end)
}

/**
 * Greedy: the recording with the most new kinds of moments per byte, 80 columns first, until the
 * budget is used.
 */
function choose(all) {
  const kinds = recording =>
    recording.moments.map(
      moment =>
        `${recording.folder} ${moment.view} ${moment.expect?.awaiting ?? ''} ${moment.expect?.tool?.name ?? ''} ${moment.expect?.lookalike ? 'lookalike' : ''}`,
    )
  const covered = new Map()
  const chosen = []
  let used = 0
  const rest = new Set(all)
  for (;;) {
    let best = null
    for (const recording of rest) {
      if (used + recording.text.length > budget) continue
      const gain = kinds(recording).reduce((sum, kind) => sum + 1 / (1 + 3 * (covered.get(kind) ?? 0)), 0)
      const worth = (gain * (recording.is80 ? 1.5 : 1)) / (recording.text.length + 20_000)
      if (!best || worth > best.worth) best = { recording, worth }
    }
    if (!best) return chosen.sort((a, b) => (a.name < b.name ? -1 : 1))
    rest.delete(best.recording)
    chosen.push(best.recording)
    used += best.recording.text.length
    for (const kind of kinds(best.recording)) covered.set(kind, (covered.get(kind) ?? 0) + 1)
  }
}

function expectOf(moment) {
  const expect = {}
  if (RUNNING.has(moment.view)) return { busy: true }
  const [view, ...accept] = [...acceptedViews(moment)].filter(name => TERMINAL_VIEWS.includes(name))
  expect.view = view
  if (accept.length > 0) expect.accept = accept
  const isEither = EITHER.has(moment.view) || moment.view.startsWith('menu_')
  const awaiting = moment.expect?.awaiting
  if (AWAITING.has(awaiting)) expect.awaiting = awaiting
  else if (!isEither && !needsPerson(moment) && awaiting == null) expect.awaiting = 'none'
  return expect
}

async function writeAgent(agent, chosen) {
  const folder = join(root, 'packs', agent, 'fixtures')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const fixtures = chosen.flatMap(recording => {
    writeFileSync(join(folder, recording.name), recording.text)
    const seen = new Set()
    return recording.moments
      .filter(moment => !seen.has(moment.t) && seen.add(moment.t))
      .map(moment => ({
        cast: recording.name,
        at: moment.t,
        version: recording.version,
        label: moment.view,
        expect: expectOf(moment),
      }))
  })
  write(folder, agent, fixtures)
  if (isMarking) {
    const failing = await failures(agent)
    for (const fixture of fixtures) fixture.known = failing.get(`${fixture.cast} ${fixture.at}`)
    write(folder, agent, fixtures)
  }
  const bytes = chosen.reduce((sum, recording) => sum + recording.text.length, 0)
  console.log(
    `${agent}: ${chosen.length} recordings, ${fixtures.length} moments, ${Math.round(bytes / 1000)} kB${isMarking ? `, ${fixtures.filter(fixture => fixture.known).length} known to fail` : ''}`,
  )
}

async function failures(agent) {
  const { checkFixtures } = await import(join(root, 'dist', 'rooms', 'panes', 'index.js'))
  const { loadPack } = await import(join(root, 'dist', 'rooms', 'agents', 'packs', 'index.js'))
  const { results } = await checkFixtures(agent, {
    userDirectory: null,
    loadPack: version => loadPack(agent, null, version),
  })
  return new Map(
    results
      .filter(result => result.failures.length > 0)
      .map(({ fixture, failures }) => [`${fixture.cast} ${fixture.at}`, failures.join('; ')]),
  )
}

function write(folder, agent, fixtures) {
  const value = data =>
    typeof data === 'string'
      ? JSON.stringify(data)
      : Array.isArray(data)
        ? `[${data.map(value).join(', ')}]`
        : String(data)
  const table = data =>
    `{ ${Object.entries(data)
      .map(([key, entry]) => `${key} = ${value(entry)}`)
      .join(', ')} }`
  const blocks = fixtures.map(({ cast, at, version, label, expect, known }) =>
    [
      `[[fixture]] # ${label}`,
      `cast = ${value(cast)}`,
      `at = ${at}`,
      ...(version ? [`version = ${value(String(version))}`] : []),
      `expect = ${table(expect)}`,
      ...(known ? [`known = ${value(known)}`] : []),
    ].join('\n'),
  )
  writeFileSync(
    join(folder, 'fixtures.toml'),
    `# Moments of recordings of ${agent}, and what must be seen there. Made by scripts/make-fixtures.mjs; the comment is the label.\n\n${blocks.join('\n\n')}\n`,
  )
}
