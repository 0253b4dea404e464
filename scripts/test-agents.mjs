// `npm run test:agents [-- claude codex …]`: drives the real agent CLIs through the public command
// line against a scripted model on 127.0.0.1. Installs them outside the project
// (SIGNALBOX_TEST_AGENTS_DIR, or the user's cache directory). Ends with the measured times and one
// line `N passed, N failed`.
// `--matrix`: instead of the tests, 50 prompts of all kinds and 20 decisions for each agent; prints
// a table of what arrived and writes every difference, with the screen, to `agents-matrix.md`
// (`--out=<file>`).
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, install, requireNode, root } from './setup.mjs'

requireNode()
install()
if (!process.env.SIGNALBOX_E2E_ROOT) build()

const wanted = process.argv.slice(2).filter(word => !word.startsWith('-'))
const isMatrix = process.argv.includes('--matrix')
const out = process.argv.find(word => word.startsWith('--out='))?.slice('--out='.length) ?? 'agents-matrix.md'
const options = process.argv
  .slice(2)
  .filter(word => word.startsWith('-') && word !== '--matrix' && !word.startsWith('--out='))
const installing = spawnSync(
  process.execPath,
  ['--import', 'tsx', join(root, 'test', 'agents', 'install.ts'), ...wanted],
  { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' },
)
const agents = installing.stdout.split('\n').filter(Boolean)
if (installing.status !== 0 || agents.length === 0) process.exit(installing.status || 1)

const directory = mkdtempSync(join(tmpdir(), 'signalbox-test-agents-'))
const report = process.env.SIGNALBOX_TEST_REPORT ?? join(directory, 'report.json')
const figures = join(directory, 'figures.jsonl')
const matrix = join(directory, 'matrix.jsonl')
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--config',
    join(root, 'test', 'agents', 'vitest.config.ts'),
    '--reporter=verbose',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...options,
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      SIGNALBOX_TEST_AGENTS: agents.join(','),
      SIGNALBOX_TEST_FIGURES: figures,
      ...(isMatrix && { SIGNALBOX_TEST_MATRIX: matrix }),
    },
  },
)
if (existsSync(figures)) printFigures(readFileSync(figures, 'utf8'))
if (existsSync(matrix)) writeMatrix(readFileSync(matrix, 'utf8'))
const { numPassedTests = 0, numFailedTests = 0 } = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {}
rmSync(directory, { recursive: true, force: true })
console.log(`${numPassedTests} passed, ${numFailedTests} failed`)
process.exit(status ?? 1)

function printFigures(text) {
  const byName = new Map()
  for (const line of text.split('\n').filter(Boolean)) {
    const { agent, figure, ms } = JSON.parse(line)
    const key = `${agent.padEnd(10)} ${figure}`
    byName.set(key, [...(byName.get(key) ?? []), ms])
  }
  console.log('\nmeasured times in milliseconds (one value for each measurement)')
  for (const [key, values] of byName)
    console.log(`  ${key.padEnd(46)} ${values.map(value => Math.round(value)).join('  ')}`)
}

function writeMatrix(text) {
  const records = text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
  const table = [
    '| agent | version | delivered once | answer equal | decisions carried out | load |',
    '|---|---|---|---|---|---|',
    ...records.map(row => `| ${row.agent} | ${row.version} | ${resultsOf(row).join(' | ')} | ${row.load.toFixed(1)} |`),
  ].join('\n')
  const differences = records.flatMap(({ agent, failures }) =>
    failures.map(({ kind, prompt, what, screen = '' }) =>
      [`## ${agent}: ${kind}`, JSON.stringify(prompt), what, `\`\`\`\n${screen}\n\`\`\`\n`].join('\n\n'),
    ),
  )
  writeFileSync(out, `# Prompts and decisions\n\n${table}\n\n${differences.join('\n')}`)
  console.log(`\n${table}\n${differences.length} differences are in ${out}`)
}

function resultsOf({ themes, sent, read, approved, prompts, delivered, answered, decisions, carriedOut }) {
  if (themes !== undefined)
    return [`${sent} / ${themes} themes`, `${read} / ${themes} read`, `${approved} / ${themes} approved`]
  const decided = decisions === 0 ? 'asks nothing' : `${carriedOut} / ${decisions}`
  return [`${delivered} / ${prompts}`, `${answered} / ${prompts}`, decided]
}
