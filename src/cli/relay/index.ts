import { relayHook } from './relay-hook.js'

/** `hook <agent> [event] [--hold]`, called by an agent, which it must never break. */
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
