// `npm run bench:commands`: what starting a command costs a process, by the memory that it uses:
// itself, and through the helper of docs/decisions/0097-a-helper-starts-commands.md. Measures the
// build.
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { build, install, root } from '../scripts/setup.mjs'

const COMMANDS = 40
install()
build()
const { runCommand, useCommandHelper } = await import(join(root, 'dist', 'rooms', 'process', 'index.js'))
const median = values => values.sort((a, b) => a - b)[values.length >> 1]
const held = []
const measured = []
const hold = megabytes => {
  while (process.memoryUsage.rss() < megabytes * 1e6) held.push(Buffer.alloc(1 << 20, 1))
}

/** Milliseconds in which the process did nothing else, and until the command had ended. */
async function times() {
  const [blocked, whole] = [[], []]
  for (let n = 0; n < COMMANDS; n++) {
    const start = performance.now()
    const done = runCommand('/bin/true', [])
    blocked.push(performance.now() - start)
    await done
    whole.push(performance.now() - start)
  }
  return `${median(blocked).toFixed(1)} ms, ended after ${median(whole).toFixed(1)} ms`
}

for (const megabytes of [75, 150, 300, 600]) {
  hold(megabytes)
  measured.push([megabytes, await times()])
}
useCommandHelper()
await times()
const helped = await times()
for (const [megabytes, here] of measured) console.log(`${String(megabytes).padStart(4)} MB  blocked ${here}`)
console.log(` 600 MB  through the helper: blocked ${helped}`)
