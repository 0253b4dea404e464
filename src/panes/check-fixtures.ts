import { type PackFixture, readFixtures } from '../agents/packs/index.js'
import { explainFrame, type Menu, type Pack } from '../screen/index.js'
import { readWholeRecording } from '../terminal/recording/index.js'
import type { PaneState } from './pane.js'
import { replayEvents } from './replay.js'

interface FixtureResult {
  fixture: PackFixture
  /** What differs, in words; empty if the fixture passes. */
  failures: string[]
}

export interface FixtureReport {
  agent: string
  results: FixtureResult[]
  /** Rules that no fixture matches, or every one: the fixtures prove neither. */
  neverMatched: string[]
  alwaysMatched: string[]
}

/** Replays an agent's fixtures and compares the results with the expectations. */
export async function checkFixtures(
  agent: string,
  options: { userDirectory: string | null; loadPack(version: string | null): Promise<Pack> },
): Promise<FixtureReport> {
  const fixtures = await readFixtures(agent, { user: options.userDirectory })
  const coverage = new RuleCoverage()
  const results: FixtureResult[] = []
  const packs = new Map<string, Pack>()
  for (const group of byRecording(fixtures)) {
    const [{ file, version = null }] = group as [PackFixture]
    const pack = packs.get(String(version)) ?? (await options.loadPack(version))
    packs.set(String(version), pack)
    const { header, events } = await readWholeRecording(file)
    const at = [...new Set(group.map(fixture => fixture.at))]
    const states = new Map<number, PaneState>()
    for (const line of replayEvents(events, { pack, cols: header.cols, rows: header.rows, at }))
      if (line.type === 'at') states.set(line.at, line.state)
    for (const fixture of group) {
      const state = states.get(fixture.at)!
      if (state.look) coverage.addState(pack, state)
      results.push({ fixture, failures: compare(fixture, state) })
    }
  }
  if (packs.size === 0) packs.set('null', await options.loadPack(null))
  return { agent, results, ...coverage.report([...packs.values()]) }
}

/** Grouped by recording and version, so that each recording is replayed once. */
function byRecording(fixtures: readonly PackFixture[]): PackFixture[][] {
  const groups = new Map<string, PackFixture[]>()
  for (const fixture of fixtures) {
    const key = `${fixture.file} ${fixture.version ?? ''}`
    groups.set(key, [...(groups.get(key) ?? []), fixture])
  }
  return [...groups.values()]
}

function compare({ expect }: PackFixture, state: PaneState): string[] {
  const failures: string[] = []
  const { view, accept, busy, awaiting, options } = expect
  const views = view === undefined ? [] : [view, ...accept]
  if (views.length > 0 && !views.includes(state.view)) failures.push(`view is ${state.view}, not ${views.join(' or ')}`)
  if (busy !== undefined && state.busy !== busy) failures.push(`busy is ${state.busy}, not ${busy}`)
  if (awaiting !== undefined && state.awaiting !== awaiting)
    failures.push(`awaiting is ${state.awaiting ?? 'none'}, not ${awaiting ?? 'none'}`)
  if (options !== undefined) {
    const labels = ((state.payload as { menu?: Menu | null } | null)?.menu?.options ?? []).map(option => option.label)
    if (!isSameList(labels, options))
      failures.push(`options are ${JSON.stringify(labels)}, not ${JSON.stringify(options)}`)
  }
  return failures
}

/** Ignores white space: how a label was wrapped does not matter. */
function isSameList(got: readonly string[], wanted: readonly string[]): boolean {
  const fold = (text: string) => text.replace(/[\s\u00a0]+/gu, ' ').trim()
  return got.length === wanted.length && wanted.every((label, index) => fold(label) === fold(got[index]!))
}

class RuleCoverage {
  readonly #matched = new Set<string>()
  readonly #failed = new Set<string>()

  addState(pack: Pack, state: PaneState): void {
    for (const rule of explainFrame(state.look!.frame, pack).rules)
      (rule.matched ? this.#matched : this.#failed).add(rule.id)
  }

  report(packs: readonly Pack[]): Pick<FixtureReport, 'neverMatched' | 'alwaysMatched'> {
    const ids = [...new Set(packs.flatMap(pack => pack.rules.map(rule => rule.id)))]
    return {
      neverMatched: ids.filter(id => !this.#matched.has(id)),
      alwaysMatched: ids.filter(id => this.#matched.has(id) && !this.#failed.has(id)),
    }
  }
}
