import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import {
  buildPack,
  changedPacks,
  loadPack,
  packAgents,
  readFixtures,
  readInstalled,
  readSources,
} from '../../agents/packs/index.js'
import { systemClock } from '../../clock/index.js'
import { resolveDirectories } from '../../config/directories/index.js'
import { EXIT, SignalboxError, toSignalboxError } from '../../errors/index.js'
import { checkFixtures, type FixtureReport } from '../../panes/index.js'
import { closestMatch, formatAge, plural } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { changePacks } from '../packs/change-packs.js'
import { learn } from '../packs/learn.js'
import { unknownAction } from '../parse-options.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'packs'>): Promise<number> {
  const { config, cache } = resolveDirectories(context.env, context.env.HOME)
  const user = join(config, 'packs')
  if (args.action === 'install' || args.action === 'remove')
    return changePacks(context, args.action, { subject: args.agent, user, options })
  if (args.action === 'learn')
    return learn(context, { agent: args.agent, recordings: args.recordings ?? [], user, options })
  if (args.action !== undefined && args.action !== 'check')
    throw unknownAction(args.action, [
      'signalbox packs',
      'signalbox packs check [agent]',
      'signalbox packs install <file or git address>',
      'signalbox packs remove <agent>',
      'signalbox packs learn <agent> [recordings…]',
    ])
  const all = await packAgents({ user })
  const wanted = args.agent === undefined ? all : all.filter(agent => agent === args.agent)
  if (wanted.length === 0 && args.agent !== undefined) {
    const close = closestMatch(args.agent, all)
    throw new SignalboxError(
      'E_INPUT',
      `there is no pack for "${args.agent}"${close ? `; did you mean "${close}"?` : ''}`,
      { next: `known: ${all.join(', ')}` },
    )
  }
  const shown = { user, cache, isJson: options.json === true }
  return args.action === 'check' ? check(context, wanted, shown) : list(context, wanted, shown)
}

interface PackOptions {
  user: string
  cache: string
  isJson: boolean
}

interface PackInfo {
  agent: string
  versions: string
  evidence: string[]
  file: string
  source: 'shipped' | 'own' | 'installed'
  /** An installed file is not what was installed. */
  isChanged: boolean
  rules: number
  fixtures: number
  checked: LastCheck | null
  problem: { message: string; file: string | null; line: number | null } | null
}

async function list(
  context: CommandContext,
  agents: readonly string[],
  { user, cache, isJson }: PackOptions,
): Promise<number> {
  const checks = readChecks(cache)
  const infos = (await Promise.all(agents.map(agent => describe(agent, user, checks[agent] ?? null)))).flat()
  if (isJson) {
    context.json(infos)
    return EXIT.ok
  }
  const width = Math.max(...infos.map(info => info.agent.length))
  for (const info of infos) {
    if (info.problem) {
      context.out(`${info.agent.padEnd(width)}  ${context.style('red', 'not loaded')}`)
      context.out(`${' '.repeat(width)}  ${context.style('red', `${positionOf(info.problem)}${info.problem.message}`)}`)
      continue
    }
    const note = info.isChanged ? context.style('red', '  changed since it was installed') : ''
    const what = `${plural(info.rules, 'rule')}, ${plural(info.fixtures, 'fixture')}${checkedText(info)}`
    const evidence = info.evidence.length === 0 ? 'no recordings' : `seen ${info.evidence.join(', ')}`
    context.out(
      `${info.agent.padEnd(width)}  ${info.versions.padEnd(16)} ${context.style('dim', evidence.padEnd(26))} ${what}  ${context.style('dim', shown(info.file, context))}${note}`,
    )
  }
  context.out(context.style('dim', `your own packs: ${user}/<agent>/*.toml; signalbox packs check runs the fixtures`))
  return EXIT.ok
}

function checkedText({ checked, fixtures }: PackInfo): string {
  if (fixtures === 0) return ''
  if (!checked) return ' (not run yet)'
  const age = formatAge(systemClock.now() - checked.at)
  return checked.failed > 0
    ? ` (${checked.failed} failed ${age})`
    : ` (${checked.passed} passed${checked.known > 0 ? `, ${checked.known} known to fail` : ''} ${age})`
}

