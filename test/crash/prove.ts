import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import compileChildren from '../support/compile-children.js'
import { REPOSITORY } from '../support/compiled.js'
import { type ProofPart, proofParts } from './proof-parts.js'
import { ProofProgress } from './proof-progress.js'

/*
 * `npm run prove`: every trial of every part, once for the same sources. It can be stopped at any
 * time and continues where it was; `--minutes` stops it by itself, `--slice 2/4` takes every fourth
 * trial, for several machines. The trials of a part are spread: the first ones are far apart.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seeds: { type: 'string', default: '10000' },
    minutes: { type: 'string' },
    slice: { type: 'string', default: '1/1' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    trial: { type: 'string' },
    again: { type: 'boolean' },
    write: { type: 'boolean' },
    report: { type: 'boolean' },
  },
})
const REPORT = join(REPOSITORY, 'docs', 'proof.md')
const parts = proofParts(Number(values.seeds))
const until = values.minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + Number(values.minutes) * 60_000
const [slice, slices] = values.slice.split('/').map(Number) as [number, number]
const say = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`)
let isViolated = false
try {
  await compileChildren()
  if (values.trial) await repeat(values.trial)
  else await prove()
} finally {
  for (const part of parts) part.close()
}
process.exit(isViolated ? 1 : 0)

/** One trial again, for example `session@17`: whatever it says is printed. */
async function repeat(name: string): Promise<void> {
  const [part, at] = name.split('@')
  const found = parts.find(one => one.name === part)
  if (!found) throw new Error(`unknown part "${part}" (there are ${parts.map(one => one.name).join(', ')})`)
  await found.trial(Number(at)).then(
    () => say(`${name}: held`),
    (error: Error) => {
      say(`${name}: ${error.stack}`)
      isViolated = true
    },
  )
}

async function prove(): Promise<void> {
  const names = values.only?.split(',') ?? parts.map(({ name }) => name)
  const unknown = names.filter(name => !parts.some(part => part.name === name))
  if (unknown.length > 0)
    throw new Error(`unknown part ${unknown.join(', ')} (there are ${parts.map(one => one.name).join(', ')})`)
  const progress = new ProofProgress({ startsAgain: values.again })
  if (!values.report)
    for (const part of parts.filter(({ name }) => names.includes(name))) {
      if (Date.now() > until) break
      await provePart(part, progress)
    }
  const lines = report(progress)
  console.log(`\n${lines.join('\n')}`)
  if (values.write) writeFileSync(REPORT, `${lines.join('\n')}\n`)
}

async function provePart(part: ProofPart, progress: ProofProgress): Promise<void> {
  let counted = progress.count(part.name)
  if (!counted) {
    counted = { part: part.name, ...(await part.count()) }
    progress.add(counted)
  }
  const left = spread(counted.trials).filter(
    (at, index) => index % slices === slice - 1 && !progress.isDone(part.name, at),
  )
  if (left.length === 0) return
  say(`${part.name}: ${counted.points} points, ${left.length} of ${counted.trials} trials to do`)
  const work = async () => {
    for (let at = left.shift(); at !== undefined && Date.now() < until; at = left.shift()) {
      const error = await part.trial(at).then(
        () => null,
        (thrown: Error) => thrown,
      )
      const result = error === null ? 'held' : isLate(error) ? 'late' : 'violated'
      progress.add({ part: part.name, at, result, ...(error && { message: error.message }) })
      if (error) say(`${part.name}@${at} ${result}: ${error.message}`)
    }
  }
  await Promise.all(Array.from({ length: Number(values.jobs) }, work))
}

/** Numbers from 1, in an order in which those that come first are far apart. */
function spread(count: number): number[] {
  const bits = Math.max(1, Math.ceil(Math.log2(count + 1)))
  const reversed = (n: number) => Number.parseInt(n.toString(2).padStart(bits, '0').split('').reverse().join(''), 2)
  return Array.from({ length: count }, (_, n) => n + 1).sort((a, b) => reversed(a) - reversed(b))
}

/** A machine that is too busy violates no invariant: the trial is tried again by the next call. */
function isLate(error: Error): boolean {
  return /waited \d+ ms for|still running after \d+ ms/.test(error.message)
}

function report(progress: ProofProgress): string[] {
  const commit = execFileSync('git', ['rev-parse', '--short=10', 'HEAD'], { cwd: REPOSITORY, encoding: 'utf8' }).trim()
  const rows = parts.map(part => {
    const results = progress.results(part.name)
    const number = (result: string) => results.filter(one => one.result === result).length
    const counted = progress.count(part.name)
    const share = counted ? `${number('held') + number('violated')} of ${counted.trials}` : 'none'
    isViolated ||= number('violated') > 0
    return `| \`${part.name}\` | ${part.what} | ${counted?.points ?? '–'} | ${share} | ${number('violated')} | ${number('late')} |`
  })
  const untried = parts.filter(part => !progress.count(part.name)).map(({ name }) => `\`${name}\``)
  const partly = parts.filter(part => {
    const counted = progress.count(part.name)
    return counted && progress.results(part.name).filter(({ result }) => result !== 'late').length < counted.trials
  })
  const violations = parts.flatMap(part => progress.results(part.name).filter(({ result }) => result === 'violated'))
  return [
    '# The last proof',
    '',
    ...(untried.length > 0 || partly.length > 0
      ? [
          `**Incomplete.** ${[
            ...(untried.length > 0 ? [`Not run: ${untried.join(', ')}.`] : []),
            ...(partly.length > 0 ? [`Run in part: ${partly.map(({ name }) => `\`${name}\``).join(', ')}.`] : []),
          ].join(' ')} This report says nothing about the trials that were not run.`,
          '',
        ]
      : []),
    `Written by \`npm run prove -- --write\` on ${new Date().toISOString().slice(0, 10)}: commit ${commit}, sources ${progress.fingerprint}, Node ${process.versions.node}, ${cpus().length} cores. [What is guaranteed](guarantees.md) says which invariants are checked. One trial is one death, another process that continues, and a check; \`npm run prove -- --trial session@17\` repeats one.`,
    '',
    '| part | what dies, and where | points | trials | violated | late |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
    '*Late*: the machine was too busy for the limits of a test. Such a trial says nothing, and the next call tries it again.',
    ...(violations.length > 0
      ? ['', '## Violated', '', ...violations.map(({ part, at, message }) => `- \`${part}@${at}\`: ${message}`)]
      : []),
  ]
}
