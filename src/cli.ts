#!/usr/bin/env node
const [command, ...words] = process.argv.slice(2)

// Agents call this many times a turn: it skips the command table and always succeeds.
if (command === 'hook' && words.length > 0 && !words.some(word => word === '--help' || word === '-h')) {
  const { runRelay } = await import('./cli/relay/index.js')
  await runRelay(words)
} else {
  const { main } = await import('./cli/index.js')
  process.exitCode = await main(process.argv.slice(2))
}
