// `npm run agents:newest [-- claude codex …] [--out report.md]`: asks npm for the newest version of
// every agent CLI, drives it as `npm run test:agents` does, reads the screens that it recorded, and
// writes a report: what passed, and how many frames the pack recognised, beside the version that
// the tests use otherwise. Exits 1 if a test failed.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readArguments } from './labelled-recordings.mjs'
import { install, requireNode, root } from './setup.mjs'

requireNode()
install()
const { args, option } = readArguments()
const out = option('--out') ?? 'agents-newest.md'
const table = JSON.parse(
  spawnSync(process.execPath, ['--import', 'tsx', join(root, 'test', 'agents', 'versions.ts')], {
    cwd: root,
    encoding: 'utf8',
  }).stdout,
)
const wanted = table.filter(({ name }) => args.length === 0 || args.includes(name))
if (wanted.length === 0) {
  console.error(`no such agent: ${args.join(', ')}; known: ${table.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}
const directory = mkdtempSync(join(tmpdir(), 'signalbox-newest-'))
const lines = []
let failed = 0
for (const agent of wanted) {
  const newest = spawnSync('npm', ['view', agent.npm, 'version'], { encoding: 'utf8' }).stdout.trim()
  if (newest === '') {
    lines.push(`| ${agent.name} | ${agent.version} | unknown | npm does not know ${agent.npm} | |`)
    continue
  }
  const kept = join(directory, agent.name)
  const report = join(directory, `${agent.name}.json`)
  mkdirSync(kept)
  spawnSync(process.execPath, [join(root, 'scripts', 'test-agents.mjs'), agent.name], {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      SIGNALBOX_TEST_VERSIONS: JSON.stringify({ [agent.name]: newest }),
      SIGNALBOX_TEST_KEEP: kept,
      SIGNALBOX_TEST_REPORT: report,
    },
  })
  const { passed, missed } = readReport(report)
  failed += Math.max(missed.length, passed === 0 ? 1 : 0)
  const result = missed.length === 0 ? `${passed} passed` : `${passed} passed; failed: ${missed.join('; ')}`
  lines.push(`| ${agent.name} | ${agent.version} | ${newest} | ${result} | ${screensOf(kept, agent.name)} |`)
}
const head = ['| agent | version of the tests | newest | tests | frames |', '|---|---|---|---|---|']
writeFileSync(out, `# Newest versions of agents\n\n${[...head, ...lines].join('\n')}\n`)
console.log([...head, ...lines].join('\n'))
console.log(`written to ${out}`)
rmSync(directory, { recursive: true, force: true })
process.exit(failed > 0 ? 1 : 0)

function readReport(file) {
  if (!existsSync(file)) return { passed: 0, missed: ['nothing ran'] }
  const results = JSON.parse(readFileSync(file, 'utf8')).testResults.flatMap(({ assertionResults }) => assertionResults)
  const named = status => results.filter(result => result.status === status)
  return { passed: named('passed').length, missed: named('failed').map(({ title }) => title) }
}

/** How the frames of all recordings were recognised. */
function screensOf(kept, agent) {
  const sum = { anchored: 0, structural: 0, unknown: 0 }
  for (const name of readdirSync(kept, { recursive: true }).filter(path => /\.cast(?:\.gz)?$/.test(path))) {
    const replay = spawnSync(
      process.execPath,
      [join(root, 'dist', 'cli.js'), 'replay', join(kept, name), '--agent', agent, '--json'],
      { encoding: 'utf8', maxBuffer: 1 << 28 },
    )
    const counters = replay.stdout
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line).counters)
      .findLast(found => found !== undefined)
    for (const key of Object.keys(sum)) sum[key] += counters?.[key] ?? 0
  }
  return `${sum.anchored} by rules, ${sum.structural} by structure, ${sum.unknown} not recognised`
}
