import { isEvent } from '../../events/index.js'
import type { StoredEvent } from '../../store/index.js'

interface TurnPrompt {
  turn: string
  at: number
  prompt: string
}

/**
 * The prompts of a session's turns, oldest first. A turn that an agent began by itself has none.
 */
export function turnPrompts(events: readonly StoredEvent[]): TurnPrompt[] {
  const prompts = new Map<string, TurnPrompt>()
  for (const event of events) {
    if (!isEvent(event, 'turn.opened') && !isEvent(event, 'turn.prompted')) continue
    const { turn, prompt } = event.data
    if (prompt !== undefined && !prompts.has(turn)) prompts.set(turn, { turn, at: event.at, prompt })
  }
  return [...prompts.values()]
}
