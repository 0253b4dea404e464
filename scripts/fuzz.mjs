// `npm run fuzz -- [--seconds N] [--from N] [--case N]`: hostile input for the path from bytes to messages, for as long as you like. Cases
// are numbered; a case is the same bytes wherever and whenever it runs. `--case` runs one that a failure named.
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
  if (!/^\d+$/.test(value ?? '')) fail(`${name} wants a whole number, not ${JSON.stringify(value ?? '')}`)
  env[variable] = value
}
if (args.length > 0) fail(`there is no option ${args[0]}: --seconds, --from and --case are the ones`)
install()
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
run(process.execPath, [vitest, 'run', join('test', 'fuzz', 'terminal-fuzz.test.ts')], { env })

function fail(message) {
  console.error(`fuzz: ${message}`)
  process.exit(2)
}
