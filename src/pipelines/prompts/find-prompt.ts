import { createHash } from 'node:crypto'
import { PROMPT_TEXTS } from './prompt-texts.js'

/** A prompt, and the hash by which a step records the version it used. */
export interface UsedPrompt {
  id: string
  text: string
  hash: string
}

export function promptHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

export function promptIds(): string[] {
  return Object.keys(PROMPT_TEXTS).filter(id => id !== 'reviewer.custom')
}

/** The prompt of a role: the run's custom one if there is one, else the built-in. */
export function findPrompt(id: string, own: Readonly<Record<string, { text: string; hash: string }>>): UsedPrompt {
  const custom = own[id]
  if (custom) return { id, ...custom }
  const text = PROMPT_TEXTS[id] ?? PROMPT_TEXTS['reviewer.custom']!
  return { id, text, hash: promptHash(text) }
}

export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole)
}
