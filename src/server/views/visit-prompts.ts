import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { NodeVisit } from './run-nodes.js'

/** Characters of a prompt that are shown; the run's export contains all. */
const SHOWN_MAX = 256 * 1024

/** Agents' prompts are in a file of their step, which is deleted with the run's files. */
export async function withPrompts(visit: NodeVisit, directory: string): Promise<NodeVisit> {
  const attempts = await Promise.all(
    visit.attempts.map(async attempt => {
      const file = join(directory, 'steps', attempt.step.replaceAll('/', '~'), 'prompt.md')
      const prompt = await readFile(file, 'utf8').catch(() => null)
      if (prompt === null || (typeof attempt.input !== 'object' && attempt.input !== undefined)) return attempt
      const shown = prompt.length > SHOWN_MAX ? `${prompt.slice(0, SHOWN_MAX)}…` : prompt
      return { ...attempt, input: { ...attempt.input, prompt: shown } }
    }),
  )
  return { ...visit, attempts }
}
