import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { answeredKeys } from '../../src/pipelines/pull-request/acts.js'
import { FakeGithub, type FakePull } from '../../src/pipelines/testing/fake-github.js'
import type { PipelineFixture } from '../../src/pipelines/testing/pipeline-fixture.js'
import { compiledChild } from '../support/compiled.js'

/*
 * Many pull requests with failing checks, many comments and rate limits. Every other one is opened
 * by its run, the others were there. Each run is driven by a process of its own that is killed with
 * SIGKILL: before and after each event it writes (pull-driver.child.ts), and in every third run
 * also in each writing call of gh, before and after its effect. In the end every comment has one
 * answer, every branch its fixes, every branch one pull request, and every check passes.
 */

export interface StormOptions {
  pulls: number
  comments: number
  /** 1: at every boundary; 5: at every fifth. */
  every: number
  /** How many runs are driven at once. */
  lanes: number
  report?: (line: string) => void
}

export interface StormEnd {
  kills: number
  /** Boundaries that were met, of all runs. */
  boundaries: number
  /** How many kinds of boundaries there are, without the ids in them. */
  kinds: number
  calls: number
  limited: number
  opened: number
  pushes: number
  answered: number
  doubled: string[]
  lost: string[]
}

interface Storm {
  fixture: PipelineFixture
  github: FakeGithub
  remote: string
  bin: string
  every: number
  end: StormEnd
  kinds: Set<string>
  /** The process that drives the run of a branch. */
  drivers: Map<string, Driver>
}

interface Driver {
  kill(): void
  /** Boundaries inside of calls of gh. */
  met: Set<string>
}

const CHILD = compiledChild(fileURLToPath(new URL('pull-driver.child.ts', import.meta.url)))
const LIVES_MAX = 2_000
const LIMIT_EVERY = 17

export async function pullStorm(fixture: PipelineFixture, options: StormOptions): Promise<StormEnd> {
  const { pulls, comments, lanes, every, report = () => undefined } = options
  const remote = join(fixture.directory, 'storm.git')
  const bin = join(fixture.directory, 'storm-bin')
  rmSync(remote, { recursive: true, force: true })
  execFileSync('git', ['clone', '-q', '--bare', fixture.repository, remote])
  execFileSync('git', ['config', 'core.logAllRefUpdates', 'always'], { cwd: remote })
  fixture.git('remote', 'add', 'storm', remote)
  const github = await FakeGithub.open(remote, bin)
  const end: StormEnd = {
    ...{ kills: 0, boundaries: 0, kinds: 0, calls: 0, limited: 0, opened: 0, pushes: 0, answered: 0 },
    doubled: [],
    lost: [],
  }
  const storm: Storm = { fixture, github, remote, bin, every, end, kinds: new Set(), drivers: new Map() }
  github.onCall = (args, when) => interfere(storm, args, when)
  const waiting = Array.from({ length: pulls }, (_, at) => at)
  const lane = async () => {
    for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
      const own = Math.floor(comments / pulls) + (at < comments % pulls ? 1 : 0)
      await play(storm, { branch: `topic-${at}`, comments: own, isOpened: at % 2 === 0, diesInCalls: at % 3 === 0 })
      report(`topic-${at}: ${own} comments, ${end.kills} kills so far, ${github.calls.length} calls of gh`)
    }
  }
  try {
    await Promise.all(Array.from({ length: lanes }, lane))
  } finally {
    await github.close()
  }
  return { ...end, kinds: storm.kinds.size, calls: github.calls.length }
}

interface Plan {
  branch: string
  comments: number
  /** Its run opens the pull request. */
  isOpened: boolean
  diesInCalls: boolean
}

