import type { StepTypes } from '../scenario/types.js'
import { fillWords, type Stage } from './stage.js'

/** Cells at a time and the pause between them: reads like a fast model, and a page takes a few seconds. */
const CHUNK = 5
const DELAY_MS = 38

/** Streams Markdown, then completes the block on the surface and in the transcript. */
export async function speak(markdown: string, how: { chunk?: number; delayMs?: number }, stage: Stage): Promise<void> {
  const text = fillWords(markdown, stage.words)
  const size = Math.max(1, Math.floor(how.chunk ?? CHUNK))
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + size)
    if (/[\ud800-\udbff]/.test(text[end - 1] ?? '')) end += 1
    stage.surface.say(text.slice(at, end))
    stage.tokens += 1 + size / 4
    stage.surface.setTokens(stage.tokens)
    at = end
    await stage.pace.sleep(how.delayMs ?? DELAY_MS, stage.signal)
  }
  stage.lastText = text
  stage.transcript.append({ type: 'assistant', text })
  stage.surface.finishSaying(text)
}

export async function playThink(step: StepTypes['think'], stage: Stage): Promise<void> {
  stage.surface.setWorking({ label: step.label ?? 'Thinking' })
  const slices = Math.max(1, Math.ceil(step.ms / 200))
  for (let slice = 0; slice < slices; slice++) {
    stage.tokens += (step.tokens ?? step.ms / 8) / slices
    stage.surface.setTokens(stage.tokens)
    await stage.pace.sleep(step.ms / slices, stage.signal)
  }
  if (step.thought !== undefined) stage.surface.thought(step.thought, step.ms)
}
