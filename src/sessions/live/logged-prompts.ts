import { isEvent } from '../../events/index.js'
import type { StoredEvent } from '../../store/index.js'
import { comparableText } from '../compare-text.js'
import type { TextMeaning } from './send-text.js'

export interface HeldPrompt {
  id: string
  text: string
  meaning: TextMeaning
}

/** A session's prompts according to the log, when no host is typing them. */
export interface LoggedPrompts {
  /** Accepted, and no key was typed: they are sent when the agent is idle. */
  held: readonly HeldPrompt[]
  /** A host ended while it typed them, or before it could refuse them: their result is unknown. */
  unfinished: readonly { id: string; text: string; version: number }[]
  /** Results of the others, by prompt id. */
  results: ReadonlyMap<string, string>
}

interface OpenPrompt extends HeldPrompt {
  state: 'held' | 'unfinished'
  version: number
}

export function loggedPrompts(events: readonly StoredEvent[]): LoggedPrompts {
  const open = new Map<string, OpenPrompt>()
  const results = new Map<string, string>()
  for (const event of events) {
    const { version } = event
    if (isEvent(event, 'prompt.accepted')) {
      const { prompt, text, meaning, whenBusy } = event.data
      // A sender that did not want the prompt to wait learns that it was not typed.
      const state = whenBusy === 'refuse' ? 'unfinished' : 'held'
      open.set(prompt, { id: prompt, text, meaning: meaningOf(meaning), state, version })
    } else if (isEvent(event, 'prompt.held')) {
      const { prompt, text, meaning } = event.data
      open.set(prompt, { id: prompt, text, meaning: meaningOf(meaning), state: 'held', version })
    } else if (isEvent(event, 'prompt.started')) {
      const known = open.get(event.data.prompt)
      if (known) open.set(known.id, { ...known, state: 'unfinished', version })
    } else if (isEvent(event, 'prompt.ended')) {
      open.delete(event.data.prompt)
      results.set(event.data.prompt, event.data.result)
    }
  }
  const of = (state: OpenPrompt['state']) => [...open.values()].filter(prompt => prompt.state === state)
  return {
    held: of('held').map(({ id, text, meaning }) => ({ id, text, meaning })),
    unfinished: of('unfinished').map(({ id, text, version }) => ({ id, text, version })),
    results,
  }
}

/** Screens wrap and shorten a prompt: this many characters must agree, or all that there are. */
const ECHO_MIN_CHARACTERS = 20

/** Whether the agent shows this text as its prompt. */
export function isEchoOf(text: string, echo: string): boolean {
  const wanted = comparableText(text)
  const shown = comparableText(echo).replace(/…$/u, '')
  if (shown.length < Math.min(wanted.length, ECHO_MIN_CHARACTERS)) return false
  return wanted.startsWith(shown) || shown.startsWith(wanted)
}

function meaningOf(word: string): TextMeaning {
  return word === 'text' || word === 'command' ? word : 'auto'
}
