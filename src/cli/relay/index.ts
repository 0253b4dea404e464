/*
 * The program that an agent's hook starts: it passes the call to the daemon and prints the answer.
 * It must start fast and never break the agent, so it imports little.
 */

import { relayHook } from './relay-hook.js'

/** `hook <agent> [event] [--hold]`, called by an agent. */
export async function runRelay(words: readonly string[]): Promise<void> {
  const [source = '', event = null] = words.filter(word => !word.startsWith('-'))
  process.stdout.on('error', () => process.exit(0))
  const answer = await relayHook({
    source,
    event,
    mayHold: words.includes('--hold'),
    env: process.env,
    cwd: process.cwd(),
    input: process.stdin,
  })
  if (answer === null) process.exit(0)
  process.stdout.write(answer, () => process.exit(0))
}
