// `npm run bench:config`: processor time to load the settings of a user and a project file.
// Bar: less than 10 ms.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../src/config/index.js'

const BAR_MS = 10
const ROUNDS = 50

const directory = mkdtempSync(join(tmpdir(), 'signalbox-bench-config-'))
const userFile = join(directory, 'config.toml')
const path = join(directory, '.signalbox.toml')
writeFileSync(userFile, '[attach]\ndetach_key = "ctrl-d"\n[agents.claude]\nargs = ["a"]\n', { mode: 0o600 })
writeFileSync(path, 'panes.long_after_s = 5\n')
const times = Array.from({ length: ROUNDS }, () => {
  const before = process.cpuUsage()
  loadConfig({ environment: {}, userFile, projectFile: { path, trusted: true } })
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
})
rmSync(directory, { recursive: true })
const [first = 0, ...warm] = times
const median = warm.sort((a, b) => a - b)[Math.floor(warm.length / 2)] ?? 0
console.log(`load settings: first ${first.toFixed(1)} ms, median ${median.toFixed(2)} ms (bar ${BAR_MS} ms)`)
if (median >= BAR_MS) process.exitCode = 1
