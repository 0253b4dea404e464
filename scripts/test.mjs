// `npm test [-- vitest arguments]`: set up, check, build, run every test, and end with one line `N passed, N failed, N skipped`.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, install, requireNode, root, run } from './setup.mjs'

/** Labelled recordings of real agents. They are not part of the repository. */
const corpus = process.env.SIGNALBOX_CORPUS ?? join(root, '..', 'shared', 'corpus')

requireNode()
install()
installPrograms(['tmux', 'chromium'])
const isWhole = process.argv.length === 2
if (isWhole) run(process.execPath, [join(root, 'scripts', 'check.mjs')])
build()

const directory = mkdtempSync(join(tmpdir(), 'signalbox-test-'))
const report = join(directory, 'report.json')
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const args = [
  vitest,
  'run',
  '--reporter=default',
  `--reporter=${join(root, 'scripts', 'report-second-tries.mjs')}`,
  '--reporter=json',
  `--outputFile.json=${report}`,
  ...process.argv.slice(2),
]
const { status } = spawnSync(process.execPath, args, {
  cwd: root,
  stdio: 'inherit',
  // The whole suite fuzzes for a minute; a choice of files for as long as the test says.
  env: { ...(isWhole && { SIGNALBOX_FUZZ_SECONDS: '60' }), ...process.env, SIGNALBOX_HOME: join(directory, 'home') },
})
const {
  numPassedTests = 0,
  numFailedTests = 0,
  numPendingTests = 0,
  testResults = [],
} = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {}
for (const file of testResults) {
  for (const test of file.assertionResults)
    if (test.status === 'skipped' || test.status === 'pending') console.log(`skipped: ${test.fullName}`)
}
rmSync(directory, { recursive: true, force: true })
if (!existsSync(corpus))
  console.log('skipped: tests of labelled recordings (set SIGNALBOX_CORPUS to a directory of them)')
console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`)
process.exit(status ?? 1)

/** Programs that tests drive and npm does not have. Installed where that is allowed; else the tests that need one say that they skip. */
function installPrograms(names) {
  const missing = names.filter(name => spawnSync('which', [name]).status !== 0)
  if (missing.length === 0) return
  const isRoot = process.getuid?.() === 0
  if (!isRoot || spawnSync('which', ['apt-get']).status !== 0) {
    console.error(`${missing.join(', ')} not found and not installed: tests that need it are skipped`)
    return
  }
  console.error(`Installing ${missing.join(', ')} …`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const quiet = { stdio: ['ignore', 'ignore', 2], env }
  spawnSync('apt-get', ['update', '-qq'], quiet)
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], quiet)
}