async function play(storm: Storm, { branch, comments, isOpened, diesInCalls }: Plan): Promise<void> {
  const { fixture, github, drivers } = storm
  const base = fixture.git('rev-parse', 'main')
  const fill = (pull: FakePull) => {
    pull.checks.set('tests', 'FAILURE')
    for (let at = 0; at < comments; at++) {
      if (at % 2 === 0) github.thread(pull, 'ada', `bug ${at}`)
      else github.comment(pull, 'bob', `why ${at}`)
    }
  }
  let start = base
  if (isOpened) {
    fixture.git('branch', branch, 'main')
    start = commitOn(fixture, branch)
    github.onOpened.set(branch, fill)
  } else {
    fixture.git('push', '-q', 'storm', `main:refs/heads/${branch}`)
    fill(github.add({ branch }))
  }
  const number = isOpened ? null : github.pullsOf(branch)[0]!.number
  const run = await create(fixture, { branch, number, base })
  const file = join(fixture.directory, `boundaries-${branch}`)
  const met = new Set<string>()
  for (let life = 0; ; life++) {
    if (life === LIVES_MAX) throw new Error(`${branch} does not end`)
    const child = spawn(process.execPath, [CHILD, fixture.directory, run, storm.bin, file, String(storm.every)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    if (diesInCalls) drivers.set(branch, { kill: () => child.kill('SIGKILL'), met })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', part => (said += String(part)))
    const signal = await new Promise(resolve => child.on('close', (_, by) => resolve(by)))
    // The check passes once a fix was pushed.
    const [pull] = github.pullsOf(branch)
    if (pull && github.head(branch) !== start) pull.checks.set('tests', 'SUCCESS')
    if (signal === 'SIGKILL') storm.end.kills++
    else if (said.includes('"completed"')) break
    else if (!said.includes('"running"')) throw new Error(`${branch} ended: ${said}`)
  }
  const all = [...readFileSync(file, 'utf8').split('\n').filter(Boolean), ...met]
  storm.end.boundaries += all.length
  for (const boundary of all) storm.kinds.add(kindOf(boundary))
  await check(storm, { branch, run, comments, isOpened })
}

/** Rate limits, and deaths inside of calls that write. */
function interfere({ github, drivers, every, end }: Storm, args: readonly string[], when: 'before' | 'after'): void {
  if (when === 'before' && github.calls.length % LIMIT_EVERY === 0) {
    github.limited++
    end.limited++
    return
  }
  const what = github.writes(args)
  const driver = what && drivers.get(what.branch)
  if (!what || !driver || driver.met.has(`${when} ${what.name}`)) return
  driver.met.add(`${when} ${what.name}`)
  if (driver.met.size % every !== 0) return
  driver.kill()
  // The process is dead before its request has left the machine.
  if (when === 'before') throw new Error('the connection was closed')
}

/** Ids and numbers differ from run to run. */
function kindOf(boundary: string): string {
  return boundary.replace(/[0-9a-f]{40}|PRR\w_\d+|topic-\d+|[tc]:\S+|https:\S+|\d+/g, '…')
}

function commitOn(fixture: PipelineFixture, branch: string): string {
  const tree = fixture.git('rev-parse', `${branch}^{tree}`)
  const commit = fixture.git('commit-tree', tree, '-p', branch, '-m', `Work on ${branch}`)
  fixture.git('update-ref', `refs/heads/${branch}`, commit)
  return commit
}

function create(
  fixture: PipelineFixture,
  { branch, number, base }: { branch: string; number: number | null; base: string },
): Promise<string> {
  const { pull } = fixture.profile()
  const allow = ['push', 'open', 'comment', 'resolve'] as const
  return fixture.create({
    pipeline: 'pull_request',
    issue: null,
    planPath: null,
    profile: fixture.profile({ pull: { ...pull, pollS: 0.01, people: 'fix', maxRounds: 50, allow: [...allow] } }),
    pull: {
      ...{ forge: 'github', number, base: 'main', follow: 'green', remote: 'storm', isDraft: false },
      title: number === null ? branch : null,
      body: number === null ? 'Opened by its run.' : null,
      labels: [],
      reviewers: [],
    },
    workspace: {
      mode: 'worktree',
      path: join(fixture.directory, 'storm', branch),
      branch: number === null ? branch : `signalbox/pr-${number}`,
      base,
      isNewBranch: number !== null,
      dirtyBefore: [],
    },
  })
}

interface Played {
  branch: string
  run: string
  comments: number
  isOpened: boolean
}

async function check(storm: Storm, { branch, run, comments, isOpened }: Played): Promise<void> {
  const { fixture, github, remote, end } = storm
  const twice = (what: string, names: readonly string[]) =>
    end.doubled.push(
      ...names.filter((name, at) => names.indexOf(name) !== at).map(name => `${branch}: ${what} ${name}`),
    )
  const pulls = github.pullsOf(branch)
  if (pulls.length !== 1) end[pulls.length === 0 ? 'lost' : 'doubled'].push(`${branch}: ${pulls.length} pull requests`)
  if (isOpened) end.opened += pulls.length
  const [pull] = pulls
  if (!pull) return
  const bodies = [...pull.threads.flatMap(thread => thread.comments), ...pull.comments]
    .filter(({ author }) => author === 'me')
    .map(({ body }) => body)
  const keys = bodies.flatMap(body => [...answeredKeys([body])])
  end.answered += new Set(keys).size
  twice('answer', keys)
  if (new Set(keys).size < comments) end.lost.push(`${branch}: ${new Set(keys).size} answers to ${comments} comments`)
  for (const { id, isResolved } of pull.threads) if (!isResolved) end.lost.push(`${branch}: ${id} is open`)
  const pushed = execFileSync('git', ['reflog', 'show', '--format=%H', `refs/heads/${branch}`], {
    cwd: remote,
    encoding: 'utf8',
  })
  const commits = pushed.split('\n').filter(Boolean)
  end.pushes += commits.length
  twice('push of', commits)
  const { events, pipeline } = await fixture.readRun(run)
  const head = fixture.gitIn(pipeline.state.worktree!, 'rev-parse', 'HEAD')
  if (github.head(branch) !== head) end.lost.push(`${branch}: ${head} was not pushed`)
  const acts = events
    .filter(({ type, data }) => type === 'act.performed' && !data.isFound)
    .map(({ data }) => `${data.act} ${data.on}`)
  // The branch is pushed once for the pull request, and once for each round.
  twice(
    'act',
    acts.filter(act => !act.startsWith('push')),
  )
}
