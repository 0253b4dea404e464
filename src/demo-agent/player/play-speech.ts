import type { StepTypes } from '../scenario/types.js'
import { fillPlaceholders, type TurnContext } from './turn-context.js'

/** Characters per chunk, and the pause between chunks: a page takes a few seconds. */
const CHUNK = 5
const DELAY_MS = 38

/** Streams Markdown, then completes the block on the surface and in the transcript. */
export async function speak(
  markdown: string,
  how: { chunk?: number; delayMs?: number },
  context: TurnContext,
): Promise<void> {
  const text = fillPlaceholders(markdown, context.variables)
  const size = Math.max(1, Math.floor(how.chunk ?? CHUNK))
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + size)
    if (/[\ud800-\udbff]/.test(text[end - 1] ?? '')) end += 1
    context.surface.say(text.slice(at, end))
    context.tokens += 1 + size / 4
    context.surface.setTokens(context.tokens)
    at = end
    await context.pace.sleep(how.delayMs ?? DELAY_MS, context.signal)
  }
  context.lastText = text
  context.transcript.append({ type: 'assistant', text })
  context.surface.finishSaying(text)
}

export async function playThink(step: StepTypes['think'], context: TurnContext): Promise<void> {
  context.surface.setWorking({ label: step.label ?? 'Thinking' })
  const slices = Math.max(1, Math.ceil(step.ms / 200))
  for (let slice = 0; slice < slices; slice++) {
    context.tokens += (step.tokens ?? step.ms / 8) / slices
    context.surface.setTokens(context.tokens)
    await context.pace.sleep(step.ms / slices, context.signal)
  }
  if (step.thought !== undefined) context.surface.thought(step.thought, step.ms)
}
