import type { SessionFixture } from './session-fixture.js'

/** Rows as the demo agent draws them. */
export const THINKING = '◜ Thinking… 3s · 10 tokens · esc to stop'
export const DONE = '◈ Finished in 5s · 1.2k tokens'
export const MENU = [
  '━'.repeat(60),
  ' Run a command',
  ' May I run this command?',
  '',
  ' ▸ 1. Yes, this once',
  '   2. No',
  '',
  ' enter to choose · ↑/↓ to move · esc to decline',
]

/** An agent with a transcript. */
export const TRANSCRIPT = { hasTranscript: true, hasHooks: false, canResume: true }

/** Prompt, work, answer, end; returns the rows on screen at the end. */
export async function paintTurn(
  fixture: SessionFixture,
  prompt: string,
  answer: readonly string[],
  above: readonly string[] = [],
): Promise<string[]> {
  const rows = [...above, `▷ ${prompt}`, '']
  await fixture.paint([...rows, THINKING, ''])
  await fixture.paint([...rows, ...answer, '', THINKING, ''])
  const done = [...rows, ...answer, '', DONE, '']
  await fixture.paint(done)
  return done
}
