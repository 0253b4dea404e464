// `npm run prove [-- --seeds N]`: the whole crash sweep, and 10 000 seeds of simulated time; writes
// a report to standard output. `npm test` takes a sample of both.
import { spawnSync } from 'node:child_process'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { build, install, requireNode, root } from './setup.mjs'

requireNode()
install()
build()
const at = process.argv.indexOf('--seeds')
const seeds = at < 0 ? '10000' : process.argv[at + 1]
const started = Date.now()
console.log(
  `# Proof of ${new Date(started).toISOString().slice(0, 10)}: Node ${process.versions.node}, ${cpus().length} × ${cpus()[0].model}`,
)
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    'test/crash',
    'test/simulation',
    '--disable-console-intercept',
    '--reporter=verbose',
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, SIGNALBOX_PROVE: 'whole', SIGNALBOX_SEEDS: seeds } },
)
console.log(
  `${status === 0 ? 'No invariant was violated' : 'VIOLATED: see above'}; ${Math.round((Date.now() - started) / 60_000)} minutes.`,
)
process.exit(status ?? 1)
