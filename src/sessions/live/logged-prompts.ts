import { isEvent } from '../../events/index.js'
import type { StoredEvent } from '../../store/index.js'
import { squash, type TextMeaning } from './send-text.js'

export interface HeldPrompt {
  id: string
  text: string
  meaning: TextMeaning
}

/** What the log says of a session's prompts that no host is typing. */
export interface LoggedPrompts {
  /** Taken, and no key of them was typed: they go out when the agent rests. */
  held: readonly HeldPrompt[]
  /** A host ended while it typed them, or before it could say that it would not: what became of them must be found out. */
  cut: readonly { id: string; text: string; version: number }[]
  /** What became of others, by their ids. */
  results: ReadonlyMap<string, string>
}

interface Open extends HeldPrompt {
  state: 'held' | 'cut'
  version: number
}

export function loggedPrompts(events: readonly StoredEvent[]): LoggedPrompts {
  const open = new Map<string, Open>()
  const results = new Map<string, string>()
  for (const event of events) {
    const { version } = event
    if (isEvent(event, 'prompt.accepted')) {
      const { prompt, text, meaning, whenBusy } = event.data
      // Whoever did not want it to wait is told that it was not typed.
      const state = whenBusy === 'refuse' ? 'cut' : 'held'
      open.set(prompt, { id: prompt, text, meaning: meaningOf(meaning), state, version })
    } else if (isEvent(event, 'prompt.held')) {
      const { prompt, text, meaning } = event.data
      open.set(prompt, { id: prompt, text, meaning: meaningOf(meaning), state: 'held', version })
    } else if (isEvent(event, 'prompt.begun')) {
      const known = open.get(event.data.prompt)
      if (known) open.set(known.id, { ...known, state: 'cut', version })
    } else if (isEvent(event, 'prompt.released')) {
      open.delete(event.data.prompt)
      results.set(event.data.prompt, event.data.result)
    }
  }
  const of = (state: Open['state']) => [...open.values()].filter(prompt => prompt.state === state)
  return {
    held: of('held').map(({ id, text, meaning }) => ({ id, text, meaning })),
    cut: of('cut').map(({ id, text, version }) => ({ id, text, version })),
    results,
  }
}

/** Screens wrap and shorten what they show of a prompt; so many characters must agree, or all that there are. */
const SHORTEST_ECHO = 20

/** Whether what the agent shows as its prompt is this text. */
export function isEchoOf(text: string, echo: string): boolean {
  const wanted = squash(text)
  const shown = squash(echo).replace(/…$/u, '')
  if (shown.length < Math.min(wanted.length, SHORTEST_ECHO)) return false
  return wanted.startsWith(shown) || shown.startsWith(wanted)
}

function meaningOf(word: string): TextMeaning {
  return word === 'text' || word === 'command' ? word : 'auto'
}
