import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { EventStore } from '../../store/index.js'
import { answeredKeys } from '../pull-request/acts.js'
import { FakeGithub, type FakePull } from './fake-github.js'
import type { PipelineFixture } from './pipeline-fixture.js'

/*
 * Many pull requests with failing checks, many comments and rate limits, whose runs are killed
 * again and again: after an append to the log, or in a writing call of gh, before and after its
 * effect. Each life of a run is longer than the one before, so that it ends. In the end every
 * comment has one answer, every branch its fixes, and every check passes.
 */

export interface StormOptions {
  pulls: number
  comments: number
  /** Each life of a run lasts this many boundaries longer. */
  growth: number
  report?: (line: string) => void
}

export interface StormEnd {
  deaths: number
  /** The kinds of boundaries at which runs died: the last event, or the call of gh. */
  places: number
  calls: number
  limited: number
  answered: number
  doubled: string[]
  lost: string[]
}

export async function pullStorm(fixture: PipelineFixture, options: StormOptions): Promise<StormEnd> {
  const { pulls, comments, growth, report = () => undefined } = options
  const remote = join(fixture.directory, 'storm.git')
  rmSync(remote, { recursive: true, force: true })
  execFileSync('git', ['clone', '-q', '--bare', fixture.repository, remote])
  fixture.git('remote', 'add', 'storm', remote)
  const github = await FakeGithub.open(remote, join(fixture.directory, 'storm-bin'))
  fixture.path = `${join(fixture.directory, 'storm-bin')}:${process.env.PATH}`
  const count: Count = { deaths: 0, limited: 0, places: new Set() }
  const end: StormEnd = { deaths: 0, places: 0, calls: 0, limited: 0, answered: 0, doubled: [], lost: [] }
  judgeAll(fixture)
  try {
    for (let at = 0; at < pulls; at++) {
      const branch = `topic-${at}`
      fixture.git('push', '-q', 'storm', `main:refs/heads/${branch}`)
      const pull = github.add({ branch })
      const own = Math.floor(comments / pulls) + (at < comments % pulls ? 1 : 0)
      fill(github, pull, own)
      const before = pull.comments.length + pull.threads.length
      await follow(fixture, github, pull, growth, count)
      check(pull, before, end)
      report(`#${pull.number}: ${before} comments, ${count.deaths} deaths so far, ${github.calls.length} calls`)
    }
  } finally {
    await github.close()
  }
  return { ...end, deaths: count.deaths, places: count.places.size, calls: github.calls.length, limited: count.limited }
}

function fill(github: FakeGithub, pull: FakePull, comments: number): void {
  pull.checks.set('tests', 'FAILURE')
  for (let at = 0; at < comments; at++) {
    if (at % 2 === 0) github.thread(pull, 'ada', `bug ${at}`)
    else github.comment(pull, 'bob', `why ${at}`)
  }
}

/** Every item gets a verdict; the Developer changes a file in every turn. */
function judgeAll(fixture: PipelineFixture): void {
  fixture.script({
    evaluator: [
      turn => {
        const numbers = [...turn.prompt.matchAll(/^#(\d+) \[/gm)].map(([, number]) => Number(number))
        const items = numbers.map(number => ({ number, verdict: 'must_fix', reason: 'so', reply: 'Right.' }))
        return { text: JSON.stringify({ items, summary: 'judged' }) }
      },
    ],
    developer: [() => ({ files: { [`fix-${fixture.agents.turns.length}.txt`]: 'x\n' } })],
  })
}

interface Count {
  deaths: number
  limited: number
  places: Set<string>
}

/** Drives the run again and again: each life ends at a later boundary, until the run ends first. */
async function follow(
  fixture: PipelineFixture,
  github: FakeGithub,
  pull: FakePull,
  growth: number,
  count: Count,
): Promise<void> {
  const id = await create(fixture, pull)
  const base = github.head(pull.branch)
  for (let life = 0; life < 500; life++) {
    let left = 1 + (pull.number % growth) + life * growth
    let place: string | null = null
    const isDead = (where: string) => {
      if (--left === 0) place = where
      return left <= 0
    }
    github.onCall = (args, when) => {
      if (when === 'before' && github.calls.length % 17 === 0) {
        github.limited++
        count.limited++
      }
      const isWrite = args[1] === 'comment' || args.some(word => word.includes('query=mutation'))
      if (isWrite) isDead(`${when} gh ${args[1]}`)
      // The check passes once a fix was pushed.
      if (github.head(pull.branch) !== base) pull.checks.set('tests', 'SUCCESS')
    }
    await fixture.drive(id, dying(fixture.store, isDead)).catch(() => undefined)
    if (place !== null) {
      count.deaths++
      count.places.add(place)
    }
    const { status, reason } = (await fixture.readRun(id)).record
    if (status === 'completed') return
    if (place === null) throw new Error(`#${pull.number} is ${status}: ${reason}`)
  }
  throw new Error(`#${pull.number} does not end`)
}

/** A process that is killed with or right after an append: nothing is written any more. */
function dying(store: EventStore, isDead: (where: string) => boolean): EventStore {
  let isOff = false
  return new Proxy(store, {
    get(target, key) {
      const value = Reflect.get(target, key) as unknown
      if (typeof value !== 'function') return value
      if (key !== 'appendAll') return value.bind(target)
      return async (...args: unknown[]) => {
        if (isOff) throw new Error('the machine is off')
        const [appends] = args as [{ events: { type: string }[] }[]]
        isOff = isDead(appends.flatMap(({ events }) => events).at(-1)?.type ?? 'no event')
        const done = await (value as (...given: unknown[]) => Promise<unknown>).apply(target, args)
        if (isOff) throw new Error('the machine is off')
        return done
      }
    },
  })
}

function create(fixture: PipelineFixture, { number, branch }: FakePull): Promise<string> {
  const { pull } = fixture.profile()
  return fixture.create({
    pipeline: 'pull_request',
    issue: null,
    planPath: null,
    profile: fixture.profile({
      pull: { ...pull, pollS: 0.01, people: 'fix', maxRounds: 50, allow: ['push', 'comment', 'resolve'] },
    }),
    pull: {
      forge: 'github',
      number,
      base: 'main',
      follow: 'green',
      remote: 'storm',
      title: null,
      body: null,
      isDraft: false,
      labels: [],
      reviewers: [],
    },
    place: {
      mode: 'worktree',
      path: join(fixture.directory, 'storm', branch),
      branch: `signalbox/pr-${number}`,
      base: fixture.git('rev-parse', 'main'),
      isNewBranch: true,
      dirtyBefore: [],
    },
  })
}

function check(pull: FakePull, expected: number, end: StormEnd): void {
  const bodies = [...pull.threads.flatMap(({ comments }) => comments), ...pull.comments]
    .filter(({ author }) => author === 'me')
    .map(({ body }) => body)
  const keys = bodies.flatMap(body => [...answeredKeys([body])])
  end.answered += new Set(keys).size
  end.doubled.push(...keys.filter((key, at) => keys.indexOf(key) !== at))
  if (new Set(keys).size < expected) end.lost.push(`#${pull.number}: ${new Set(keys).size} of ${expected}`)
  for (const { id, isResolved } of pull.threads) if (!isResolved) end.lost.push(`#${pull.number}: ${id} is open`)
}
