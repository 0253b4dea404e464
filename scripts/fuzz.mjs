// `npm run fuzz -- [--seconds N] [--from N] [--case N]`: hostile input for the path from bytes to
// messages, for 60 seconds unless --seconds says otherwise. Cases are numbered: a number always
// gives the same bytes. `--case` runs the one that a failure named.
import { join } from 'node:path'
import { readArguments } from './labelled-recordings.mjs'
import { install, requireNode, root, run } from './setup.mjs'

const NUMBERS = {
  '--seconds': 'SIGNALBOX_FUZZ_SECONDS',
  '--from': 'SIGNALBOX_FUZZ_FROM',
  '--case': 'SIGNALBOX_FUZZ_CASE',
}

requireNode()
const { args, option } = readArguments()
const env = { ...process.env, SIGNALBOX_FUZZ_SECONDS: '60' }
for (const [name, variable] of Object.entries(NUMBERS)) {
  if (!args.includes(name)) continue
  const value = option(name)
  if (!/^\d+$/.test(value ?? '')) fail(`${name} takes a whole number, not ${JSON.stringify(value ?? '')}`)
  env[variable] = value
}
if (args.length > 0) fail(`unknown option ${args[0]} (allowed: --seconds, --from, --case)`)
install()
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
run(process.execPath, [vitest, 'run', join('test', 'fuzz', 'terminal-fuzz.test.ts')], { env })

function fail(message) {
  console.error(`fuzz: ${message}`)
  process.exit(2)
}
