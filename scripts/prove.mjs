// `npm run prove [-- --only events,session --minutes N --slice 1/4 --seeds N --write]`: the whole
// crash sweep and 10 000 seeds of simulated time (test/crash/prove.ts). It continues where an
// earlier call stopped, and prints a report; `--write` also writes it to docs/proof.md. `npm test`
// takes a sample.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { build, install, requireNode, root } from './setup.mjs'

requireNode()
install()
build()
const args = ['--import', 'tsx', join(root, 'test', 'crash', 'prove.ts'), ...process.argv.slice(2)]
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
process.exit(status ?? 1)
