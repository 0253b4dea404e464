// `npm start [-- args]`: installs, builds and starts the demo.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { build, install, requireNode, root } from './setup.mjs'

requireNode()
install()
build()
const child = spawn(process.execPath, [join(root, 'dist', 'cli.js'), 'demo', ...process.argv.slice(2)], {
  stdio: 'inherit',
})
// The demo itself decides what a hang-up means: without a terminal it ends nothing.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(signal ? 130 : (code ?? 1)))