async function describe(agent: string, user: string, checked: LastCheck | null): Promise<PackInfo[]> {
  const [shipped, own] = await readSources(agent, { user })
  const fixtures = await readFixtures(agent, { user }).catch(() => [])
  if (shipped.length + own.length === 0) {
    return [
      {
        agent,
        versions: '*',
        evidence: [],
        file: 'by structure alone',
        source: 'shipped',
        isChanged: false,
        rules: 0,
        fixtures: fixtures.length,
        checked,
        problem: null,
      },
    ]
  }
  const installed = await readInstalled(agent, user)
  const changed = await changedPacks(agent, user)
  return [...shipped, ...own].map(source => {
    const isOwn = own.includes(source)
    const isInstalled = isOwn && installed.some(({ file }) => source.file === join(user, agent, file))
    const base = {
      agent,
      file: source.file,
      source: isInstalled ? ('installed' as const) : isOwn ? ('own' as const) : ('shipped' as const),
      isChanged: changed.includes(source.file),
      fixtures: fixtures.filter(fixture => isOwn === fixture.from.startsWith(user)).length,
      checked,
    }
    try {
      const pack = isOwn ? buildPack(shipped, [source], null) : buildPack([source], [], null)
      return { ...base, versions: pack.versions, evidence: pack.evidence, rules: pack.rules.length, problem: null }
    } catch (error) {
      const { message, place } = toSignalboxError(error)
      return {
        ...base,
        versions: '?',
        evidence: [],
        rules: 0,
        problem: { message, file: place?.file ?? null, line: place?.line ?? null },
      }
    }
  })
}

async function check(
  context: CommandContext,
  agents: readonly string[],
  { user, cache, isJson }: PackOptions,
): Promise<number> {
  let failed = 0
  const checks: Record<string, LastCheck> = {}
  for (const agent of agents) {
    const report = await checkFixtures(agent, {
      userDirectory: user,
      loadPack: version => loadPack(agent, user, version),
    })
    const { passed, failed: wrong, known } = counts(report)
    failed += wrong
    if (report.results.length > 0) checks[agent] = { at: systemClock.now(), passed, failed: wrong, known }
    if (isJson) context.json(summary(report))
    else print(context, report)
  }
  storeChecks(cache, checks)
  return failed > 0 ? EXIT.failed : EXIT.ok
}

function counts({ results }: FixtureReport) {
  const isFailed = (result: FixtureReport['results'][number]) => result.failures.length > 0
  return {
    passed: results.filter(result => !isFailed(result)).length,
    failed: results.filter(result => isFailed(result) && result.fixture.known === undefined).length,
    known: results.filter(result => isFailed(result) && result.fixture.known !== undefined).length,
    fixed: results.filter(result => !isFailed(result) && result.fixture.known !== undefined).length,
  }
}

function summary(report: FixtureReport) {
  const { agent, results, neverMatched, alwaysMatched } = report
  return {
    agent,
    fixtures: results.length,
    ...counts(report),
    failures: results
      .filter(({ failures }) => failures.length > 0)
      .map(({ fixture, failures }) => ({ cast: fixture.cast, at: fixture.at, failures, known: fixture.known ?? null })),
    neverMatched,
    alwaysMatched,
  }
}

function print(context: CommandContext, report: FixtureReport): void {
  const { agent, results, neverMatched, alwaysMatched } = report
  const { passed, failed, known, fixed } = counts(report)
  const mark =
    failed > 0
      ? context.style('red', '✗')
      : results.length === 0
        ? context.style('dim', '–')
        : context.style('green', '✓')
  const parts = [
    `${passed} passed`,
    ...(failed > 0 ? [context.style('red', `${failed} failed`)] : []),
    ...(known > 0 ? [`${known} known to fail`] : []),
    ...(fixed > 0 ? [`${fixed} known to fail now pass`] : []),
  ]
  context.out(`${mark} ${agent}: ${results.length === 0 ? 'no fixtures' : parts.join(', ')}`)
  for (const { fixture, failures } of results) {
    if (failures.length > 0 && fixture.known === undefined)
      context.out(`    ${fixture.cast} at ${fixture.at}: ${failures.join('; ')}`)
  }
  if (results.length === 0) return
  if (neverMatched.length > 0) context.out(context.style('dim', `    no fixture matches: ${neverMatched.join(', ')}`))
  if (alwaysMatched.length > 0)
    context.out(context.style('dim', `    every fixture matches: ${alwaysMatched.join(', ')}`))
}

function positionOf({ file, line }: { file: string | null; line: number | null }): string {
  return file === null ? '' : `${file}${line === null ? '' : `:${line}`}: `
}

function shown(file: string, context: CommandContext): string {
  const short = relative(context.cwd, file)
  return short.startsWith('..') ? file : short
}

interface LastCheck {
  at: number
  passed: number
  failed: number
  known: number
}

const CHECKS_FILE = 'packs-check.json'

/** A cache, so that `packs` need not run every fixture; missing or damaged, it is empty. */
function readChecks(cacheDirectory: string): Record<string, LastCheck> {
  try {
    return JSON.parse(readFileSync(join(cacheDirectory, CHECKS_FILE), 'utf8')) as Record<string, LastCheck>
  } catch {
    return {}
  }
}

function storeChecks(cacheDirectory: string, checks: Record<string, LastCheck>): void {
  try {
    mkdirSync(cacheDirectory, { recursive: true, mode: 0o700 })
    const all = { ...readChecks(cacheDirectory), ...checks }
    writeFileSync(join(cacheDirectory, CHECKS_FILE), JSON.stringify(all), { mode: 0o600 })
  } catch {
    // The results are printed already; only the cache is missing.
  }
}
